# What is refused, each with the fix in the message.

mock_provider "alicloud" {
  mock_data "alicloud_images" {
    defaults = { images = [{ id = "ubuntu_1" }] }
  }

  mock_data "alicloud_zones" {
    defaults = { ids = ["cn-hangzhou-j", "cn-hangzhou-i"] }
  }

  mock_data "alicloud_vswitches" {
    defaults = { vswitches = [{ id = "vsw-far", zone_id = "cn-hangzhou-b" }] }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "inference"
  region        = "cn-hangzhou"
  zones         = ["cn-hangzhou-j", "cn-hangzhou-i"]
  instance_type = "ecs.gn7i-c8g1.2xlarge"
  gpu           = { type = "A10", count = 1 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "cap_on_demand" {
  command = plan

  variables {
    max_price_per_node_hour = "12.00"
  }

  expect_failures = [alicloud_ess_scaling_configuration.this]
}

run "zone_of_another_region" {
  command = plan

  variables {
    zones = ["cn-beijing-i"]
  }

  expect_failures = [alicloud_ess_scaling_configuration.this]
}

run "network_without_subnets" {
  command = plan

  variables {
    network_id = "vpc-1"
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "two_keys" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAA test"
    key_id         = "mine"
  }

  expect_failures = [alicloud_ess_scaling_configuration.this]
}

run "no_such_public_image" {
  command = plan

  override_data {
    target = data.alicloud_images.gpu[0]
    values = { images = [] }
  }

  expect_failures = [alicloud_ess_scaling_configuration.this]
}

run "managed_without_size" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "external_with_size" {
  command = plan

  variables {
    autoscaler = "external"
    max_count  = 4
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "least_for_managed" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "less_room_than_nodes" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "backstop_against_an_autoscaler" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
    backstop      = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "subnets_in_other_zones" {
  command = plan

  variables {
    network_id = "vpc-1"
    subnet_ids = ["vsw-far"]
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "strange_name" {
  command = plan

  variables {
    name = "1st"
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
    region = "Hangzhou"
  }

  expect_failures = [var.region]
}

run "zone_not_a_zone" {
  command = plan

  variables {
    zones = ["i"]
  }

  expect_failures = [var.zones]
}

run "instance_type_not_a_type" {
  command = plan

  variables {
    instance_type = "gn7i"
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

run "more_nodes_than_a_group_has" {
  command = plan

  variables {
    desired_count = 2001
  }

  expect_failures = [var.desired_count]
}

run "reserved_capacity" {
  command = plan

  variables {
    capacity_type = "reserved"
  }

  expect_failures = [var.capacity_type]
}

run "reservation" {
  command = plan

  variables {
    reservation_id = "eap-1"
  }

  expect_failures = [var.reservation_id]
}

run "cap_with_four_decimals" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "1.0001"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "label_of_the_cloud" {
  command = plan

  variables {
    labels = { "acs:team" = "x" }
  }

  expect_failures = [var.labels]
}

run "close_nodes" {
  command = plan

  variables {
    cluster_network = true
  }

  expect_failures = [var.cluster_network]
}

run "nodes_without_end" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "nowhere_sold" {
  command = plan

  override_data {
    target = data.alicloud_zones.selling[0]
    values = { ids = [] }
  }

  variables {
    zones = []
  }

  expect_failures = [alicloud_ess_scaling_group.this]
}

run "label_with_an_address" {
  command = plan

  variables {
    labels = { home = "https://example.com" }
  }

  expect_failures = [var.labels]
}

run "label_with_a_quotation_mark" {
  command = plan

  variables {
    labels = { said = "\"no\"" }
  }

  expect_failures = [var.labels]
}

run "label_with_a_backslash" {
  command = plan

  variables {
    labels = { path = "a\\b" }
  }

  expect_failures = [var.labels]
}

run "label_too_long" {
  command = plan

  variables {
    labels = { abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm = "x" }
  }

  expect_failures = [var.labels]
}

run "more_labels_than_tags" {
  command = plan

  variables {
    labels = { for n in range(17) : "label-${n}" => "x" }
  }

  expect_failures = [var.labels]
}

run "cap_of_nothing" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "0.009"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "cap_with_exponent" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "7e-1"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "disk_too_large" {
  command = plan

  variables {
    disk_gib = 501
  }

  expect_failures = [var.disk_gib]
}
