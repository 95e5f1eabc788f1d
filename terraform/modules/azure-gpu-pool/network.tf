# Made only when no network is given. Without public addresses it is closed: no way in, no way out.

resource "azurerm_virtual_network" "this" {
  count = local.makes_network ? 1 : 0

  name                = local.name
  resource_group_name = local.group_name
  location            = var.region
  address_space       = [var.network_cidr]
  tags                = local.tags
}

resource "azurerm_subnet" "this" {
  count = local.makes_network ? 1 : 0

  name                            = local.name
  resource_group_name             = local.group_name
  virtual_network_name            = azurerm_virtual_network.this[0].name
  address_prefixes                = [var.network_cidr]
  default_outbound_access_enabled = false
}

# Names the pool's own nodes in the rules below.
resource "azurerm_application_security_group" "this" {
  name                = local.name
  resource_group_name = local.group_name
  location            = var.region
  tags                = local.tags
}

resource "azurerm_network_security_group" "this" {
  name                = local.name
  resource_group_name = local.group_name
  location            = var.region
  tags                = local.tags
}

locals {
  # Training over several nodes needs every port between them, and only between them: Azure itself
  # lets the whole virtual network in, so the last rule shuts it out.
  rules = merge(
    { pool = { priority = 100, access = "Allow", protocol = "*", port = "*", source = null } },
    { for index, pair in setproduct(sort(var.ports), sort(var.port_sources)) : "port-${pair[0]}-${index}" =>
    { priority = 200 + index, access = "Allow", protocol = "Tcp", port = tostring(pair[0]), source = pair[1] } },
    { rest = { priority = 4000, access = "Deny", protocol = "*", port = "*", source = "VirtualNetwork" } },
  )
}

resource "azurerm_network_security_rule" "this" {
  for_each = local.rules

  name                        = each.key
  resource_group_name         = local.group_name
  network_security_group_name = azurerm_network_security_group.this.name
  priority                    = each.value.priority
  direction                   = "Inbound"
  access                      = each.value.access
  protocol                    = each.value.protocol
  source_port_range           = "*"
  destination_port_range      = each.value.port
  source_address_prefix       = each.value.source

  source_application_security_group_ids      = each.value.source == null ? [azurerm_application_security_group.this.id] : null
  destination_application_security_group_ids = [azurerm_application_security_group.this.id]
}
