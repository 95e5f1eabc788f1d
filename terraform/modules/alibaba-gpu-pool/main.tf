locals {
  cloud       = "alibaba"
  is_spot     = var.capacity_type == "spot"
  is_external = var.autoscaler == "external"

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  name      = coalesce(var.name, "${substr("${var.policy_name}-${var.pool_name}", 0, 55)}-${local.place}")
  max_count = try(coalesce(var.max_count, var.desired_count), 0)

  tags = merge(var.labels, {
    managed-by = "multicloud"
    policy     = var.policy_name
    pool       = var.pool_name
    place      = local.place
  })

  # The cloud takes three decimals, its provider rounds to two, which may be up: a third is cut off.
  price_limit = var.max_price_per_node_hour == null ? null : tonumber(regex("^[0-9]+(?:\\.[0-9]{1,2})?", var.max_price_per_node_hour))

  looks_up_image = var.image_id == null
  found_image_id = local.looks_up_image ? try(data.alicloud_images.gpu[0].images[0].id, "") : ""
  image_id       = local.looks_up_image ? terraform_data.image[0].input : var.image_id

  key_name = var.ssh_public_key == null ? var.key_id : alicloud_ecs_key_pair.this[0].key_pair_name

  # A group expects a number of nodes from its creation on, or never; of a group that expects none
  # the bounds are the size.
  expects  = terraform_data.expects.input
  min_size = local.is_external ? coalesce(var.min_count, 0) : local.expects ? 0 : try(coalesce(var.desired_count), 0)
  max_size = local.is_external || local.expects ? local.max_count : try(coalesce(var.desired_count), 0)
}

data "alicloud_images" "gpu" {
  count = local.looks_up_image ? 1 : 0

  owners        = "system"
  name_regex    = var.image_name
  instance_type = var.instance_type
  most_recent   = true
}

# Holds the image found at the first apply, so that a newer one changes nothing by itself.
# To take the newest: terraform apply -replace='module.<name>.terraform_data.image[0]'.
resource "terraform_data" "image" {
  count = local.looks_up_image ? 1 : 0

  input = local.found_image_id

  lifecycle {
    ignore_changes = [input]
  }
}

check "image" {
  assert {
    condition     = local.looks_up_image ? terraform_data.image[0].input == local.found_image_id : true
    error_message = "A newer image than the pool's is to be had; the pool keeps its own."
  }
}

# The provider never sends a changed key for a pair that exists, so that another key is another pair.
resource "alicloud_ecs_key_pair" "this" {
  count = var.ssh_public_key == null ? 0 : 1

  # A pair's name takes no dot.
  key_pair_name     = "${replace(local.name, ".", "-")}-${substr(sha256(trimspace(var.ssh_public_key)), 0, 8)}"
  public_key        = var.ssh_public_key
  resource_group_id = var.resource_group_id
  tags              = local.tags

  lifecycle {
    create_before_destroy = true
  }
}

# Whether the group was made with a number of nodes expected. The provider sends no 0 at creation,
# and an autoscaler's group is made without.
resource "terraform_data" "expects" {
  input = !local.is_external && try(var.desired_count > 0, false)

  lifecycle {
    ignore_changes = [input]
  }
}

resource "alicloud_ess_scaling_group" "this" {
  scaling_group_name        = local.name
  min_size                  = local.min_size
  max_size                  = local.max_size
  desired_capacity          = local.is_external || (!local.expects && local.max_size > 0) ? null : var.desired_count
  vswitch_ids               = local.subnet_ids
  health_check_type         = "ECS"
  group_deletion_protection = false
  resource_group_id         = var.resource_group_id
  tags                      = local.tags

  # The next zone when one has no stock.
  multi_az_policy = "PRIORITY"

  # What was started last has the least work to lose.
  removal_policies = ["NewestInstance"]

  # Nodes that go are released; the economical mode would keep them, stopped, with their disks.
  scaling_policy = "release"

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
      error_message = "max_count is needed with autoscaler external: give the most nodes that the group may have."
    }

    precondition {
      condition     = local.max_count >= try(coalesce(var.min_count, var.desired_count), 0)
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = (var.network_id == null) == (length(var.subnet_ids) == 0)
      error_message = "network_id and subnet_ids go together: give both, or neither to have a network made."
    }

    precondition {
      condition     = local.makes_network || length(local.subnet_ids) > 0
      error_message = "None of the VSwitches ${jsonencode(var.subnet_ids)} is in zones ${jsonencode(var.zones)}: give one there, or other zones."
    }

    precondition {
      condition     = !local.makes_network || length(local.new_zones) > 0
      error_message = "No zone of ${var.region} sells ${var.instance_type} now: give another type or region, or zones to wait in."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }
  }
}

resource "alicloud_ess_scaling_configuration" "this" {
  scaling_group_id  = alicloud_ess_scaling_group.this.id
  instance_name     = local.name
  image_id          = local.image_id
  instance_type     = var.instance_type
  security_group_id = alicloud_security_group.this.id
  key_name          = local.key_name
  resource_group_id = var.resource_group_id
  tags              = local.tags

  # The provider never sends that a script was taken away, so there is always one.
  user_data = coalesce(var.startup_base64, base64encode("#!/bin/sh\n"))

  # The group starts nodes by this configuration. As the group's last it can go only together with
  # the group, which is what a destroy wants.
  active       = true
  enable       = true
  force_delete = true

  spot_strategy = !local.is_spot ? "NoSpot" : local.price_limit == null ? "SpotAsPriceGo" : "SpotWithPriceLimit"

  dynamic "spot_price_limit" {
    for_each = local.is_spot && local.price_limit != null ? [1] : []

    content {
      instance_type = var.instance_type
      price_limit   = local.price_limit
    }
  }

  system_disk_category  = "cloud_essd"
  system_disk_size      = var.disk_gib
  system_disk_encrypted = true

  internet_charge_type       = "PayByTraffic"
  internet_max_bandwidth_out = var.public_ip ? 100 : 0

  # Nodes start with this: the rules stand before.
  depends_on = [alicloud_security_group_rule.port]

  lifecycle {
    # A group's last configuration takes the group with it, and all nodes: one that is replaced by
    # hand must not be the last. For the same reason it has no name, of which a group has one each.
    create_before_destroy = true

    precondition {
      condition     = local.is_spot || var.max_price_per_node_hour == null
      error_message = "Only spot nodes have a highest price: remove max_price_per_node_hour or set capacity_type to spot."
    }

    precondition {
      condition     = alltrue([for zone in var.zones : can(regex("^${var.region}-?[a-z]$", zone))])
      error_message = "Zones ${jsonencode(var.zones)} are not all in ${var.region}: they read like ${var.region}-a or ${var.region}a."
    }

    precondition {
      condition     = var.ssh_public_key == null || var.key_id == null
      error_message = "A node has one key: give ssh_public_key or key_id, not both."
    }

    precondition {
      condition     = local.image_id != ""
      error_message = "No public image ${jsonencode(var.image_name)} for ${var.instance_type} in ${var.region}: set image_id, or another image_name."
    }
  }
}
