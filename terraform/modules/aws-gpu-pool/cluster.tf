# A cluster network: nodes close together in one zone, joined by EFA on every network card that has
# it.

locals {
  # Network cards with EFA, by type: `aws ec2 describe-instance-types`, NetworkInfo.EfaInfo. P6e
  # instances are left out: they come as UltraServers, not one by one.
  efa_cards_of = {
    "g4dn.8xlarge"     = 1
    "g4dn.12xlarge"    = 1
    "g4dn.16xlarge"    = 1
    "g4dn.metal"       = 1
    "g5.8xlarge"       = 1
    "g5.12xlarge"      = 1
    "g5.16xlarge"      = 1
    "g5.24xlarge"      = 1
    "g5.48xlarge"      = 1
    "g6.8xlarge"       = 1
    "g6.12xlarge"      = 1
    "g6.16xlarge"      = 1
    "g6.24xlarge"      = 1
    "g6.48xlarge"      = 1
    "g6e.8xlarge"      = 1
    "g6e.12xlarge"     = 1
    "g6e.16xlarge"     = 1
    "g6e.24xlarge"     = 2
    "g6e.48xlarge"     = 4
    "g7.8xlarge"       = 1
    "g7.12xlarge"      = 1
    "g7.24xlarge"      = 1
    "g7.48xlarge"      = 2
    "g7e.8xlarge"      = 1
    "g7e.12xlarge"     = 1
    "g7e.24xlarge"     = 2
    "g7e.48xlarge"     = 4
    "gr6.8xlarge"      = 1
    "p3dn.24xlarge"    = 1
    "p4d.24xlarge"     = 4
    "p4de.24xlarge"    = 4
    "p5.4xlarge"       = 1
    "p5.48xlarge"      = 32
    "p5e.48xlarge"     = 32
    "p5en.48xlarge"    = 16
    "p6-b200.48xlarge" = 8
    "p6-b300.48xlarge" = 16
  }
  efa_cards = lookup(local.efa_cards_of, var.instance_type, 0)

  # Its first card carries plain traffic only; the 16 with EFA come behind it.
  has_plain_card = var.instance_type == "p6-b300.48xlarge"

  # The first interface has an address and is device 0 of card 0. On every further card, device 1
  # does EFA and nothing else, so that it takes no address out of the subnet.
  first_interface = {
    card = null, device = null, type = null, public_ip = var.public_ip
  }
  cluster_interfaces = [
    for card in range(local.efa_cards + (local.has_plain_card ? 1 : 0)) : {
      card   = card
      device = card == 0 ? 0 : 1
      type   = card > 0 ? "efa-only" : local.has_plain_card ? "interface" : "efa"
      # EC2 takes no word on public addresses, not even a no, where a node has several interfaces.
      public_ip = local.efa_cards == 1 ? var.public_ip : null
    }
  ]
  interfaces = var.cluster_network && local.efa_cards > 0 ? local.cluster_interfaces : [local.first_interface]

  # A reservation says where its nodes are: in the block, or in the group that it was made in.
  makes_placement_group = var.cluster_network && var.placement_group == null && !local.is_reserved
  placement_group       = local.makes_placement_group ? aws_placement_group.this[0].name : var.placement_group
}

resource "aws_placement_group" "this" {
  count = local.makes_placement_group ? 1 : 0

  name     = local.name
  strategy = "cluster"
  tags     = local.tags
}

# What goes past the operating system goes by the group's own rules: "to everywhere" does not
# cover it.
resource "aws_vpc_security_group_egress_rule" "pool" {
  count = var.cluster_network ? 1 : 0

  security_group_id            = aws_security_group.this.id
  description                  = "Nodes of this pool."
  ip_protocol                  = "-1"
  referenced_security_group_id = aws_security_group.this.id
  tags                         = local.tags
}
