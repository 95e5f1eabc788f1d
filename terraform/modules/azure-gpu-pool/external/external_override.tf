# For a pool whose size somebody else decides: without it the next apply would take the size back.
# Copy this file beside main.tf; it changes nothing but what is ignored.

resource "azurerm_linux_virtual_machine_scale_set" "uniform" {
  # checkov:skip=CKV_AZURE_178:an override: the set itself stands in main.tf
  # checkov:skip=CKV_AZURE_49:an override: the set itself stands in main.tf
  # checkov:skip=CKV_AZURE_97:an override: the set itself stands in main.tf
  lifecycle {
    ignore_changes = [instances]
  }
}

resource "azurerm_orchestrated_virtual_machine_scale_set" "flexible" {
  lifecycle {
    ignore_changes = [instances]
  }
}
