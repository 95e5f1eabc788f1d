# What a pool is made of. No cloud is asked: the provider is a mock.

mock_provider "tencentcloud" {
  mock_data "tencentcloud_images" {
    defaults = { images = [{ image_id = "img-aaaaaaaa" }] }
  }

  mock_data "tencentcloud_availability_zones_by_product" {
    defaults = { zones = [{ name = "ap-guangzhou-6" }, { name = "ap-guangzhou-3" }] }
  }

  mock_data "tencentcloud_vpc_subnets" {
    defaults = {
      instance_list = [
        { subnet_id = "subnet-1", availability_zone = "ap-guangzhou-6" },
        { subnet_id = "subnet-2", availability_zone = "ap-guangzhou-4" },
      ]
    }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "inference"
  region        = "ap-guangzhou"
  zones         = ["ap-guangzhou-6", "ap-guangzhou-3"]
  instance_type = "GN7.5XLARGE80"
  gpu           = { type = "T4", count = 1 }
  capacity_type = "on_demand"
  desired_count = 4
  labels        = { team = "research" }
}

run "on_demand" {
  command = plan

  assert {
    condition = (
      tencentcloud_as_scaling_config.this.instance_charge_type == null &&
      tencentcloud_as_scaling_config.this.spot_instance_type == null &&
      tencentcloud_as_scaling_config.this.spot_max_price == null
    )
    error_message = "On-demand is what is bought without any of the three."
  }

  assert {
    condition     = tencentcloud_as_scaling_config.this.instance_types == tolist(["GN7.5XLARGE80"])
    error_message = "One type, the one asked for."
  }

  assert {
    condition = (
      tencentcloud_as_scaling_group.this.desired_capacity == 4 && tencentcloud_as_scaling_group.this.max_size == 4 &&
      tencentcloud_as_scaling_group.this.min_size == 0
    )
    error_message = "The group has the size asked for, and room to be emptied."
  }

  assert {
    condition     = output.instance_type == "GN7.5XLARGE80" && output.capacity_type == "on_demand" && output.desired_count == 4
    error_message = "Outputs say what was asked for."
  }
}

run "node_is_closed" {
  command = plan

  assert {
    condition     = tencentcloud_as_scaling_config.this.public_ip_assigned == false && tencentcloud_as_scaling_config.this.internet_max_bandwidth_out == 0
    error_message = "No public address by default."
  }

  assert {
    condition     = length([for rule in tencentcloud_security_group_rule_set.this.ingress : rule if rule.cidr_block != null]) == 0
    error_message = "No port is open to the outside by default; only the pool's own nodes are let in."
  }
}

run "spot_with_cap" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "0.70"
  }

  assert {
    condition = (
      tencentcloud_as_scaling_config.this.instance_charge_type == "SPOTPAID" &&
      tencentcloud_as_scaling_config.this.spot_instance_type == "one-time" &&
      tencentcloud_as_scaling_config.this.spot_max_price == "0.70"
    )
    error_message = "Spot needs all three, the bid as it was given."
  }
}

run "spot_without_cap" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  assert {
    condition     = tencentcloud_as_scaling_config.this.spot_max_price == "1000"
    error_message = "The API takes no spot request without a bid: one that never decides stands in."
  }

  assert {
    condition     = tencentcloud_as_scaling_config.this.configuration_name == "${local.name}-${local.revision}"
    error_message = "A configuration is named after its bid, so that a new one can stand beside the old one."
  }
}

run "size_zero_is_a_size" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = tencentcloud_as_scaling_group.this.desired_capacity == 0 && tencentcloud_as_scaling_group.this.max_size == 0
    error_message = "0 must be planned as 0."
  }
}

run "tags_everywhere" {
  command = plan

  assert {
    condition = tencentcloud_as_scaling_config.this.instance_tags == tomap({
      managed-by = "multicloud"
      policy     = "daynight"
      pool       = "inference"
      place      = local.place
      team       = "research"
    })
    error_message = "Nodes say whose they are."
  }

  assert {
    condition     = tencentcloud_as_scaling_group.this.tags == tencentcloud_as_scaling_config.this.instance_tags
    error_message = "The group says it too."
  }

  assert {
    condition     = local.place == substr(sha256("tencent|ap-guangzhou|ap-guangzhou-3,ap-guangzhou-6|GN7.5XLARGE80|on_demand"), 0, 8)
    error_message = "A place that is not given is computed from what it is."
  }
}

run "network_of_its_own" {
  command = plan

  assert {
    condition = { for zone, subnet in tencentcloud_subnet.this : zone => subnet.cidr_block } == {
      ap-guangzhou-3 = "10.64.0.0/20", ap-guangzhou-6 = "10.64.16.0/20"
    }
    error_message = "One subnet per zone, whatever the order in which zones were given."
  }
}

run "every_zone_of_the_region" {
  command = plan

  variables {
    zones = []
  }

  assert {
    condition     = toset(keys(tencentcloud_subnet.this)) == toset(["ap-guangzhou-3", "ap-guangzhou-6"])
    error_message = "Without zones the group spans all where machines are sold."
  }
}

run "public_nodes" {
  command = plan

  variables {
    public_ip = true
    ports     = [22]
  }

  assert {
    condition     = tencentcloud_as_scaling_config.this.public_ip_assigned && tencentcloud_as_scaling_config.this.internet_max_bandwidth_out > 0
    error_message = "An address without bandwidth reaches nothing."
  }

  assert {
    condition     = toset([for rule in tencentcloud_security_group_rule_set.this.ingress : rule.port if rule.cidr_block == "0.0.0.0/0"]) == toset(["22"])
    error_message = "The port asked for is open, no other."
  }
}

run "given_network" {
  command = plan

  variables {
    network_id = "vpc-1"
    subnet_ids = ["subnet-1", "subnet-2"]
  }

  assert {
    condition     = length(tencentcloud_vpc.this) == 0 && tencentcloud_as_scaling_group.this.vpc_id == "vpc-1"
    error_message = "Nothing is made that was given."
  }

  assert {
    condition     = tencentcloud_as_scaling_group.this.subnet_ids == tolist(["subnet-1"])
    error_message = "Only the subnets in the zones asked for are used."
  }
}

run "image_is_looked_up" {
  command = plan

  assert {
    condition     = tencentcloud_as_scaling_config.this.image_id == "img-aaaaaaaa"
    error_message = "The image found is the image used."
  }
}

run "given_image_key_and_script" {
  command = plan

  variables {
    image_id       = "img-bbbbbbbb"
    key_id         = "skey-1"
    startup_base64 = "IyEvYmluL3NoCg=="
    disk_gib       = 500
  }

  assert {
    condition     = tencentcloud_as_scaling_config.this.image_id == "img-bbbbbbbb" && length(data.tencentcloud_images.gpu) == 0
    error_message = "An image that was given is not looked up."
  }

  assert {
    condition = (
      tencentcloud_as_scaling_config.this.key_ids == tolist(["skey-1"]) &&
      tencentcloud_as_scaling_config.this.user_data == "IyEvYmluL3NoCg==" &&
      tencentcloud_as_scaling_config.this.system_disk_size == 500
    )
    error_message = "Key, script and disk are passed on."
  }
}

run "key_pair_of_its_own" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAA test"
  }

  assert {
    condition     = can(regex("^[A-Za-z0-9_]{1,25}$", tencentcloud_key_pair.this[0].key_name))
    error_message = "A key pair's name has letters, digits and underscores, 25 at most."
  }
}

run "share_of_a_gpu" {
  command = plan

  variables {
    instance_type = "GN7.LARGE20"
    gpu           = { type = "T4", count = 0.25 }
  }

  assert {
    condition     = tencentcloud_as_scaling_config.this.instance_types == tolist(["GN7.LARGE20"]) && output.instance_type == "GN7.LARGE20"
    error_message = "A quarter of a GPU is a node like any other."
  }

  assert {
    condition     = strcontains(tencentcloud_security_group.this.description, "0.25 x T4")
    error_message = "People read what a node has."
  }
}

run "external" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    min_count     = 1
    max_count     = 8
  }

  assert {
    condition     = tencentcloud_as_scaling_group.this.min_size == 1 && tencentcloud_as_scaling_group.this.max_size == 8
    error_message = "The bounds are ours."
  }
}

run "external_with_no_room" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 0
  }

  assert {
    condition     = tencentcloud_as_scaling_group.this.desired_capacity == 0 && tencentcloud_as_scaling_group.this.max_size == 0
    error_message = "An emptied group is empty, whoever decided before."
  }
}

run "external_from_nothing" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 8
  }

  assert {
    condition     = tencentcloud_as_scaling_group.this.min_size == 0
    error_message = "Without a lower bound the group may be empty."
  }
}

run "backstop" {
  command = plan

  variables {
    backstop = [
      { days = ["mon", "fri"], time = "15:59" },
      { days = ["fri", "sat", "sat"], time = "16:00" },
      { days = ["sun"], time = "00:05" },
      { days = ["sun"], time = "00:05" },
    ]
  }

  assert {
    condition = { for key, action in tencentcloud_as_schedule.backstop : key => action.recurrence } == {
      mon-fri-1559     = "59 23 * * 1,5"
      fri-sat-sat-1600 = "0 0 * * 0,6"
      sun-0005         = "5 8 * * 0"
    }
    error_message = "Beijing is 8 hours on: from 16:00 UTC it is the next day there."
  }

  assert {
    condition = alltrue([
      for action in tencentcloud_as_schedule.backstop :
      action.desired_capacity == 0 && action.min_size == 0 && action.max_size == 0 && action.end_time != null
    ])
    error_message = "The group is emptied; a recurrence needs an end."
  }
}

run "backstop_begins_at_one_of_its_times" {
  variables {
    backstop = [
      { days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], time = "20:30" },
      { days = ["wed"], time = "03:00" },
    ]
  }

  assert {
    condition     = alltrue([for action in tencentcloud_as_schedule.backstop : timecmp(action.start_time, plantimestamp()) > 0])
    error_message = "The API refuses a start that is over."
  }

  assert {
    condition     = alltrue([for action in tencentcloud_as_schedule.backstop : timecmp(action.start_time, timeadd(plantimestamp(), "169h")) < 0])
    error_message = "It is the next of its times, within a week."
  }

  assert {
    condition = (
      can(regex("T04:30:00\\+08:00$", tencentcloud_as_schedule.backstop["mon-tue-wed-thu-fri-sat-sun-2030"].start_time)) &&
      can(regex("T11:00:00\\+08:00$", tencentcloud_as_schedule.backstop["wed-0300"].start_time)) &&
      formatdate("EEE", tencentcloud_as_schedule.backstop["wed-0300"].start_time) == "Wed"
    )
    error_message = "The first is a time to act like all others."
  }
}
