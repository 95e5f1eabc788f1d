# What a pool is made of. No cloud is asked: the provider is a mock.

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

run "on_demand" {
  command = plan

  assert {
    condition     = alicloud_ess_scaling_configuration.this.spot_strategy == "NoSpot" && length(alicloud_ess_scaling_configuration.this.spot_price_limit) == 0
    error_message = "On-demand nodes have no limit."
  }

  assert {
    condition     = alicloud_ess_scaling_group.this.desired_capacity == 2 && alicloud_ess_scaling_group.this.min_size == 0 && alicloud_ess_scaling_group.this.max_size == 2
    error_message = "The group has the size asked for, and room to be emptied."
  }

  assert {
    condition     = alicloud_ess_scaling_group.this.scaling_policy == "release" && alicloud_ess_scaling_group.this.group_deletion_protection == false
    error_message = "Nodes that go are gone, and so may the group be."
  }

  assert {
    condition     = alicloud_ess_scaling_configuration.this.active == true && alicloud_ess_scaling_configuration.this.enable == true
    error_message = "The group works by this configuration."
  }

  assert {
    condition     = output.instance_type == "ecs.gn7i-c8g1.2xlarge" && output.capacity_type == "on_demand" && output.desired_count == 2
    error_message = "Outputs say what was asked for."
  }
}

run "spot_with_cap" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "12.10"
  }

  assert {
    condition = (
      alicloud_ess_scaling_configuration.this.spot_strategy == "SpotWithPriceLimit" &&
      one(alicloud_ess_scaling_configuration.this.spot_price_limit).price_limit == 12.1 &&
      one(alicloud_ess_scaling_configuration.this.spot_price_limit).instance_type == var.instance_type
    )
    error_message = "The cap is the limit of the only type."
  }
}

run "third_decimal_of_a_cap_is_cut_off" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "0.029"
  }

  assert {
    condition     = one(alicloud_ess_scaling_configuration.this.spot_price_limit).price_limit == 0.02
    error_message = "The provider would round it, here up."
  }
}

run "spot_without_cap" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  assert {
    condition     = alicloud_ess_scaling_configuration.this.spot_strategy == "SpotAsPriceGo" && length(alicloud_ess_scaling_configuration.this.spot_price_limit) == 0
    error_message = "No cap means none rendered."
  }
}

run "size_zero_is_a_size" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = alicloud_ess_scaling_group.this.desired_capacity == 0 && alicloud_ess_scaling_group.this.max_size == 0
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
    condition     = alicloud_ess_scaling_group.this.desired_capacity == null && alicloud_ess_scaling_group.this.min_size == 1 && alicloud_ess_scaling_group.this.max_size == 4
    error_message = "The bounds are ours, the size is not."
  }
}

run "made_empty_its_bounds_are_its_size" {
  command = apply

  variables {
    desired_count = 0
    max_count     = 8
    backstop      = [{ days = ["sun"], time = "00:30" }]
  }

  assert {
    condition     = alicloud_ess_scaling_group.this.max_size == 0 && alicloud_ess_scaling_group.this.desired_capacity == 0
    error_message = "The provider sends no 0 at creation: the group is made without a number of nodes expected."
  }

  assert {
    condition     = values(alicloud_ess_scheduled_task.backstop)[0].desired_capacity == null && values(alicloud_ess_scheduled_task.backstop)[0].max_value == 0
    error_message = "A task cannot set what the group does not have."
  }
}

run "and_stay_its_size" {
  command = apply

  variables {
    desired_count = 3
    max_count     = 8
  }

  assert {
    condition     = alicloud_ess_scaling_group.this.min_size == 3 && alicloud_ess_scaling_group.this.max_size == 3 && alicloud_ess_scaling_group.this.desired_capacity == null
    error_message = "What was made without a number expected never has one."
  }

  assert {
    condition     = output.desired_count == 3
    error_message = "The size is told all the same."
  }
}

run "backstop" {
  command = plan

  variables {
    backstop = [{ days = ["tue", "sun", "mon"], time = "22:05" }, { days = ["mon"], time = "00:00" }]
  }

  assert {
    condition = (
      alicloud_ess_scheduled_task.backstop["tue-sun-mon-2205"].recurrence_value == "5 22 ? * 1,2,7" &&
      alicloud_ess_scheduled_task.backstop["mon-0000"].recurrence_value == "0 0 ? * 1"
    )
    error_message = "The schedule is in UTC, and Monday is its day 1."
  }

  assert {
    condition = alltrue([
      for task in alicloud_ess_scheduled_task.backstop : length(task.scheduled_task_name) <= 40
    ])
    error_message = "A task's name has at most 40 characters."
  }
}

run "tags_everywhere" {
  command = plan

  assert {
    condition     = alicloud_ess_scaling_configuration.this.tags == tomap({ team = "research", managed-by = "multicloud", policy = "daynight", pool = "inference", place = local.place }) && alicloud_ess_scaling_group.this.tags == alicloud_ess_scaling_configuration.this.tags
    error_message = "Group and nodes say whose they are."
  }

  assert {
    condition     = local.place == substr(sha256("alibaba|cn-hangzhou|cn-hangzhou-i,cn-hangzhou-j|ecs.gn7i-c8g1.2xlarge|on_demand"), 0, 8)
    error_message = "A place that is not given is computed from what it is."
  }
}

run "node_is_closed" {
  command = plan

  assert {
    condition     = alicloud_ess_scaling_configuration.this.internet_max_bandwidth_out == 0
    error_message = "No public address by default."
  }

  assert {
    condition     = length(alicloud_security_group_rule.port) == 0 && alicloud_security_group.this.inner_access_policy == "Accept"
    error_message = "Nodes of the pool reach each other, and nobody else reaches them."
  }

  assert {
    condition     = alicloud_ess_scaling_configuration.this.system_disk_encrypted == true
    error_message = "The system disk is encrypted."
  }
}

run "public_node_with_a_key_and_a_script" {
  command = plan

  variables {
    public_ip      = true
    ports          = [22, 8888]
    ssh_public_key = "ssh-ed25519 AAAA test"
    startup_base64 = "IyEvYmluL3NoCg=="
  }

  assert {
    condition     = alicloud_ess_scaling_configuration.this.internet_max_bandwidth_out == 100
    error_message = "A public address when asked for."
  }

  assert {
    condition     = toset([for rule in alicloud_security_group_rule.port : rule.port_range]) == toset(["22/22", "8888/8888"])
    error_message = "The ports asked for are open."
  }

  assert {
    condition     = alicloud_ecs_key_pair.this[0].public_key == "ssh-ed25519 AAAA test" && alicloud_ess_scaling_configuration.this.user_data == "IyEvYmluL3NoCg=="
    error_message = "Key and script are passed on."
  }
}

run "key_pair_in_the_grammar_of_its_name" {
  command = plan

  variables {
    name           = "a.b-c"
    ssh_public_key = "ssh-ed25519 AAAA test"
  }

  assert {
    condition     = can(regex("^a-b-c-[0-9a-f]{8}$", alicloud_ecs_key_pair.this[0].key_pair_name))
    error_message = "A pair's name takes no dot, and another key is another pair."
  }
}

run "given_key" {
  command = plan

  variables {
    key_id = "shared"
  }

  assert {
    condition     = alicloud_ess_scaling_configuration.this.key_name == "shared" && length(alicloud_ecs_key_pair.this) == 0
    error_message = "A key pair that exists is used by its name."
  }
}

run "resource_group" {
  command = plan

  variables {
    resource_group_id = "rg-1"
    ssh_public_key    = "ssh-ed25519 AAAA test"
  }

  assert {
    condition = toset(["rg-1"]) == toset([
      alicloud_vpc.this[0].resource_group_id,
      alicloud_security_group.this.resource_group_id,
      alicloud_ecs_key_pair.this[0].resource_group_id,
      alicloud_ess_scaling_group.this.resource_group_id,
      alicloud_ess_scaling_configuration.this.resource_group_id,
    ])
    error_message = "All that can be in a resource group is in it."
  }
}

run "network_of_its_own" {
  command = plan

  assert {
    condition     = { for zone, one in alicloud_vswitch.this : zone => one.cidr_block } == { cn-hangzhou-i = "10.64.0.0/20", cn-hangzhou-j = "10.64.16.0/20" }
    error_message = "One VSwitch per zone, whatever the order in which zones were given."
  }
}

run "every_zone_that_sells_the_type" {
  command = plan

  variables {
    zones = []
  }

  assert {
    condition     = toset(keys(alicloud_vswitch.this)) == toset(["cn-hangzhou-i", "cn-hangzhou-j"])
    error_message = "Without zones the group spans all that sell the type."
  }
}

run "given_network" {
  command = plan

  variables {
    network_id = "vpc-1"
    subnet_ids = ["vsw-far", "vsw-near"]
  }

  assert {
    condition     = length(alicloud_vpc.this) == 0 && alicloud_security_group.this.vpc_id == "vpc-1" && alicloud_ess_scaling_group.this.vswitch_ids == toset(["vsw-near"])
    error_message = "Nothing is made that was given, and only what is in the zones is used."
  }
}

run "image_is_looked_up" {
  command = plan

  assert {
    condition     = alicloud_ess_scaling_configuration.this.image_id == "ubuntu_1"
    error_message = "The image found is the image used."
  }
}

run "given_image" {
  command = plan

  variables {
    image_id = "m-1"
  }

  assert {
    condition     = alicloud_ess_scaling_configuration.this.image_id == "m-1" && length(data.alicloud_images.gpu) == 0
    error_message = "An image that was given is not looked up."
  }
}
