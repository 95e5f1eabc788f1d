locals {
  cloud       = "tencent"
  is_spot     = var.capacity_type == "spot"
  is_external = var.autoscaler == "external"

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  name      = coalesce(var.name, "${substr("${var.policy_name}-${var.pool_name}", 0, 46)}-${local.place}")
  min_count = local.is_external ? coalesce(var.min_count, 0) : 0
  max_count = coalesce(var.max_count, var.desired_count, 0)

  # Somebody else's size is not said, but no room at all leaves only one.
  size = local.is_external ? (local.max_count == 0 ? 0 : null) : var.desired_count

  tags = merge(var.labels, {
    managed-by = "multicloud"
    policy     = var.policy_name
    pool       = var.pool_name
    place      = local.place
  })

  # The API takes no spot request without a bid. This one stands above every price on the list,
  # so it never decides; the market price is what is paid.
  no_bid         = "1000"
  spot_max_price = local.is_spot ? coalesce(var.max_price_per_node_hour, local.no_bid) : null

  # The provider cannot change these two in a scaling configuration that exists (it sends a bid
  # only when the charge type changes, and never an empty script), so a change makes a new one,
  # with a name of its own.
  revision = substr(nonsensitive(sha256(jsonencode([local.spot_max_price, var.startup_base64]))), 0, 4)

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  new_zones = (
    !local.makes_network ? [] : length(var.zones) > 0 ? sort(var.zones) :
    sort([for zone in data.tencentcloud_availability_zones_by_product.sold[0].zones : zone.name])
  )
  # 16 blocks, one for each of the first 16 zones.
  new_subnets = { for index, zone in local.new_zones : zone => cidrsubnet(var.network_cidr, 4, index) }
  network_id  = local.makes_network ? tencentcloud_vpc.this[0].id : var.network_id
  # Of the subnets given, those that are not known to be in other zones.
  elsewhere = flatten([
    for found in data.tencentcloud_vpc_subnets.given : [
      for subnet in found.instance_list : subnet.subnet_id if !contains(var.zones, subnet.availability_zone)
    ]
  ])
  subnet_ids = (
    local.makes_network ? [for zone in local.new_zones : tencentcloud_subnet.this[zone].id] :
    [for subnet in var.subnet_ids : subnet if !contains(local.elsewhere, subnet)]
  )

  looks_up_image = var.image_id == null
  found_image_id = local.looks_up_image ? try(data.tencentcloud_images.gpu[0].images[0].image_id, "") : ""
  image_id       = local.looks_up_image ? terraform_data.image[0].input : var.image_id

  key_ids = compact([var.ssh_public_key == null ? var.key_id : tencentcloud_key_pair.this[0].id])
}

data "tencentcloud_images" "gpu" {
  count = local.looks_up_image ? 1 : 0

  image_type    = ["PUBLIC_IMAGE"]
  os_name       = var.image_os
  instance_type = var.instance_type
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

resource "tencentcloud_key_pair" "this" {
  count = var.ssh_public_key == null ? 0 : 1

  # The one resource whose names take no hyphen, and 25 characters at most.
  key_name   = "mc_${local.place}_${substr(sha256(local.name), 0, 8)}"
  public_key = var.ssh_public_key
  tags       = local.tags
}

resource "terraform_data" "revision" {
  input = local.revision
}

resource "tencentcloud_as_scaling_config" "this" {
  configuration_name = "${local.name}-${local.revision}"
  image_id           = local.image_id
  instance_types     = [var.instance_type]
  user_data          = var.startup_base64
  key_ids            = length(local.key_ids) == 0 ? null : local.key_ids
  security_group_ids = [tencentcloud_security_group.this.id]
  instance_tags      = local.tags

  # All three, or none: on-demand is what is bought without them.
  instance_charge_type = local.is_spot ? "SPOTPAID" : null
  spot_instance_type   = local.is_spot ? "one-time" : null
  spot_max_price       = local.spot_max_price

  system_disk_type = "CLOUD_PREMIUM"
  system_disk_size = var.disk_gib
  disk_type_policy = "AUTOMATIC"

  public_ip_assigned         = var.public_ip
  internet_max_bandwidth_out = var.public_ip ? 100 : 0

  instance_name_settings {
    instance_name = local.name
  }

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.revision]

    precondition {
      condition     = local.is_spot || var.max_price_per_node_hour == null
      error_message = "Only spot nodes have a highest price: remove max_price_per_node_hour or set capacity_type to spot."
    }

    precondition {
      condition     = alltrue([for zone in var.zones : can(regex("^${var.region}-[0-9]+$", zone))])
      error_message = "Zones ${jsonencode(var.zones)} are not all in ${var.region}: they read like ${var.region}-1."
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
      condition     = local.image_id != ""
      error_message = "No public image ${jsonencode(var.image_os)} for ${var.instance_type} in ${var.region}: set image_id, or another image_os."
    }
  }
}

resource "tencentcloud_as_scaling_group" "this" {
  scaling_group_name = local.name
  configuration_id   = tencentcloud_as_scaling_config.this.id
  min_size           = local.min_count
  max_size           = local.max_count
  desired_capacity   = local.size
  vpc_id             = local.network_id
  subnet_ids         = local.subnet_ids
  tags               = local.tags

  # The next zone when one has no stock, and again and again at growing intervals.
  multi_zone_subnet_policy  = "PRIORITY"
  retry_policy              = "INCREMENTAL_INTERVALS"
  replace_monitor_unhealthy = true

  # What was started last has the least work to lose.
  termination_policies = ["NEWEST_INSTANCE"]

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

  # Nodes must not boot before they are let out.
  depends_on = [tencentcloud_security_group_rule_set.this]
}
