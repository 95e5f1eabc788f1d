# Made only when no network is given. Without public addresses it is closed: no gateway, so no
# way in and no way out.

data "aws_availability_zones" "open" {
  # checkov:skip=CKV_AWS_394:zones are pinned by id where the place names them
  count = local.makes_network && length(var.zones) == 0 ? 1 : 0

  state = "available"

  filter {
    name   = "opt-in-status"
    values = ["opt-in-not-required"]
  }
}

data "aws_subnets" "given" {
  count = !local.makes_network && length(var.zones) > 0 ? 1 : 0

  filter {
    name   = "subnet-id"
    values = var.subnet_ids
  }

  filter {
    name   = "availability-zone-id"
    values = var.zones
  }
}

resource "aws_vpc" "this" {
  # checkov:skip=CKV2_AWS_11:flow logs cost money and need a place; whoever wants them gives a network
  # checkov:skip=CKV2_AWS_12:nodes have a security group of their own, and none the default one
  count = local.makes_network ? 1 : 0

  cidr_block           = var.network_cidr
  enable_dns_hostnames = true
  tags                 = local.tags
}

resource "aws_subnet" "this" {
  for_each = local.new_subnets

  vpc_id                  = aws_vpc.this[0].id
  availability_zone_id    = each.key
  cidr_block              = each.value
  map_public_ip_on_launch = false
  tags                    = local.tags
}

resource "aws_internet_gateway" "this" {
  count = local.makes_network && var.public_ip ? 1 : 0

  vpc_id = aws_vpc.this[0].id
  tags   = local.tags
}

resource "aws_route_table" "this" {
  count = local.makes_network && var.public_ip ? 1 : 0

  vpc_id = aws_vpc.this[0].id
  tags   = local.tags
}

resource "aws_route" "out" {
  count = local.makes_network && var.public_ip ? 1 : 0

  route_table_id         = aws_route_table.this[0].id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this[0].id
}

resource "aws_route_table_association" "this" {
  for_each = var.public_ip ? local.new_subnets : {}

  subnet_id      = aws_subnet.this[each.key].id
  route_table_id = aws_route_table.this[0].id
}

resource "aws_security_group" "this" {
  name        = local.name
  description = "Nodes of GPU pool ${var.pool_name}."
  vpc_id      = local.network_id
  tags        = local.tags
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.this.id
  description       = "Everything out."
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
  tags              = local.tags
}

# Training over several nodes needs every port between them, and only between them.
resource "aws_vpc_security_group_ingress_rule" "pool" {
  security_group_id            = aws_security_group.this.id
  description                  = "Nodes of this pool."
  ip_protocol                  = "-1"
  referenced_security_group_id = aws_security_group.this.id
  tags                         = local.tags
}

resource "aws_vpc_security_group_ingress_rule" "port" {
  for_each = { for pair in setproduct(var.ports, var.port_sources) : "${pair[0]}-${pair[1]}" => pair }

  security_group_id = aws_security_group.this.id
  description       = "Asked for by the pool's ports."
  ip_protocol       = "tcp"
  from_port         = each.value[0]
  to_port           = each.value[0]
  cidr_ipv4         = each.value[1]
  tags              = local.tags
}
