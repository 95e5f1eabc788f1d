# Made only when no network is given. Without public addresses it is closed: no gateway, so no
# way in and no way out.

locals {
  makes_network  = var.network_id == null && length(var.subnet_ids) == 0
  looks_up_zones = local.makes_network && length(var.zones) == 0
  new_zones      = !local.makes_network ? [] : local.looks_up_zones ? terraform_data.zones[0].input : sort(var.zones)

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
}

data "alicloud_zones" "selling" {
  count = local.looks_up_zones ? 1 : 0

  available_instance_type     = var.instance_type
  available_disk_category     = "cloud_essd"
  available_resource_creation = "VSwitch"
  spot_strategy               = local.is_spot ? "SpotAsPriceGo" : "NoSpot"
}

# Holds the zones found at the first apply: which zones sell a type changes with their stock, and
# the VSwitches must not.
resource "terraform_data" "zones" {
  count = local.looks_up_zones ? 1 : 0

  input = sort(data.alicloud_zones.selling[0].ids)

  lifecycle {
    ignore_changes = [input]
  }
}

data "alicloud_vswitches" "given" {
  count = !local.makes_network && length(var.zones) > 0 ? 1 : 0

  vpc_id = var.network_id
}

resource "alicloud_vpc" "this" {
  count = local.makes_network ? 1 : 0

  vpc_name          = local.name
  cidr_block        = var.network_cidr
  resource_group_id = var.resource_group_id
  tags              = local.tags
}

resource "alicloud_vswitch" "this" {
  for_each = local.new_subnets

  vswitch_name = local.name
  vpc_id       = alicloud_vpc.this[0].id
  zone_id      = each.key
  cidr_block   = each.value
  tags         = local.tags
}

# Members of such a group reach each other on every port; what is not in a rule below is closed.
# Everything out is allowed, as the kind of group has it.
resource "alicloud_security_group" "this" {
  security_group_name = local.name
  security_group_type = "normal"
  description         = "Nodes of GPU pool ${var.pool_name}, ${var.gpu.count} x ${var.gpu.type} each."
  inner_access_policy = "Accept"
  vpc_id              = local.network_id
  resource_group_id   = var.resource_group_id
  tags                = local.tags
}

resource "alicloud_security_group_rule" "port" {
  for_each = { for pair in setproduct(var.ports, var.port_sources) : "${pair[0]}-${pair[1]}" => pair }

  security_group_id = alicloud_security_group.this.id
  type              = "ingress"
  nic_type          = "intranet"
  ip_protocol       = "tcp"
  policy            = "accept"
  port_range        = "${each.value[0]}/${each.value[0]}"
  cidr_ip           = each.value[1]
  description       = "Asked for by the pool's ports."
}
