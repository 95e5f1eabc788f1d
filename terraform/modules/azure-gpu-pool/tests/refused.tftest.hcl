# What is refused, each with the fix in the message.

mock_provider "azurerm" {
  mock_data "azurerm_platform_image" {
    defaults = { version = "22.04.2026010100" }
  }

  mock_data "azurerm_ssh_public_key" {
    defaults = { public_key = "ssh-ed25519 AAAA kept" }
  }

  mock_resource "azurerm_linux_virtual_machine_scale_set" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/x" }
  }

  mock_resource "azurerm_subnet" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/n/subnets/x" }
  }

  mock_resource "azurerm_network_security_group" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkSecurityGroups/x" }
  }

  mock_resource "azurerm_application_security_group" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/applicationSecurityGroups/x" }
  }

  mock_resource "azurerm_proximity_placement_group" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/proximityPlacementGroups/x" }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "training"
  region        = "eastus"
  zones         = ["2", "1"]
  instance_type = "Standard_ND96asr_v4"
  gpu           = { type = "A100-40GB", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "cap_on_demand" {
  command = plan

  variables {
    max_price_per_node_hour = "12.00"
  }

  expect_failures = [terraform_data.checked]
}

run "network_without_subnets" {
  command = plan

  variables {
    network_id = "net"
  }

  expect_failures = [terraform_data.checked]
}

run "two_subnets" {
  command = plan

  variables {
    network_id = "net"
    subnet_ids = ["a", "b"]
  }

  expect_failures = [terraform_data.checked]
}

run "image_without_driver" {
  command = plan

  variables {
    instance_type = "Standard_NV6ads_A10_v5"
  }

  expect_failures = [terraform_data.checked]
}

run "reserved_without_reservation" {
  command = plan

  variables {
    capacity_type = "reserved"
  }

  expect_failures = [terraform_data.checked]
}

run "size_without_infiniband" {
  command = plan

  variables {
    zones           = []
    instance_type   = "Standard_NC24ads_A100_v4"
    cluster_network = true
  }

  expect_failures = [terraform_data.checked]
}

run "infiniband_over_two_zones" {
  command = plan

  variables {
    cluster_network = true
  }

  expect_failures = [terraform_data.checked]
}

run "infiniband_for_reserved_nodes" {
  command = plan

  variables {
    zones           = []
    cluster_network = true
    capacity_type   = "reserved"
    reservation_id  = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/mine"
  }

  expect_failures = [terraform_data.checked]
}

run "infiniband_of_public_nodes" {
  command = plan

  variables {
    zones           = []
    cluster_network = true
    public_ip       = true
  }

  expect_failures = [terraform_data.checked]
}

run "public_nodes_of_a_uniform_set" {
  command = plan

  variables {
    orchestration = "uniform"
    public_ip     = true
  }

  expect_failures = [terraform_data.checked]
}

run "two_keys" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAA test"
    key_id         = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/sshPublicKeys/mine"
  }

  expect_failures = [terraform_data.checked]
}

run "image_for_arm" {
  command = plan

  variables {
    instance_type = "Standard_ND128isr_NDR_GB200_v6"
    architecture  = "arm64"
  }

  expect_failures = [terraform_data.checked]
}

run "confidential_size" {
  command = plan

  variables {
    instance_type = "Standard_NCC40ads_H100_v5"
  }

  expect_failures = [terraform_data.checked]
}

run "more_nodes_than_a_placement_group_has" {
  command = plan

  variables {
    zones           = []
    cluster_network = true
    desired_count   = 101
  }

  expect_failures = [terraform_data.checked]
}

run "managed_without_size" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [terraform_data.checked]
}

run "external_with_size" {
  command = plan

  variables {
    autoscaler = "external"
    max_count  = 4
  }

  expect_failures = [terraform_data.checked]
}

run "least_for_managed" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [terraform_data.checked]
}

run "less_room_than_nodes" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [terraform_data.checked]
}

run "backstop_against_an_autoscaler" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
    backstop      = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [terraform_data.checked]
}

run "more_backstops_than_a_setting_has" {
  command = plan

  variables {
    backstop = [for hour in range(10) : { days = ["mon"], time = format("%02d:00", hour) }]
  }

  expect_failures = [azurerm_monitor_autoscale_setting.backstop]
}

run "strange_name" {
  command = plan

  variables {
    name = "a_b"
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
    region = "East US"
  }

  expect_failures = [var.region]
}

run "zone_not_a_zone" {
  command = plan

  variables {
    zones = ["eastus-1"]
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

run "cap_with_six_decimals" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "1.000001"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "reservation_not_a_group" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "mine"
  }

  expect_failures = [var.reservation_id]
}

run "label_with_a_slash" {
  command = plan

  variables {
    labels = { "a/b" = "c" }
  }

  expect_failures = [var.labels]
}

run "image_not_an_image" {
  command = plan

  variables {
    image_id = "ubuntu"
  }

  expect_failures = [var.image_id]
}

run "strange_orchestration" {
  command = plan

  variables {
    orchestration = "rigid"
  }

  expect_failures = [var.orchestration]
}

run "key_that_is_no_id" {
  command = plan

  variables {
    key_id = "mine"
  }

  expect_failures = [var.key_id]
}

run "key_of_another_kind" {
  command = plan

  variables {
    ssh_public_key = "ecdsa-sha2-nistp256 AAAA test"
  }

  expect_failures = [var.ssh_public_key]
}

run "group_with_a_strange_name" {
  command = plan

  variables {
    resource_group_name = "mine."
  }

  expect_failures = [var.resource_group_name]
}

run "label_twice_but_for_its_case" {
  command = plan

  variables {
    labels = { team = "a", Team = "b" }
  }

  expect_failures = [var.labels]
}

run "more_labels_than_room" {
  command = plan

  variables {
    labels = { for n in range(47) : "label${n}" => "x" }
  }

  expect_failures = [var.labels]
}

run "label_of_azure" {
  command = plan

  variables {
    labels = { Microsoft-team = "a" }
  }

  expect_failures = [var.labels]
}
