# What is refused, each with the fix in the message.

mock_provider "oci" {
  mock_data "oci_identity_availability_domains" {
    defaults = {
      availability_domains = [
        { name = "Uocm:US-ASHBURN-AD-2" }, { name = "Uocm:US-ASHBURN-AD-1" }, { name = "Uocm:US-ASHBURN-AD-3" },
      ]
    }
  }

  mock_data "oci_core_images" {
    defaults = {
      images = [
        { id = "ocid1.image.oc1..plain", display_name = "Oracle-Linux-8.10-2026.01.01-0" },
        { id = "ocid1.image.oc1..gpu", display_name = "Oracle-Linux-8.10-Gen2-GPU-2026.01.01-0" },
      ]
    }
  }
}

variables {
  policy_name    = "daynight"
  pool_name      = "training"
  region         = "us-ashburn-1"
  zones          = ["us-ashburn-1-AD-2", "us-ashburn-1-AD-1"]
  compartment_id = "ocid1.compartment.oc1..test"
  instance_type  = "BM.GPU4.8"
  gpu            = { type = "A100-40GB", count = 8 }
  capacity_type  = "on_demand"
  desired_count  = 2
  labels         = { team = "research" }
}

run "no_compartment" {
  command = plan

  variables {
    compartment_id = null
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "domain_of_another_region" {
  command = plan

  variables {
    zones = ["us-phoenix-1-AD-1"]
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "network_without_subnets" {
  command = plan

  variables {
    network_id = "ocid1.vcn.oc1..x"
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "two_subnets" {
  command = plan

  variables {
    network_id = "ocid1.vcn.oc1..x"
    subnet_ids = ["ocid1.subnet.oc1..a", "ocid1.subnet.oc1..b"]
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "b114_flex_without_cores" {
  command = plan

  variables {
    instance_type = "VM.GPU.A10.Flex"
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "shape_that_is_not_preemptible" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "reserved_in_two_domains" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "ocid1.capacityreservation.oc1..x"
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "reserved_without_reservation" {
  command = plan

  variables {
    capacity_type = "reserved"
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "shape_without_rdma" {
  command = plan

  variables {
    zones           = ["us-ashburn-1-AD-1"]
    instance_type   = "VM.GPU3.1"
    cluster_network = true
    image_id        = "ocid1.image.oc1..hpc"
    network_id      = "ocid1.vcn.oc1..x"
    subnet_ids      = ["ocid1.subnet.oc1..x"]
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "image_without_driver" {
  command = plan

  variables {
    instance_type = "BM.GPU.MI300X.8"
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "no_image_with_driver" {
  command = plan

  override_data {
    target = data.oci_core_images.gpu[0]
    values = { images = [{ id = "ocid1.image.oc1..plain", display_name = "Oracle-Linux-8.10-2026.01.01-0" }] }
  }

  expect_failures = [oci_core_instance_configuration.this]
}

run "managed_without_size" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "external_with_size" {
  command = plan

  variables {
    autoscaler = "external"
    max_count  = 4
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "least_for_managed" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "less_room_than_nodes" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "backstop_against_an_autoscaler" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
    backstop      = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "no_such_domain" {
  command = plan

  override_data {
    target = data.oci_identity_availability_domains.all
    values = { availability_domains = [{ name = "Uocm:US-ASHBURN-AD-3" }] }
  }

  expect_failures = [oci_core_instance_pool.this]
}

run "cluster_over_two_domains" {
  command = plan

  variables {
    cluster_network = true
    image_id        = "ocid1.image.oc1..hpc"
    network_id      = "ocid1.vcn.oc1..x"
    subnet_ids      = ["ocid1.subnet.oc1..x"]
  }

  expect_failures = [oci_core_cluster_network.this]
}

run "cluster_with_backstop" {
  command = plan

  variables {
    zones           = ["us-ashburn-1-AD-1"]
    cluster_network = true
    image_id        = "ocid1.image.oc1..hpc"
    network_id      = "ocid1.vcn.oc1..x"
    subnet_ids      = ["ocid1.subnet.oc1..x"]
    backstop        = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [oci_core_cluster_network.this]
}

run "cluster_without_size" {
  command = plan

  variables {
    zones           = ["us-ashburn-1-AD-1"]
    cluster_network = true
    image_id        = "ocid1.image.oc1..hpc"
    network_id      = "ocid1.vcn.oc1..x"
    subnet_ids      = ["ocid1.subnet.oc1..x"]
    desired_count   = null
  }

  expect_failures = [oci_core_cluster_network.this]
}

run "strange_name" {
  command = plan

  variables {
    name = "_"
  }

  expect_failures = [var.name]
}

run "place_not_hex" {
  command = plan

  variables {
    place = "XYZ"
  }

  expect_failures = [var.place]
}

run "region_not_a_region" {
  command = plan

  variables {
    region = "Ashburn"
  }

  expect_failures = [var.region]
}

run "zone_not_a_zone" {
  command = plan

  variables {
    zones = ["AD-1"]
  }

  expect_failures = [var.zones]
}

run "instance_type_not_a_type" {
  command = plan

  variables {
    instance_type = "p4d.24xlarge"
  }

  expect_failures = [var.instance_type]
}

run "no_gpu" {
  command = plan

  variables {
    gpu = { type = "T4", count = 0 }
  }

  expect_failures = [var.gpu]
}

run "strange_architecture" {
  command = plan

  variables {
    architecture = "riscv"
  }

  expect_failures = [var.architecture]
}

run "strange_capacity" {
  command = plan

  variables {
    capacity_type = "cheap"
  }

  expect_failures = [var.capacity_type]
}

run "strange_reservation" {
  command = plan

  variables {
    reservation_kind = "capacity_block_of_wood"
  }

  expect_failures = [var.reservation_kind]
}

run "strange_autoscaler" {
  command = plan

  variables {
    autoscaler = "mine"
  }

  expect_failures = [var.autoscaler]
}

run "part_of_a_node" {
  command = plan

  variables {
    desired_count = 1.5
  }

  expect_failures = [var.desired_count]
}

run "least_below_zero" {
  command = plan

  variables {
    min_count = -1
  }

  expect_failures = [var.min_count]
}

run "room_below_zero" {
  command = plan

  variables {
    max_count = -1
  }

  expect_failures = [var.max_count]
}

run "label_of_ours" {
  command = plan

  variables {
    labels = { Pool = "mine" }
  }

  expect_failures = [var.labels]
}

run "network_too_large" {
  command = plan

  variables {
    network_cidr = "10.0.0.0/8"
  }

  expect_failures = [var.network_cidr]
}

run "disk_of_nothing" {
  command = plan

  variables {
    disk_gib = 0
  }

  expect_failures = [var.disk_gib]
}

run "script_in_plain_text" {
  command = plan

  variables {
    startup_base64 = "#!/bin/sh"
  }

  expect_failures = [var.startup_base64]
}

run "port_out_of_range" {
  command = plan

  variables {
    ports = [0]
  }

  expect_failures = [var.ports]
}

run "source_not_a_block" {
  command = plan

  variables {
    port_sources = ["everybody"]
  }

  expect_failures = [var.port_sources]
}

run "backstop_without_days" {
  command = plan

  variables {
    backstop = [{ days = [], time = "22:00" }]
  }

  expect_failures = [var.backstop]
}

run "backstop_at_no_time" {
  command = plan

  variables {
    backstop = [{ days = ["mon"], time = "24:00" }]
  }

  expect_failures = [var.backstop]
}

run "cap" {
  command = plan

  variables {
    max_price_per_node_hour = "12.00"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "reservation_not_a_reservation" {
  command = plan

  variables {
    reservation_id = "mine"
  }

  expect_failures = [var.reservation_id]
}

run "label_with_a_dot" {
  command = plan

  variables {
    labels = { "a.b" = "c" }
  }

  expect_failures = [var.labels]
}

run "more_labels_than_tags" {
  command = plan

  variables {
    labels = { a = "1", b = "2", c = "3", d = "4", e = "5", f = "6", g = "7" }
  }

  expect_failures = [var.labels]
}

run "more_schedules_than_the_service_has" {
  command = plan

  variables {
    backstop = [for minute in range(51) : { days = ["mon"], time = format("22:%02d", minute) }]
  }

  expect_failures = [var.backstop]
}

run "image_not_an_image" {
  command = plan

  variables {
    image_id = "ubuntu"
  }

  expect_failures = [var.image_id]
}

run "compartment_not_a_compartment" {
  command = plan

  variables {
    compartment_id = "mine"
  }

  expect_failures = [var.compartment_id]
}

run "key_of_nobody" {
  command = plan

  variables {
    key_id = "mine"
  }

  expect_failures = [var.key_id]
}
