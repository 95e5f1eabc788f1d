# What a pool is made of. No cloud is asked: the provider is a mock.

mock_provider "aws" {
  mock_data "aws_ami" {
    defaults = { id = "ami-0aaaaaaaaaaaaaaaa" }
  }

  mock_data "aws_availability_zones" {
    defaults = { zone_ids = ["use1-az2", "use1-az1"] }
  }

  mock_data "aws_subnets" {
    defaults = { ids = ["subnet-1"] }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "training"
  region        = "us-east-1"
  zones         = ["use1-az2", "use1-az1"]
  instance_type = "p4d.24xlarge"
  gpu           = { type = "A100-40GB", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "on_demand" {
  command = plan

  assert {
    condition     = length(aws_autoscaling_group.this.mixed_instances_policy) == 0 && length(aws_autoscaling_group.this.launch_template) == 1
    error_message = "On-demand nodes come straight from the template."
  }

  assert {
    condition = (
      aws_autoscaling_group.this.desired_capacity == 2 && aws_autoscaling_group.this.max_size == 2 &&
      aws_autoscaling_group.this.min_size == 0 && aws_autoscaling_group.this.desired_capacity_type == "units"
    )
    error_message = "The group has the size asked for, and room to be emptied."
  }

  assert {
    condition     = aws_autoscaling_group.this.wait_for_capacity_timeout == "0"
    error_message = "Terraform must not wait for nodes."
  }

  assert {
    condition     = contains(aws_autoscaling_group.this.suspended_processes, "AZRebalance")
    error_message = "Balancing over zones would end nodes that work."
  }

  assert {
    condition     = length(aws_launch_template.this.instance_market_options) == 0
    error_message = "The template has no market options."
  }

  assert {
    condition     = output.instance_type == "p4d.24xlarge" && output.capacity_type == "on_demand" && output.desired_count == 2
    error_message = "Outputs say what was asked for."
  }
}

run "node_is_closed" {
  command = plan

  assert {
    condition     = aws_launch_template.this.metadata_options[0].http_tokens == "required"
    error_message = "Version 1 of the metadata service is off."
  }

  assert {
    condition     = aws_launch_template.this.metadata_options[0].http_put_response_hop_limit == 2
    error_message = "Containers reach the metadata service, nothing further away does."
  }

  assert {
    condition     = aws_launch_template.this.block_device_mappings[0].ebs[0].encrypted == "true"
    error_message = "The root disk is encrypted."
  }

  assert {
    condition     = aws_launch_template.this.network_interfaces[0].associate_public_ip_address == "false"
    error_message = "No public address by default."
  }

  assert {
    condition     = length(aws_vpc_security_group_ingress_rule.port) == 0 && aws_vpc_security_group_ingress_rule.pool.cidr_ipv4 == null
    error_message = "No port is open to the outside by default."
  }

  assert {
    condition     = length(aws_internet_gateway.this) == 0 && length(aws_route.out) == 0
    error_message = "The network made has no way in or out."
  }
}

run "spot_with_cap" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "12.00"
  }

  assert {
    condition     = length(aws_autoscaling_group.this.launch_template) == 0 && length(aws_launch_template.this.instance_market_options) == 0
    error_message = "A mixed policy and market options in the template exclude each other."
  }

  assert {
    condition     = aws_autoscaling_group.this.mixed_instances_policy[0].instances_distribution[0].spot_max_price == "12.00"
    error_message = "The cap is rendered as it was given, for a whole node."
  }

  assert {
    condition = (
      aws_autoscaling_group.this.mixed_instances_policy[0].instances_distribution[0].on_demand_base_capacity == 0 &&
      aws_autoscaling_group.this.mixed_instances_policy[0].instances_distribution[0].on_demand_percentage_above_base_capacity == 0
    )
    error_message = "Every node of a spot pool is a spot node."
  }

  assert {
    condition     = [for override in aws_autoscaling_group.this.mixed_instances_policy[0].launch_template[0].override : override.instance_type] == ["p4d.24xlarge"]
    error_message = "One type, named once."
  }
}

run "spot_without_cap" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  assert {
    condition     = try(aws_autoscaling_group.this.mixed_instances_policy[0].instances_distribution[0].spot_max_price, null) == null
    error_message = "No cap means none rendered, never 0."
  }
}

run "size_zero_is_a_size" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = aws_autoscaling_group.this.desired_capacity == 0 && aws_autoscaling_group.this.max_size == 0
    error_message = "0 must be planned as 0."
  }
}

run "tags_everywhere" {
  command = plan

  assert {
    condition = aws_launch_template.this.tags == tomap({
      Name       = "daynight-training-${local.place}"
      managed-by = "multicloud"
      policy     = "daynight"
      pool       = "training"
      place      = local.place
      team       = "research"
    })
    error_message = "Resources say whose they are."
  }

  assert {
    condition     = alltrue([for tag in aws_autoscaling_group.this.tag : tag.propagate_at_launch]) && length(aws_autoscaling_group.this.tag) == 6
    error_message = "Nodes get every tag of the group."
  }

  assert {
    condition     = toset([for spec in aws_launch_template.this.tag_specifications : spec.resource_type]) == toset(["instance", "volume", "network-interface"])
    error_message = "Disks and interfaces are tagged too."
  }

  assert {
    condition     = local.place == substr(sha256("aws|us-east-1|use1-az1,use1-az2|p4d.24xlarge|on_demand"), 0, 8)
    error_message = "A place that is not given is computed from what it is."
  }
}

run "network_of_its_own" {
  command = plan

  assert {
    condition     = { for zone, subnet in aws_subnet.this : zone => subnet.cidr_block } == { use1-az1 = "10.64.0.0/20", use1-az2 = "10.64.16.0/20" }
    error_message = "One subnet per zone, whatever the order in which zones were given."
  }
}

run "every_zone_of_the_region" {
  command = plan

  variables {
    zones = []
  }

  assert {
    condition     = toset(keys(aws_subnet.this)) == toset(["use1-az1", "use1-az2"])
    error_message = "Without zones the group spans all that are open."
  }
}

run "public_network" {
  command = plan

  variables {
    public_ip = true
    ports     = [22, 8888]
  }

  assert {
    condition     = length(aws_internet_gateway.this) == 1 && length(aws_route_table_association.this) == 2
    error_message = "Public nodes have a way out."
  }

  assert {
    condition     = toset(keys(aws_vpc_security_group_ingress_rule.port)) == toset(["22-0.0.0.0/0", "8888-0.0.0.0/0"])
    error_message = "The ports asked for are open, no other."
  }
}

run "given_network" {
  command = plan

  variables {
    network_id = "vpc-1"
    subnet_ids = ["subnet-1", "subnet-2"]
  }

  assert {
    condition     = length(aws_vpc.this) == 0 && length(aws_subnet.this) == 0 && aws_security_group.this.vpc_id == "vpc-1"
    error_message = "Nothing is made that was given."
  }

  assert {
    condition     = aws_autoscaling_group.this.vpc_zone_identifier == toset(["subnet-1"])
    error_message = "Only the subnets in the zones asked for are used."
  }
}

run "image_is_looked_up" {
  command = plan

  assert {
    condition     = aws_launch_template.this.image_id == "ami-0aaaaaaaaaaaaaaaa" && local.root_device == "/dev/sda1"
    error_message = "The image found is the image used."
  }
}

run "older_gpus_have_an_older_image" {
  command = plan

  variables {
    instance_type = "p3.2xlarge"
    gpu           = { type = "V100", count = 1 }
  }

  assert {
    condition     = aws_launch_template.this.block_device_mappings[0].device_name == "/dev/xvda"
    error_message = "The disk's name is that of the image."
  }
}

run "given_image_key_and_script" {
  command = plan

  variables {
    image_id       = "ami-0bbbbbbbbbbbbbbbb"
    ssh_public_key = "ssh-ed25519 AAAA test"
    startup_base64 = "IyEvYmluL3NoCg=="
    disk_gib       = 500
  }

  assert {
    condition     = aws_launch_template.this.image_id == "ami-0bbbbbbbbbbbbbbbb" && length(data.aws_ami.gpu) == 0
    error_message = "An image that was given is not looked up."
  }

  assert {
    condition     = aws_key_pair.this[0].public_key == "ssh-ed25519 AAAA test" && aws_launch_template.this.key_name == aws_key_pair.this[0].key_name
    error_message = "The key let in is the one given."
  }

  assert {
    condition     = aws_launch_template.this.user_data == "IyEvYmluL3NoCg==" && aws_launch_template.this.block_device_mappings[0].ebs[0].volume_size == 500
    error_message = "Script and disk are passed on."
  }
}

run "reserved" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "cr-0123456789abcdef0"
    zones          = ["use1-az1"]
  }

  assert {
    condition     = aws_launch_template.this.capacity_reservation_specification[0].capacity_reservation_target[0].capacity_reservation_id == "cr-0123456789abcdef0"
    error_message = "Nodes come out of the reservation named, and of no other."
  }

  assert {
    condition     = length(aws_launch_template.this.instance_market_options) == 0 && length(aws_autoscaling_group.this.mixed_instances_policy) == 0
    error_message = "A reservation on demand has no market of its own."
  }

  assert {
    condition     = output.capacity_type == "reserved"
    error_message = "Outputs say how nodes are bought."
  }
}

run "b107_capacity_block" {
  command = plan

  variables {
    capacity_type    = "reserved"
    reservation_id   = "cr-0123456789abcdef0"
    reservation_kind = "capacity_block"
    zones            = ["use1-az1"]
  }

  assert {
    condition     = aws_launch_template.this.instance_market_options[0].market_type == "capacity-block" && length(aws_launch_template.this.instance_market_options[0].spot_options) == 0
    error_message = "A block is a market of its own, without spot options."
  }

  assert {
    condition     = aws_launch_template.this.capacity_reservation_specification[0].capacity_reservation_target[0].capacity_reservation_id == "cr-0123456789abcdef0"
    error_message = "Market and target go together."
  }

  assert {
    condition     = length(aws_autoscaling_group.this.launch_template) == 1 && length(aws_autoscaling_group.this.mixed_instances_policy) == 0
    error_message = "The group takes the template as it is: a mixed policy refuses market options."
  }
}

run "no_reservation_by_default" {
  command = plan

  assert {
    condition     = length(aws_launch_template.this.capacity_reservation_specification) == 0
    error_message = "On-demand nodes do not look for a reservation that is not theirs."
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
    condition     = aws_autoscaling_group.this.min_size == 1 && aws_autoscaling_group.this.max_size == 8
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
    condition     = aws_autoscaling_group.this.desired_capacity == 0 && aws_autoscaling_group.this.max_size == 0
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
    condition     = aws_autoscaling_group.this.min_size == 0
    error_message = "Without a lower bound the group may be empty."
  }
}

run "cluster_network" {
  command = plan

  variables {
    cluster_network = true
    zones           = ["use1-az1"]
  }

  assert {
    condition = [for one in aws_launch_template.this.network_interfaces : [one.network_card_index, one.device_index, one.interface_type]] == [
      [0, 0, "efa"], [1, 1, "efa-only"], [2, 1, "efa-only"], [3, 1, "efa-only"],
    ]
    error_message = "One EFA on each of the four cards; only the first has an address too."
  }

  assert {
    condition     = alltrue([for one in aws_launch_template.this.network_interfaces : one.associate_public_ip_address == null && one.delete_on_termination == "true"])
    error_message = "With several interfaces nothing may be said of public addresses."
  }

  assert {
    condition     = aws_placement_group.this[0].strategy == "cluster" && aws_autoscaling_group.this.placement_group == aws_placement_group.this[0].name
    error_message = "Nodes are put close to each other."
  }

  assert {
    condition     = length(aws_vpc_security_group_egress_rule.pool) == 1
    error_message = "EFA needs a rule for what goes out to the group itself."
  }
}

run "cluster_network_of_32_cards" {
  command = plan

  variables {
    cluster_network = true
    zones           = ["use1-az1"]
    instance_type   = "p5.48xlarge"
    gpu             = { type = "H100-SXM5", count = 8 }
  }

  assert {
    condition     = toset([for one in aws_launch_template.this.network_interfaces : one.network_card_index]) == toset(range(32))
    error_message = "Every card has its interface."
  }
}

run "cluster_network_beside_a_plain_card" {
  command = plan

  variables {
    cluster_network = true
    zones           = ["use1-az1"]
    instance_type   = "p6-b300.48xlarge"
    gpu             = { type = "B300", count = 8 }
  }

  assert {
    condition = (
      aws_launch_template.this.network_interfaces[0].interface_type == "interface" &&
      length([for one in aws_launch_template.this.network_interfaces : one if one.interface_type == "efa-only"]) == 16
    )
    error_message = "The first of the 17 cards has no EFA."
  }
}

run "cluster_network_of_one_card" {
  command = plan

  variables {
    cluster_network = true
    zones           = ["use1-az1"]
    instance_type   = "g5.48xlarge"
    gpu             = { type = "A10G", count = 8 }
    public_ip       = true
  }

  assert {
    condition = (
      length(aws_launch_template.this.network_interfaces) == 1 &&
      aws_launch_template.this.network_interfaces[0].interface_type == "efa" &&
      aws_launch_template.this.network_interfaces[0].associate_public_ip_address == "true"
    )
    error_message = "One interface does EFA and has the public address."
  }
}

run "cluster_network_in_a_reservation" {
  command = plan

  variables {
    cluster_network = true
    zones           = ["use1-az1"]
    capacity_type   = "reserved"
    reservation_id  = "cr-0123456789abcdef0"
  }

  assert {
    condition     = length(aws_placement_group.this) == 0 && aws_autoscaling_group.this.placement_group == null
    error_message = "The reservation says where its nodes are: another group would have no room in it."
  }

  assert {
    condition     = length(aws_launch_template.this.network_interfaces) == 4
    error_message = "Its nodes have EFA all the same."
  }
}

run "given_placement_group" {
  command = plan

  variables {
    cluster_network = true
    placement_group = "mine"
    network_id      = "vpc-1"
    subnet_ids      = ["subnet-1"]
    zones           = []
  }

  assert {
    condition     = length(aws_placement_group.this) == 0 && aws_autoscaling_group.this.placement_group == "mine"
    error_message = "Nothing is made that was given; one subnet is one zone."
  }
}

run "no_cluster_network_by_default" {
  command = plan

  assert {
    condition = (
      length(aws_launch_template.this.network_interfaces) == 1 && aws_launch_template.this.network_interfaces[0].interface_type == null &&
      length(aws_placement_group.this) == 0 && length(aws_vpc_security_group_egress_rule.pool) == 0
    )
    error_message = "Types that could have EFA have a plain interface unless it is asked for."
  }
}

run "backstop" {
  command = plan

  variables {
    backstop = [
      { days = ["fri", "mon", "mon"], time = "20:05" },
      { days = ["sun"], time = "00:00" },
      { days = ["sun"], time = "00:00" },
    ]
  }

  assert {
    condition     = { for key, action in aws_autoscaling_schedule.backstop : key => action.recurrence } == { fri-mon-mon-2005 = "5 20 * * 1,5", sun-0000 = "0 0 * * 0" }
    error_message = "Minute and hour in UTC, days as numbers, each time once."
  }

  assert {
    condition = alltrue([
      for action in aws_autoscaling_schedule.backstop :
      action.desired_capacity == 0 && action.min_size == -1 && action.max_size == -1 && action.time_zone == "Etc/UTC"
    ])
    error_message = "The group is emptied; its bounds stay."
  }
}
