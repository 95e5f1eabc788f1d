# Made only when no network is given. Without public addresses it is closed: no gateway, so no
# way in and no way out.

data "tencentcloud_availability_zones_by_product" "sold" {
  count = local.makes_network && length(var.zones) == 0 ? 1 : 0

  product = "cvm"
}

data "tencentcloud_vpc_subnets" "given" {
  count = !local.makes_network && length(var.zones) > 0 ? 1 : 0

  vpc_id = var.network_id
}

resource "tencentcloud_vpc" "this" {
  count = local.makes_network ? 1 : 0

  name         = local.name
  cidr_block   = var.network_cidr
  is_multicast = false
  tags         = local.tags
}

resource "tencentcloud_subnet" "this" {
  for_each = local.new_subnets

  name              = local.name
  vpc_id            = tencentcloud_vpc.this[0].id
  availability_zone = each.key
  cidr_block        = each.value
  is_multicast      = false
  tags              = local.tags
}

resource "tencentcloud_security_group" "this" {
  name        = local.name
  description = "Nodes of GPU pool ${var.pool_name}, ${var.gpu.count} x ${var.gpu.type} each."
  tags        = local.tags
}

# The whole set of rules: what is not here is closed.
resource "tencentcloud_security_group_rule_set" "this" {
  security_group_id = tencentcloud_security_group.this.id

  # Training over several nodes needs every port between them, and only between them.
  ingress {
    action             = "ACCEPT"
    source_security_id = tencentcloud_security_group.this.id
    protocol           = "ALL"
    port               = "ALL"
    description        = "Nodes of this pool."
  }

  dynamic "ingress" {
    for_each = setproduct(var.ports, var.port_sources)

    content {
      action      = "ACCEPT"
      cidr_block  = ingress.value[1]
      protocol    = "TCP"
      port        = tostring(ingress.value[0])
      description = "Asked for by the pool's ports."
    }
  }

  egress {
    action      = "ACCEPT"
    cidr_block  = "0.0.0.0/0"
    protocol    = "ALL"
    port        = "ALL"
    description = "Everything out."
  }
}
