# Made only when no network is given. Without public addresses it is closed: no gateway, so no
# way in and no way out.

resource "oci_core_vcn" "this" {
  count = local.makes_network ? 1 : 0

  compartment_id = var.compartment_id
  display_name   = local.name
  cidr_blocks    = [var.network_cidr]
  freeform_tags  = local.tags
}

resource "oci_core_internet_gateway" "this" {
  count = local.makes_network && var.public_ip ? 1 : 0

  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.this[0].id
  display_name   = local.name
  enabled        = true
  freeform_tags  = local.tags
}

resource "oci_core_route_table" "this" {
  count = local.makes_network ? 1 : 0

  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.this[0].id
  display_name   = local.name
  freeform_tags  = local.tags

  dynamic "route_rules" {
    for_each = oci_core_internet_gateway.this

    content {
      destination       = "0.0.0.0/0"
      destination_type  = "CIDR_BLOCK"
      network_entity_id = route_rules.value.id
    }
  }
}

# Empty on purpose: the list that a network comes with opens SSH to the world.
resource "oci_core_security_list" "this" {
  # checkov:skip=CKV_OCI_16:nothing is let in but between nodes of the pool, and ports that were asked for
  # checkov:skip=CKV_OCI_19:only with ports, and from port_sources
  count = local.makes_network ? 1 : 0

  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.this[0].id
  display_name   = local.name
  freeform_tags  = local.tags
}

resource "oci_core_subnet" "this" {
  count = local.makes_network ? 1 : 0

  compartment_id             = var.compartment_id
  vcn_id                     = oci_core_vcn.this[0].id
  display_name               = local.name
  cidr_block                 = var.network_cidr
  route_table_id             = oci_core_route_table.this[0].id
  security_list_ids          = [oci_core_security_list.this[0].id]
  prohibit_public_ip_on_vnic = !var.public_ip
  freeform_tags              = local.tags
}

resource "oci_core_network_security_group" "this" {
  compartment_id = var.compartment_id
  vcn_id         = local.network_id
  display_name   = local.name
  freeform_tags  = local.tags
}

locals {
  # Training over several nodes needs every port between them, and only between them.
  rules = merge(
    { pool = { direction = "INGRESS", protocol = "all", peer = oci_core_network_security_group.this.id, peer_type = "NETWORK_SECURITY_GROUP", port = null, why = "Nodes of this pool." } },
    { out = { direction = "EGRESS", protocol = "all", peer = "0.0.0.0/0", peer_type = "CIDR_BLOCK", port = null, why = "Everything out." } },
    { for pair in setproduct(var.ports, var.port_sources) : "port-${pair[0]}-${pair[1]}" =>
    { direction = "INGRESS", protocol = "6", peer = pair[1], peer_type = "CIDR_BLOCK", port = pair[0], why = "Asked for by the pool's ports." } },
  )
}

resource "oci_core_network_security_group_security_rule" "this" {
  for_each = local.rules

  network_security_group_id = oci_core_network_security_group.this.id
  description               = each.value.why
  direction                 = each.value.direction
  protocol                  = each.value.protocol
  source                    = each.value.direction == "INGRESS" ? each.value.peer : null
  source_type               = each.value.direction == "INGRESS" ? each.value.peer_type : null
  destination               = each.value.direction == "EGRESS" ? each.value.peer : null
  destination_type          = each.value.direction == "EGRESS" ? each.value.peer_type : null

  dynamic "tcp_options" {
    for_each = each.value.port == null ? [] : [each.value.port]

    content {
      destination_port_range {
        min = tcp_options.value
        max = tcp_options.value
      }
    }
  }
}
