# What is refused, each with the fix in the message.

mock_provider "google" {
  mock_data "google_compute_zones" {
    defaults = { names = ["us-central1-b", "us-central1-a", "us-central1-c"] }
  }

  mock_data "google_compute_image" {
    defaults = { self_link = "https://www.googleapis.com/compute/v1/projects/p/global/images/gpu-1" }
  }

  mock_resource "google_compute_region_instance_group_manager" {
    defaults = { self_link = "https://www.googleapis.com/compute/v1/projects/p/regions/us-central1/instanceGroupManagers/g" }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "Training"
  region        = "us-central1"
  zones         = ["us-central1-b", "us-central1-a"]
  instance_type = "a2-highgpu-8g"
  gpu           = { type = "A100-40GB", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "zone_of_another_region" {
  command = plan

  variables {
    zones = ["us-east1-b", "us-central1-a"]
  }

  expect_failures = [google_compute_instance_template.this]
}

run "subnet_without_network" {
  command = plan

  variables {
    subnet_ids = ["subnet-1"]
  }

  expect_failures = [google_compute_instance_template.this]
}

run "two_subnets" {
  command = plan

  variables {
    network_id = "net"
    subnet_ids = ["subnet-1", "subnet-2"]
  }

  expect_failures = [google_compute_instance_template.this]
}

run "gpu_that_is_not_attached" {
  command = plan

  variables {
    instance_type = "n1-standard-8"
    gpu           = { type = "H100", count = 1 }
  }

  expect_failures = [google_compute_instance_template.this]
}

run "reserved_without_reservation" {
  command = plan

  variables {
    capacity_type = "reserved"
  }

  expect_failures = [google_compute_instance_template.this]
}

run "b93_machine_that_is_not_compact" {
  command = plan

  variables {
    zones           = ["us-central1-a"]
    instance_type   = "n1-standard-8"
    gpu             = { type = "T4", count = 1 }
    cluster_network = true
  }

  expect_failures = [google_compute_instance_template.this]
}

run "machine_with_rdma_interfaces" {
  command = plan

  variables {
    zones           = ["us-central1-a"]
    instance_type   = "a3-ultragpu-8g"
    gpu             = { type = "H200", count = 8 }
    cluster_network = true
  }

  expect_failures = [google_compute_instance_template.this]
}

run "spot_only_on_demand" {
  command = plan

  variables {
    instance_type = "a3-highgpu-2g"
    gpu           = { type = "H100-SXM5", count = 2 }
  }

  expect_failures = [google_compute_instance_template.this]
}

run "no_driver_for_old_gpus" {
  command = plan

  variables {
    instance_type = "n1-standard-8"
    gpu           = { type = "V100-16GB", count = 1 }
  }

  expect_failures = [google_compute_instance_template.this]
}

run "compact_over_two_zones" {
  command = plan

  variables {
    cluster_network = true
  }

  expect_failures = [google_compute_instance_template.this]
}

run "regional_managed_without_size" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [google_compute_region_instance_group_manager.regional]
}

run "regional_external_with_size" {
  command = plan

  variables {
    autoscaler = "external"
    max_count  = 4
  }

  expect_failures = [google_compute_region_instance_group_manager.regional]
}

run "regional_least_for_managed" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [google_compute_region_instance_group_manager.regional]
}

run "regional_less_room_than_nodes" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [google_compute_region_instance_group_manager.regional]
}

run "regional_backstop_against_an_autoscaler" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
    backstop      = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [google_compute_region_instance_group_manager.regional]
}

run "regional_backstop_of_nobody" {
  command = plan

  variables {
    backstop = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [google_compute_region_instance_group_manager.regional]
}

run "zonal_managed_without_size" {
  command = plan

  variables {
    zones         = ["us-central1-a"]
    desired_count = null
  }

  expect_failures = [google_compute_instance_group_manager.zonal]
}

run "zonal_external_with_size" {
  command = plan

  variables {
    zones      = ["us-central1-a"]
    autoscaler = "external"
    max_count  = 4
  }

  expect_failures = [google_compute_instance_group_manager.zonal]
}

run "zonal_least_for_managed" {
  command = plan

  variables {
    zones     = ["us-central1-a"]
    min_count = 1
  }

  expect_failures = [google_compute_instance_group_manager.zonal]
}

run "zonal_less_room_than_nodes" {
  command = plan

  variables {
    zones     = ["us-central1-a"]
    max_count = 1
  }

  expect_failures = [google_compute_instance_group_manager.zonal]
}

run "zonal_backstop_against_an_autoscaler" {
  command = plan

  variables {
    zones         = ["us-central1-a"]
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
    backstop      = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [google_compute_instance_group_manager.zonal]
}

run "zonal_backstop_of_nobody" {
  command = plan

  variables {
    zones    = ["us-central1-a"]
    backstop = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [google_compute_instance_group_manager.zonal]
}

run "strange_name" {
  command = plan

  variables {
    name = "Loud"
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
    region = "Far East"
  }

  expect_failures = [var.region]
}

run "zone_not_a_zone" {
  command = plan

  variables {
    zones = ["a"]
  }

  expect_failures = [var.zones]
}

run "instance_type_not_a_type" {
  command = plan

  variables {
    instance_type = "A2"
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

run "label_in_capitals" {
  command = plan

  variables {
    labels = { team = "Research" }
  }

  expect_failures = [var.labels]
}

run "account_not_an_account" {
  command = plan

  variables {
    service_account = "me"
  }

  expect_failures = [var.service_account]
}

run "key_of_nobody" {
  command = plan

  variables {
    key_id = "mine"
  }

  expect_failures = [var.key_id]
}
