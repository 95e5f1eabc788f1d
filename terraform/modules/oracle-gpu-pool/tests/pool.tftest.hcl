# What a pool is made of. No cloud is asked: the provider is a mock.

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
        { id = "ocid1.image.oc1..oke", display_name = "Oracle-Linux-8.10-Gen2-GPU-2026.01.01-0-OKE-1.34.1-1191" },
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

run "on_demand" {
  command = plan

  assert {
    condition     = length(oci_core_instance_configuration.this.instance_details[0].launch_details[0].preemptible_instance_config) == 0 && oci_core_instance_configuration.this.instance_details[0].launch_details[0].shape == "BM.GPU4.8"
    error_message = "On-demand nodes are not preemptible."
  }

  assert {
    condition     = oci_core_instance_pool.this[0].size == 2 && [for one in oci_core_instance_pool.this[0].placement_configurations : one.availability_domain] == ["Uocm:US-ASHBURN-AD-1", "Uocm:US-ASHBURN-AD-2"]
    error_message = "The pool has the size asked for, in the domains of the tenancy."
  }

  assert {
    condition     = output.instance_type == "BM.GPU4.8" && output.capacity_type == "on_demand" && output.desired_count == 2
    error_message = "Outputs say what was asked for."
  }
}

run "spot" {
  command = plan

  variables {
    capacity_type = "spot"
    instance_type = "VM.GPU3.1"
  }

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].preemptible_instance_config[0].preemption_action[0].type == "TERMINATE"
    error_message = "Preemptible nodes end when they are taken back."
  }

  # B114: stated, not left to what the API takes for granted.
  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].preemptible_instance_config[0].preemption_action[0].preserve_boot_volume == false
    error_message = "Whether the boot volume stays is stated."
  }
}

run "size_zero_is_a_size" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = oci_core_instance_pool.this[0].size == 0
    error_message = "0 must be planned as 0."
  }
}

run "external" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    min_count     = 1
    max_count     = 4
  }

  assert {
    condition     = oci_core_instance_pool.this[0].size == 1
    error_message = "A pool that somebody else sizes begins with the least."
  }
}

run "reserved" {
  command = plan

  variables {
    zones          = ["us-ashburn-1-AD-2"]
    capacity_type  = "reserved"
    reservation_id = "ocid1.capacityreservation.oc1..x"
  }

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].capacity_reservation_id == "ocid1.capacityreservation.oc1..x"
    error_message = "Nodes come out of the reservation named."
  }
}

run "b114_flexible_shape" {
  command = plan

  variables {
    instance_type = "VM.GPU.X.Flex"
    flex          = { ocpus = 8, memory_gib = 120 }
  }

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].shape_config[0].ocpus == 8 && oci_core_instance_configuration.this.instance_details[0].launch_details[0].shape_config[0].memory_in_gbs == 120
    error_message = "A flexible shape has the cores and the memory asked for."
  }
}

run "cluster_network" {
  command = plan

  variables {
    zones           = ["us-ashburn-1-AD-2"]
    cluster_network = true
    image_id        = "ocid1.image.oc1..hpc"
    network_id      = "ocid1.vcn.oc1..x"
    subnet_ids      = ["ocid1.subnet.oc1..x"]
  }

  assert {
    condition     = length(oci_core_instance_pool.this) == 0 && oci_core_cluster_network.this[0].instance_pools[0].size == 2 && oci_core_cluster_network.this[0].placement_configuration[0].availability_domain == "Uocm:US-ASHBURN-AD-2"
    error_message = "The pool lies within the network that joins its nodes."
  }

  assert {
    condition     = length(oci_core_instance_configuration.this.instance_details[0].launch_details[0].agent_config[0].plugins_config) == 2
    error_message = "Nodes set their RDMA interfaces up."
  }
}

run "cluster_network_of_nodes_without_rdma_warns" {
  command = plan

  variables {
    zones           = ["us-ashburn-1-AD-2"]
    cluster_network = true
  }

  expect_failures = [check.rdma]
}

run "backstop" {
  command = plan

  variables {
    backstop = [{ days = ["mon", "tue"], time = "22:05" }]
  }

  assert {
    condition     = oci_autoscaling_auto_scaling_configuration.backstop[0].policies[0].execution_schedule[0].expression == "0 5 22 ? * MON,TUE *" && oci_autoscaling_auto_scaling_configuration.backstop[0].policies[0].capacity[0].initial == 0
    error_message = "The schedule is in UTC, and empties the pool."
  }
}

run "region_of_a_government" {
  command = plan

  variables {
    region = "uk-gov-london-1"
    zones  = ["uk-gov-london-1-AD-1"]
  }

  assert {
    condition     = [for one in oci_core_instance_pool.this[0].placement_configurations : one.availability_domain] == ["Uocm:US-ASHBURN-AD-1"]
    error_message = "Regions with longer names have domains too."
  }
}

run "tags_everywhere" {
  command = plan

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].freeform_tags == tomap({ team = "research", managed-by = "multicloud", policy = "daynight", pool = "training", place = local.place })
    error_message = "Nodes say whose they are."
  }

  assert {
    condition     = local.place == substr(sha256("oracle|us-ashburn-1|us-ashburn-1-AD-1,us-ashburn-1-AD-2|BM.GPU4.8|on_demand"), 0, 8)
    error_message = "A place that is not given is computed from what it is."
  }
}

run "node_is_closed" {
  command = plan

  assert {
    condition     = tobool(oci_core_instance_configuration.this.instance_details[0].launch_details[0].create_vnic_details[0].assign_public_ip) == false && oci_core_subnet.this[0].prohibit_public_ip_on_vnic == true
    error_message = "No public address by default."
  }

  assert {
    condition     = toset(keys(oci_core_network_security_group_security_rule.this)) == toset(["pool", "out"]) && length(oci_core_internet_gateway.this) == 0
    error_message = "Only nodes of the pool reach each other."
  }

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].instance_options[0].are_legacy_imds_endpoints_disabled == true
    error_message = "Version 1 of the metadata service is off."
  }
}

run "public_node_with_a_key_and_a_script" {
  command = plan

  variables {
    public_ip      = true
    ports          = [22]
    ssh_public_key = "ssh-ed25519 AAAA test"
    startup_base64 = "IyEvYmluL3NoCg=="
  }

  assert {
    condition     = oci_core_network_security_group_security_rule.this["port-22-0.0.0.0/0"].tcp_options[0].destination_port_range[0].max == 22 && length(oci_core_internet_gateway.this) == 1
    error_message = "The port asked for is open."
  }

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].metadata == tomap({ ssh_authorized_keys = "ssh-ed25519 AAAA test", user_data = "IyEvYmluL3NoCg==" })
    error_message = "Key and script are in the metadata."
  }
}

run "every_domain_of_the_region" {
  command = plan

  variables {
    zones = []
  }

  assert {
    condition     = length(oci_core_instance_pool.this[0].placement_configurations) == 3
    error_message = "Without zones the pool spans every availability domain."
  }
}

run "given_network" {
  command = plan

  variables {
    network_id = "ocid1.vcn.oc1..x"
    subnet_ids = ["ocid1.subnet.oc1..x"]
  }

  assert {
    condition     = length(oci_core_vcn.this) == 0 && oci_core_instance_configuration.this.instance_details[0].launch_details[0].create_vnic_details[0].subnet_id == "ocid1.subnet.oc1..x" && oci_core_network_security_group.this.vcn_id == "ocid1.vcn.oc1..x"
    error_message = "Nothing is made that was given."
  }
}

run "image_is_looked_up" {
  command = plan

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].source_details[0].image_id == "ocid1.image.oc1..gpu"
    error_message = "The image used is the newest that has a driver."
  }
}

run "given_image" {
  command = plan

  variables {
    image_id = "ocid1.image.oc1..mine"
  }

  assert {
    condition     = oci_core_instance_configuration.this.instance_details[0].launch_details[0].source_details[0].image_id == "ocid1.image.oc1..mine" && length(data.oci_core_images.gpu) == 0
    error_message = "An image that was given is not looked up."
  }
}

run "b114_on_demand_has_no_preemption" {
  command = plan

  assert {
    condition     = length(oci_core_instance_configuration.this.instance_details[0].launch_details[0].preemptible_instance_config) == 0 && length(oci_core_instance_configuration.this.instance_details[0].launch_details[0].shape_config) == 0
    error_message = "Nodes on demand have neither a preemption action nor, of a fixed shape, cores of their own."
  }
}
