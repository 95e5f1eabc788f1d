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

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  new_zones = (
    !local.makes_network ? [] : length(var.zones) > 0 ? sort(var.zones) : sort(data.alicloud_zones.selling[0].ids)
  )
  # 16 blocks, one for each of the first 16 zones.
  new_subnets = { for index, zone in local.new_zones : zone => cidrsubnet(var.network_cidr, 4, index) }
  network_id  = local.makes_network ? alicloud_vpc.this[0].id : var.network_id
  # Of the VSwitches given, those that are not known to be in other zones.
  elsewhere = flatten([
    for found in data.alicloud_vswitches.given : [
      for one in found.vswitches : one.id if !contains(var.zones, one.zone_id)
    ]
  ])
  subnet_ids = (
    local.makes_network ? [for zone in local.new_zones : alicloud_vswitch.this[zone].id] :
    [for subnet in var.subnet_ids : subnet if !contains(local.elsewhere, subnet)]
  )

  looks_up_image = var.image_id == null
  found_image_id = local.looks_up_image ? try(data.alicloud_images.gpu[0].images[0].id, "") : ""
  image_id       = local.looks_up_image ? terraform_data.image[0].input : var.image_id

  key_name = var.ssh_public_key == null ? var.key_id : alicloud_ecs_key_pair.this[0].key_pair_name
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

resource "alicloud_ecs_key_pair" "this" {
  count = var.ssh_public_key == null ? 0 : 1

  key_pair_name     = local.name
  public_key        = var.ssh_public_key
  resource_group_id = var.resource_group_id
  tags              = local.tags
}

resource "alicloud_ess_scaling_group" "this" {
  scaling_group_name        = local.name
  min_size                  = local.is_external ? coalesce(var.min_count, 0) : 0
  max_size                  = local.max_count
  desired_capacity          = local.is_external ? null : var.desired_count
  vswitch_ids               = local.subnet_ids
  health_check_type         = "ECS"
  group_deletion_protection = false
  resource_group_id         = var.resource_group_id
  tags                      = local.tags

  # The next zone when one has no stock.
  multi_az_policy = "PRIORITY"

  # What was started last has the least work to lose.
  removal_policies = ["NewestInstance"]

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
      condition     = local.max_count >= try(coalesce(var.min_count, var.desired_count), 0)
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = (var.network_id == null) == (length(var.subnet_ids) == 0)
      error_message = "network_id and subnet_ids go together: give both, or neither to have a network made."
    }

    precondition {
      condition     = length(local.subnet_ids) > 0
      error_message = "None of the VSwitches ${jsonencode(var.subnet_ids)} is in zones ${jsonencode(var.zones)}: give one there, or other zones."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }
  }

  # Nodes must not boot before they are let out.
  depends_on = [alicloud_security_group_rule.port]
}

resource "alicloud_ess_scaling_configuration" "this" {
  scaling_group_id           = alicloud_ess_scaling_group.this.id
  scaling_configuration_name = local.name
  instance_name              = local.name
  image_id                   = local.image_id
  instance_type              = var.instance_type
  security_group_id          = alicloud_security_group.this.id
  key_name                   = local.key_name
  user_data                  = var.startup_base64
  resource_group_id          = var.resource_group_id
  tags                       = local.tags

  # The group starts nodes by this configuration, and its last one goes with the group.
  active       = true
  enable       = true
  force_delete = true

  spot_strategy = !local.is_spot ? "NoSpot" : var.max_price_per_node_hour == null ? "SpotAsPriceGo" : "SpotWithPriceLimit"

  dynamic "spot_price_limit" {
    for_each = local.is_spot && var.max_price_per_node_hour != null ? [1] : []

    content {
      instance_type = var.instance_type
      price_limit   = tonumber(var.max_price_per_node_hour)
    }
  }

  system_disk_category  = "cloud_essd"
  system_disk_size      = var.disk_gib
  system_disk_encrypted = true

  internet_charge_type       = "PayByTraffic"
  internet_max_bandwidth_out = var.public_ip ? 100 : 0

  lifecycle {
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

# A task that repeats must say when it begins and when it ends, at most a year later. Both are
# reckoned from the stack's first apply; to begin another year:
# terraform apply -replace='module.<name>.terraform_data.first_apply[0]'.
resource "terraform_data" "first_apply" {
  count = length(var.backstop) > 0 ? 1 : 0

  input = plantimestamp()

  lifecycle {
    ignore_changes = [input]
  }
}

resource "alicloud_ess_scheduled_task" "backstop" {
  for_each = { for index, stop in var.backstop : index => stop }

  scheduled_task_name = "${substr(local.name, 0, 38)}-backstop-${each.key}"
  description         = "Empties GPU pool ${var.pool_name} should nobody else do it."
  scaling_group_id    = alicloud_ess_scaling_group.this.id
  desired_capacity    = 0
  launch_time         = formatdate("YYYY-MM-DD'T'hh:mm'Z'", timeadd(terraform_data.first_apply[0].output, "1h"))
  recurrence_type     = "Cron"
  recurrence_value    = "${tonumber(split(":", each.value.time)[1])} ${tonumber(split(":", each.value.time)[0])} ? * ${upper(join(",", each.value.days))}"
  recurrence_end_time = formatdate("YYYY-MM-DD'T'hh:mm'Z'", timeadd(terraform_data.first_apply[0].output, "8736h"))
  task_enabled        = true
}
