# What is refused, each with the fix in the message.

mock_provider "aws" {
  mock_data "aws_ami" {
    defaults = { id = "ami-0aaaaaaaaaaaaaaaa" }
  }

  mock_data "aws_subnets" {
    defaults = { ids = [] }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "training"
  region        = "us-east-1"
  zones         = ["use1-az1"]
  instance_type = "p4d.24xlarge"
  gpu           = { type = "A100-40GB", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
}

run "cap_on_demand" {
  command = plan

  variables {
    max_price_per_node_hour = "12.00"
  }

  expect_failures = [aws_launch_template.this]
}

run "zone_of_another_region" {
  command = plan

  variables {
    zones = ["usw2-az1"]
  }

  expect_failures = [aws_launch_template.this]
}

run "zone_by_name" {
  command = plan

  variables {
    zones = ["us-east-1a"]
  }

  expect_failures = [var.zones]
}

run "network_without_subnets" {
  command = plan

  variables {
    network_id = "vpc-1"
  }

  expect_failures = [aws_launch_template.this]
}

run "subnets_in_other_zones" {
  command = plan

  variables {
    network_id = "vpc-1"
    subnet_ids = ["subnet-1"]
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "two_keys" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAA test"
    key_id         = "mine"
  }

  expect_failures = [aws_launch_template.this]
}

run "image_without_driver" {
  command = plan

  variables {
    instance_type = "g4ad.xlarge"
  }

  expect_failures = [aws_launch_template.this]
}

run "less_room_than_nodes" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "nodes_that_nobody_decides_about" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "nodes_that_two_decide_about" {
  command = plan

  variables {
    autoscaler = "external"
    max_count  = 4
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "external_without_an_end" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "external_with_crossed_bounds" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    min_count     = 5
    max_count     = 4
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "lower_bound_of_a_managed_pool" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "backstop_against_an_autoscaler" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
    backstop      = [{ days = ["fri"], time = "20:00" }]
  }

  expect_failures = [aws_autoscaling_group.this]
}

run "strange_capacity" {
  command = plan

  variables {
    capacity_type = "prepaid"
  }

  expect_failures = [var.capacity_type]
}

run "b107_capacity_block_without_id" {
  command = plan

  variables {
    capacity_type    = "reserved"
    reservation_kind = "capacity_block"
  }

  expect_failures = [aws_launch_template.this]
}

run "reserved_without_reservation" {
  command = plan

  variables {
    capacity_type = "reserved"
  }

  expect_failures = [aws_launch_template.this]
}

run "reservation_on_demand" {
  command = plan

  variables {
    reservation_id = "cr-0123456789abcdef0"
  }

  expect_failures = [aws_launch_template.this]
}

run "capacity_block_on_demand" {
  command = plan

  variables {
    reservation_kind = "capacity_block"
  }

  expect_failures = [aws_launch_template.this]
}

run "reservation_in_no_zone" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "cr-0123456789abcdef0"
    zones          = ["use1-az1", "use1-az2"]
  }

  # A warning: the group goes on until it comes to the reservation's zone.
  expect_failures = [check.reservation_zone]
}

run "reservation_not_a_reservation" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "mine"
  }

  expect_failures = [var.reservation_id]
}

run "strange_reservation" {
  command = plan

  variables {
    reservation_kind = "prepaid"
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

run "cluster_network_without_efa" {
  command = plan

  variables {
    cluster_network = true
    instance_type   = "g5.xlarge"
  }

  expect_failures = [aws_launch_template.this]
}

run "cluster_network_over_zones" {
  command = plan

  variables {
    cluster_network = true
    zones           = ["use1-az1", "use1-az2"]
  }

  expect_failures = [aws_launch_template.this]
}

run "public_address_on_several_cards" {
  command = plan

  variables {
    cluster_network = true
    public_ip       = true
  }

  expect_failures = [aws_launch_template.this]
}

run "placement_group_without_cluster_network" {
  command = plan

  variables {
    placement_group = "mine"
  }

  expect_failures = [aws_launch_template.this]
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
    backstop = [{ days = ["fri"], time = "24:00" }]
  }

  expect_failures = [var.backstop]
}

run "name_too_short" {
  command = plan

  variables {
    name = "x"
  }

  expect_failures = [var.name]
}

run "place_not_hex" {
  command = plan

  variables {
    place = "training"
  }

  expect_failures = [var.place]
}

run "region_not_a_region" {
  command = plan

  variables {
    region = "virginia"
    zones  = []
  }

  expect_failures = [var.region]
}

run "instance_type_not_a_type" {
  command = plan

  variables {
    instance_type = "p4d"
  }

  expect_failures = [var.instance_type]
}

run "no_gpu" {
  command = plan

  variables {
    gpu = { type = "A100-40GB", count = 0 }
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

run "part_of_a_node" {
  command = plan

  variables {
    desired_count = 1.5
  }

  expect_failures = [var.desired_count]
}

run "less_than_no_node" {
  command = plan

  variables {
    desired_count = -1
    max_count     = 1
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
    max_price_per_node_hour = "0.00"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "cap_with_exponent" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "5e-1"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "label_of_ours" {
  command = plan

  variables {
    labels = { Pool = "mine" }
  }

  expect_failures = [var.labels]
}

run "label_of_the_cloud" {
  command = plan

  variables {
    labels = { "aws:team" = "mine" }
  }

  expect_failures = [var.labels]
}

run "network_too_small" {
  command = plan

  variables {
    network_cidr = "10.0.0.0/28"
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
    ports = [70000]
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
