locals {
  cloud       = "aws"
  is_spot     = var.capacity_type == "spot"
  is_reserved = var.capacity_type == "reserved"
  is_block    = local.is_reserved && var.reservation_kind == "capacity_block"
  is_external = var.autoscaler == "external"

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  name      = coalesce(var.name, "${substr("${var.policy_name}-${var.pool_name}", 0, 100)}-${local.place}")
  min_count = local.is_external ? coalesce(var.min_count, 0) : 0
  max_count = coalesce(var.max_count, var.desired_count, 0)

  # Somebody else's size is not said, but no room at all leaves only one.
  size = local.is_external ? (local.max_count == 0 ? 0 : null) : var.desired_count

  tags = merge({ Name = local.name }, var.labels, {
    managed-by = "multicloud"
    policy     = var.policy_name
    pool       = var.pool_name
    place      = local.place
  })

  # Zone ids begin with the region in short: us-east-1 is use1, ap-northeast-1 is apne1,
  # us-gov-west-1 is usgw1.
  region_words = split("-", var.region)
  direction = {
    north     = "n"
    south     = "s"
    east      = "e"
    west      = "w"
    central   = "c"
    gov       = "g"
    northeast = "ne"
    northwest = "nw"
    southeast = "se"
    southwest = "sw"
  }
  zone_prefix = join("", concat(
    [local.region_words[0]],
    [for word in slice(local.region_words, 1, length(local.region_words) - 1) : lookup(local.direction, word, word)],
    [local.region_words[length(local.region_words) - 1], "-"],
  ))

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  new_zones = (
    !local.makes_network ? [] : length(var.zones) > 0 ? sort(var.zones) : sort(data.aws_availability_zones.open[0].zone_ids)
  )
  # 16 blocks, one for each of the first 16 zones.
  new_subnets = { for index, zone in local.new_zones : zone => cidrsubnet(var.network_cidr, 4, index) }
  network_id  = local.makes_network ? aws_vpc.this[0].id : var.network_id
  subnet_ids = (
    local.makes_network ? [for subnet in aws_subnet.this : subnet.id] :
    length(var.zones) > 0 ? data.aws_subnets.given[0].ids : var.subnet_ids
  )

  # Volta and older GPUs need NVIDIA's closed driver, which only an older image carries.
  looks_up_image = var.image_id == null
  image_kind     = can(regex("^(p3|p3dn|g3|g3s)\\.", var.instance_type)) ? "volta" : var.architecture
  image = {
    x86_64 = { name = "Deep Learning Base OSS Nvidia Driver GPU AMI (Ubuntu 22.04) *", root = "/dev/sda1" }
    arm64  = { name = "Deep Learning ARM64 Base OSS Nvidia Driver GPU AMI (Ubuntu 22.04) *", root = "/dev/sda1" }
    volta  = { name = "Deep Learning Base Proprietary Nvidia Driver AMI (Amazon Linux 2) *", root = "/dev/xvda" }
  }[local.image_kind]
  image_id    = local.looks_up_image ? terraform_data.image[0].input : var.image_id
  root_device = coalesce(var.root_device, local.looks_up_image ? local.image.root : "/dev/sda1")

  key_name = var.ssh_public_key == null ? var.key_id : aws_key_pair.this[0].key_name

  # One entry for each time of the week: an action that changed in place would keep the old start.
  cron_days = { sun = "0", mon = "1", tue = "2", wed = "3", thu = "4", fri = "5", sat = "6" }
  backstops = {
    for stop in var.backstop : "${join("-", stop.days)}-${replace(stop.time, ":", "")}" => join(" ", [
      tonumber(split(":", stop.time)[1]), tonumber(split(":", stop.time)[0]), "*", "*",
      join(",", sort([for day in distinct(stop.days) : local.cron_days[day]])),
    ])...
  }
}

data "aws_ami" "gpu" {
  count = local.looks_up_image ? 1 : 0

  most_recent        = true
  include_deprecated = local.image_kind == "volta"
  owners             = ["amazon"]

  filter {
    name   = "name"
    values = [local.image.name]
  }
}

# Holds the image found at the first apply, so that a newer one changes nothing by itself.
# To take the newest: terraform apply -replace='module.<name>.terraform_data.image[0]'.
resource "terraform_data" "image" {
  count = local.looks_up_image ? 1 : 0

  input = data.aws_ami.gpu[0].id

  lifecycle {
    ignore_changes = [input]
  }
}

check "image" {
  assert {
    condition     = local.looks_up_image ? terraform_data.image[0].input == data.aws_ami.gpu[0].id : true
    error_message = "A newer image than the pool's is to be had; the pool keeps its own."
  }
}

resource "aws_key_pair" "this" {
  count = var.ssh_public_key == null ? 0 : 1

  key_name   = local.name
  public_key = var.ssh_public_key
  tags       = local.tags
}

resource "aws_launch_template" "this" {
  # checkov:skip=CKV_AWS_341:containers on the node reach the metadata service over one more hop
  name                   = local.name
  description            = "${var.gpu.count} x ${var.gpu.type} per node"
  image_id               = local.image_id
  instance_type          = var.instance_type
  key_name               = local.key_name
  user_data              = var.startup_base64
  update_default_version = true
  tags                   = local.tags

  block_device_mappings {
    device_name = local.root_device

    ebs {
      volume_size           = var.disk_gib
      volume_type           = "gp3"
      encrypted             = true
      delete_on_termination = true
    }
  }

  # Version 2 only: its tokens stop a tricked web process from reading credentials. Two hops let
  # a container on the node reach it, none further away.
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }

  dynamic "network_interfaces" {
    for_each = local.interfaces

    content {
      network_card_index          = network_interfaces.value.card
      device_index                = network_interfaces.value.device
      interface_type              = network_interfaces.value.type
      associate_public_ip_address = network_interfaces.value.public_ip
      security_groups             = [aws_security_group.this.id]
      delete_on_termination       = true
    }
  }

  # A node that finds no room in its reservation does not start: nothing else is bought for it.
  dynamic "capacity_reservation_specification" {
    for_each = local.is_reserved ? [1] : []

    content {
      capacity_reservation_target {
        capacity_reservation_id = var.reservation_id
      }
    }
  }

  dynamic "instance_market_options" {
    for_each = local.is_block ? [1] : []

    content {
      market_type = "capacity-block"
    }
  }

  dynamic "tag_specifications" {
    for_each = toset(["instance", "volume", "network-interface"])

    content {
      resource_type = tag_specifications.value
      tags          = local.tags
    }
  }

  lifecycle {
    precondition {
      condition     = local.is_spot || var.max_price_per_node_hour == null
      error_message = "Only spot nodes have a highest price: remove max_price_per_node_hour or set capacity_type to spot."
    }

    precondition {
      condition     = alltrue([for zone in var.zones : startswith(zone, local.zone_prefix)])
      error_message = "Zones ${jsonencode(var.zones)} are not all in ${var.region}: their ids begin with ${local.zone_prefix}."
    }

    precondition {
      condition     = (var.network_id == null) == (length(var.subnet_ids) == 0)
      error_message = "network_id and subnet_ids go together: give both, or neither to have a network made."
    }

    precondition {
      condition     = var.ssh_public_key == null || var.key_id == null
      error_message = "A node has one key: give ssh_public_key or key_id, not both."
    }

    precondition {
      condition     = !local.looks_up_image || !can(regex("^(p2|g2|g4ad)\\.", var.instance_type))
      error_message = "The image that is looked up has no driver for ${var.instance_type}: set image_id to one that has."
    }

    precondition {
      condition     = local.is_reserved == (var.reservation_id != null)
      error_message = "reserved nodes come out of a reservation: give reservation_id with capacity_type reserved, and only then."
    }

    precondition {
      condition     = local.is_reserved || var.reservation_kind == "on_demand"
      error_message = "A capacity block is a reservation: set capacity_type to reserved and give its id in reservation_id, or leave reservation_kind out."
    }

    precondition {
      condition     = !var.cluster_network || local.efa_cards > 0
      error_message = "${var.instance_type} has no EFA, as g4dn, g5, g6, g6e, g7, g7e from 8xlarge on, gr6.8xlarge, p3dn, p4d, p4de, p5, p5e, p5en and p6 have: take one of these, or set cluster_network = false."
    }

    precondition {
      condition     = !var.cluster_network || length(var.zones) == 1 || length(var.subnet_ids) == 1
      error_message = "Nodes that are close to each other are in one zone: give one in zones, or set cluster_network = false."
    }

    precondition {
      condition     = !var.public_ip || length(local.interfaces) == 1
      error_message = "A node with ${length(local.interfaces)} network interfaces, as ${var.instance_type} has for its cluster network, cannot have a public address: set public_ip = false and give a network with a way out, or set cluster_network = false."
    }

    precondition {
      condition     = var.cluster_network || var.placement_group == null
      error_message = "placement_group is for a cluster network: set cluster_network = true, or leave it out."
    }
  }
}

resource "aws_autoscaling_group" "this" {
  name                  = local.name
  min_size              = local.min_count
  max_size              = local.max_count
  desired_capacity      = local.size
  desired_capacity_type = "units"
  vpc_zone_identifier   = local.subnet_ids
  placement_group       = local.placement_group
  health_check_type     = "EC2"

  # Whoever applies looks at the nodes; Terraform does not wait for a market to deliver.
  wait_for_capacity_timeout = "0"

  # Balancing over zones would end nodes in the middle of their work.
  suspended_processes = ["AZRebalance"]

  dynamic "launch_template" {
    for_each = local.is_spot ? [] : [1]

    content {
      id      = aws_launch_template.this.id
      version = aws_launch_template.this.latest_version
    }
  }

  # Spot always goes through a mixed policy of spot only: a template with market options cannot
  # be given one later, and the group refuses both at once.
  dynamic "mixed_instances_policy" {
    for_each = local.is_spot ? [1] : []

    content {
      instances_distribution {
        on_demand_base_capacity                  = 0
        on_demand_percentage_above_base_capacity = 0
        spot_allocation_strategy                 = "price-capacity-optimized"
        spot_max_price                           = var.max_price_per_node_hour
      }

      launch_template {
        launch_template_specification {
          launch_template_id = aws_launch_template.this.id
          version            = aws_launch_template.this.latest_version
        }

        override {
          instance_type = var.instance_type
        }
      }
    }
  }

  dynamic "tag" {
    for_each = local.tags

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = true
    }
  }

  timeouts {
    delete = "20m"
  }

  lifecycle {
    precondition {
      condition     = local.is_external == (var.desired_count == null)
      error_message = "desired_count is needed with autoscaler managed, and left out with external."
    }

    precondition {
      condition     = local.is_external || var.min_count == null
      error_message = "min_count goes with autoscaler external: leave it out."
    }

    precondition {
      condition     = !local.is_external || var.max_count != null
      error_message = "An external autoscaler needs to know where to stop: give max_count."
    }

    precondition {
      condition     = local.max_count >= coalesce(var.desired_count, var.min_count, 0)
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }

    precondition {
      condition     = length(local.subnet_ids) > 0
      error_message = "None of the subnets ${jsonencode(var.subnet_ids)} is in zones ${jsonencode(var.zones)}: give one there, or other zones."
    }
  }

  # Nodes must not boot before their way out exists, and must be gone before it goes.
  depends_on = [
    aws_route.out,
    aws_route_table_association.this,
    aws_vpc_security_group_egress_rule.all,
    aws_vpc_security_group_egress_rule.pool,
    aws_vpc_security_group_ingress_rule.pool,
  ]
}

check "reservation_zone" {
  assert {
    condition     = !local.is_reserved || length(var.zones) == 1 || length(var.subnet_ids) == 1
    error_message = "A reservation is in one zone: name it alone in zones, or the group also tries where no node can start."
  }
}

# Empties the group should nobody run us; the bounds stay as they are (-1). What is applied next
# fills it again, if it still says so.
resource "aws_autoscaling_schedule" "backstop" {
  for_each = local.backstops

  autoscaling_group_name = aws_autoscaling_group.this.name
  scheduled_action_name  = "${local.name}-backstop-${each.key}"
  recurrence             = each.value[0]
  time_zone              = "Etc/UTC"
  min_size               = -1
  max_size               = -1
  desired_capacity       = 0
}
