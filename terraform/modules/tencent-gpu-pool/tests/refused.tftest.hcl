# What is refused, each with the fix in the message.

mock_provider "tencentcloud" {
  mock_data "tencentcloud_images" {
    defaults = { images = [] }
  }

  mock_data "tencentcloud_vpc_subnets" {
    defaults = { instance_list = [{ subnet_id = "subnet-1", availability_zone = "ap-guangzhou-4" }] }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "inference"
  region        = "ap-guangzhou"
  zones         = ["ap-guangzhou-6"]
  instance_type = "GN7.5XLARGE80"
  gpu           = { type = "T4", count = 1 }
  capacity_type = "on_demand"
  desired_count = 4
  image_id      = "img-aaaaaaaa"
}

run "cap_on_demand" {
  command = plan

  variables {
    max_price_per_node_hour = "12.00"
  }

  expect_failures = [tencentcloud_as_scaling_config.this]
}

run "zone_of_another_region" {
  command = plan

  variables {
    zones = ["ap-shanghai-2"]
  }

  expect_failures = [tencentcloud_as_scaling_config.this]
}

run "zone_of_a_region_that_begins_alike" {
  command = plan

  variables {
    zones = ["ap-guangzhou-open-1"]
  }

  expect_failures = [tencentcloud_as_scaling_config.this]
}

run "zone_not_a_zone" {
  command = plan

  variables {
    zones = ["six"]
  }

  expect_failures = [var.zones]
}

run "network_without_subnets" {
  command = plan

  variables {
    network_id = "vpc-1"
  }

  expect_failures = [tencentcloud_as_scaling_config.this]
}

run "subnets_in_other_zones" {
  command = plan

  variables {
    network_id = "vpc-1"
    subnet_ids = ["subnet-1"]
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "two_keys" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAA test"
    key_id         = "skey-1"
  }

  expect_failures = [tencentcloud_as_scaling_config.this]
}

run "no_such_public_image" {
  command = plan

  variables {
    image_id = null
  }

  expect_failures = [tencentcloud_as_scaling_config.this]
}

run "less_room_than_nodes" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "nodes_that_nobody_decides_about" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "nodes_that_two_decide_about" {
  command = plan

  variables {
    autoscaler = "external"
    max_count  = 8
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "external_without_an_end" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "external_with_crossed_bounds" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    min_count     = 5
    max_count     = 4
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "lower_bound_of_a_managed_pool" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "backstop_against_an_autoscaler" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 8
    backstop      = [{ days = ["fri"], time = "20:00" }]
  }

  expect_failures = [tencentcloud_as_scaling_group.this]
}

run "strange_capacity" {
  command = plan

  variables {
    capacity_type = "prepaid"
  }

  expect_failures = [var.capacity_type]
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
    reservation_id = "mine"
  }

  expect_failures = [var.reservation_id]
}

run "capacity_block" {
  command = plan

  variables {
    reservation_kind = "capacity_block"
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

run "cluster_network" {
  command = plan

  variables {
    cluster_network = true
  }

  expect_failures = [var.cluster_network]
}

run "backstop_on_no_day" {
  command = plan

  variables {
    backstop = [{ days = [], time = "20:00" }]
  }

  expect_failures = [var.backstop]
}

run "backstop_on_a_strange_day" {
  command = plan

  variables {
    backstop = [{ days = ["Friday"], time = "20:00" }]
  }

  expect_failures = [var.backstop]
}

run "backstop_at_a_strange_time" {
  command = plan

  variables {
    backstop = [{ days = ["fri"], time = "8:00" }]
  }

  expect_failures = [var.backstop]
}

run "name_too_long" {
  command = plan

  variables {
    name = "a123456789b123456789c123456789d123456789e123456789f12345"
  }

  expect_failures = [var.name]
}

run "place_not_hex" {
  command = plan

  variables {
    place = "inference"
  }

  expect_failures = [var.place]
}

run "region_not_a_region" {
  command = plan

  variables {
    region = "Guangzhou"
    zones  = []
  }

  expect_failures = [var.region]
}

run "instance_type_not_a_type" {
  command = plan

  variables {
    instance_type = "gn7"
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
    architecture = "arm64"
  }

  expect_failures = [var.architecture]
}

run "part_of_a_node" {
  command = plan

  variables {
    desired_count = 1.5
  }

  expect_failures = [var.desired_count]
}

run "more_nodes_than_a_group_has" {
  command = plan

  variables {
    desired_count = 2001
    max_count     = 2000
  }

  expect_failures = [var.desired_count]
}

run "part_of_a_least_node" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    min_count     = 0.5
    max_count     = 2
  }

  expect_failures = [var.min_count]
}

run "room_below_zero" {
  command = plan

  variables {
    desired_count = 0
    max_count     = -1
  }

  expect_failures = [var.max_count]
}

run "cap_of_nothing" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "0"
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

run "label_of_ours" {
  command = plan

  variables {
    labels = { place = "mine" }
  }

  expect_failures = [var.labels]
}

run "label_of_the_cloud" {
  command = plan

  variables {
    labels = { "qcs:team" = "mine" }
  }

  expect_failures = [var.labels]
}

run "more_labels_than_a_node_has_room_for" {
  command = plan

  variables {
    labels = { for number in range(7) : "label${number}" => "x" }
  }

  expect_failures = [var.labels]
}

run "label_without_value" {
  command = plan

  variables {
    labels = { team = "" }
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

run "image_not_an_image" {
  command = plan

  variables {
    image_id = "ubuntu"
  }

  expect_failures = [var.image_id]
}

run "disk_too_small" {
  command = plan

  variables {
    disk_gib = 10
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
    ports        = [22]
    port_sources = ["home"]
  }

  expect_failures = [var.port_sources]
}
