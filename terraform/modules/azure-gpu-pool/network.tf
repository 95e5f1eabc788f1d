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
  # Blocks are apart or one is within the other; a rule that names both is refused, so the outer stays.
  blocks = distinct([for block in var.port_sources : "${cidrhost(block, 0)}/${split("/", block)[1]}"])
  sources = [for block in local.blocks : block if alltrue([
    for other in local.blocks : tonumber(split("/", other)[1]) >= tonumber(split("/", block)[1])
    || cidrhost("${split("/", block)[0]}/${split("/", other)[1]}", 0) != split("/", other)[0]
  ])]
  has_ports = length(var.ports) > 0 && length(local.sources) > 0

  # Training over several nodes needs every port between them, and only between them: Azure itself
  # lets the whole virtual network in, so the last rule shuts it out. Each rule keeps its name and
  # priority whatever it says: two that swap priorities would be refused.
  rules = merge(
    { pool = { priority = 100, access = "Allow", protocol = "*", ports = null, sources = [] } },
    { for name in local.has_ports ? ["ports"] : [] : name =>
    { priority = 200, access = "Allow", protocol = "Tcp", ports = distinct([for port in var.ports : tostring(port)]), sources = local.sources } },
    { rest = { priority = 4000, access = "Deny", protocol = "*", ports = null, sources = ["VirtualNetwork"] } },
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
  source_address_prefix       = length(each.value.sources) == 1 ? each.value.sources[0] : null
  source_address_prefixes     = length(each.value.sources) > 1 ? each.value.sources : null
  destination_port_range      = each.value.ports == null ? "*" : null
  destination_port_ranges     = each.value.ports

  source_application_security_group_ids      = length(each.value.sources) == 0 ? [azurerm_application_security_group.this.id] : null
  destination_application_security_group_ids = [azurerm_application_security_group.this.id]
}
