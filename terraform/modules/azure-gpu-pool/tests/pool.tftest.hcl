# What a pool is made of. No cloud is asked: the provider is a mock.

mock_provider "azurerm" {
  mock_data "azurerm_platform_image" {
    defaults = { version = "22.04.2026010100" }
  }

  mock_data "azurerm_ssh_public_key" {
    defaults = { public_key = "ssh-ed25519 AAAA kept" }
  }

  mock_resource "azurerm_linux_virtual_machine_scale_set" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/x" }
  }

  mock_resource "azurerm_subnet" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/n/subnets/x" }
  }

  mock_resource "azurerm_network_security_group" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkSecurityGroups/x" }
  }

  mock_resource "azurerm_application_security_group" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/applicationSecurityGroups/x" }
  }

  mock_resource "azurerm_proximity_placement_group" {
    defaults = { id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/proximityPlacementGroups/x" }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "training"
  region        = "eastus"
  zones         = ["2", "1"]
  instance_type = "Standard_ND96asr_v4"
  gpu           = { type = "A100-40GB", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "b108_on_demand" {
  command = plan

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].priority == "Regular" && azurerm_linux_virtual_machine_scale_set.uniform[0].eviction_policy == null
    error_message = "Regular nodes have neither a policy nor a price."
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].instances == 2 && azurerm_linux_virtual_machine_scale_set.uniform[0].overprovision == false && azurerm_linux_virtual_machine_scale_set.uniform[0].upgrade_mode == "Manual"
    error_message = "The set has the size asked for, no more, and replaces nothing."
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].zones == toset(["1", "2"]) && azurerm_linux_virtual_machine_scale_set.uniform[0].zone_balance == false && azurerm_linux_virtual_machine_scale_set.uniform[0].single_placement_group == false
    error_message = "It spans the zones asked for."
  }

  assert {
    condition     = output.instance_type == "Standard_ND96asr_v4" && output.capacity_type == "on_demand" && output.desired_count == 2
    error_message = "Outputs say what was asked for."
  }
}

run "b108_spot_with_cap" {
  command = plan

  variables {
    capacity_type           = "spot"
    max_price_per_node_hour = "12.00"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].priority == "Spot" && azurerm_linux_virtual_machine_scale_set.uniform[0].eviction_policy == "Delete" && azurerm_linux_virtual_machine_scale_set.uniform[0].max_bid_price == 12
    error_message = "Spot nodes have all three."
  }
}

run "b108_spot_without_cap" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].max_bid_price == -1
    error_message = "No cap is -1: up to the on-demand price."
  }
}

run "b108_flexible_spot" {
  command = plan

  variables {
    orchestration = "flexible"
    capacity_type = "spot"
  }

  assert {
    condition     = length(azurerm_linux_virtual_machine_scale_set.uniform) == 0 && azurerm_orchestrated_virtual_machine_scale_set.flexible[0].priority == "Spot" && azurerm_orchestrated_virtual_machine_scale_set.flexible[0].eviction_policy == "Delete" && azurerm_orchestrated_virtual_machine_scale_set.flexible[0].max_bid_price == -1
    error_message = "So it is in the other mode."
  }
}

run "b110_size_is_always_stated" {
  command = plan

  variables {
    orchestration = "flexible"
    desired_count = 0
  }

  assert {
    condition     = azurerm_orchestrated_virtual_machine_scale_set.flexible[0].instances == 0
    error_message = "0 must be planned as 0."
  }
}

run "b110_size_zero" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].instances == 0
    error_message = "0 must be planned as 0."
  }
}

run "external" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    min_count     = 1
    max_count     = 4
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].instances == 1
    error_message = "A set that somebody else sizes begins with the least."
  }
}

run "reserved" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/mine"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].capacity_reservation_group_id == var.reservation_id && azurerm_linux_virtual_machine_scale_set.uniform[0].priority == "Regular"
    error_message = "Nodes come out of the reservation named."
  }
}

run "infiniband" {
  command = plan

  variables {
    zones           = []
    cluster_network = true
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].single_placement_group == true && length(azurerm_proximity_placement_group.this) == 1
    error_message = "Nodes are in one placement group."
  }
}

run "backstop" {
  command = plan

  variables {
    backstop = [{ days = ["mon", "sun"], time = "23:45" }]
  }

  assert {
    condition     = [for one in azurerm_monitor_autoscale_setting.backstop[0].profile : one.capacity[0].maximum] == [1000, 0, 1000]
    error_message = "A profile that allows none is followed by one that allows any number, whatever the size is now."
  }

  assert {
    condition     = azurerm_monitor_autoscale_setting.backstop[0].profile[1].recurrence[0].days == tolist(["Monday", "Sunday"]) && azurerm_monitor_autoscale_setting.backstop[0].profile[1].recurrence[0].hours == tolist([23])
    error_message = "The schedule is in UTC."
  }

  assert {
    condition     = azurerm_monitor_autoscale_setting.backstop[0].profile[2].recurrence[0].days == tolist(["Tuesday", "Monday"]) && azurerm_monitor_autoscale_setting.backstop[0].profile[2].recurrence[0].minutes == tolist([15])
    error_message = "Half an hour later can be the next day."
  }

  assert {
    condition     = alltrue([for one in azurerm_monitor_autoscale_setting.backstop[0].profile : one.capacity[0].minimum == 0 && one.capacity[0].default == 0 && length(one.rule) == 0])
    error_message = "No profile ever starts a node."
  }
}

run "backstops_that_overlap" {
  command = plan

  variables {
    backstop = [{ days = ["mon"], time = "22:00" }, { days = ["mon", "tue"], time = "22:20" }]
  }

  assert {
    condition     = [for one in azurerm_monitor_autoscale_setting.backstop[0].profile : one.name] == ["default", "backstop-0", "backstop-1", "after-1"]
    error_message = "What lets nodes be again must not cut another backstop's half hour short."
  }
}

run "tags_everywhere" {
  command = plan

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].tags == tomap({ team = "research", managed-by = "multicloud", policy = "daynight", pool = "training", place = local.place })
    error_message = "Nodes say whose they are."
  }

  assert {
    condition     = local.place == substr(sha256("azure|eastus|1,2|Standard_ND96asr_v4|on_demand"), 0, 8)
    error_message = "A place that is not given is computed from what it is."
  }
}

run "node_is_closed" {
  command = plan

  assert {
    condition     = length(azurerm_orchestrated_virtual_machine_scale_set.flexible) == 0 && length(azurerm_linux_virtual_machine_scale_set.uniform[0].network_interface[0].ip_configuration[0].public_ip_address) == 0
    error_message = "No public address by default."
  }

  assert {
    condition     = toset(keys(azurerm_network_security_rule.this)) == toset(["pool", "rest"]) && azurerm_network_security_rule.this["rest"].access == "Deny"
    error_message = "Only nodes of the pool reach each other."
  }

  assert {
    condition     = azurerm_subnet.this[0].default_outbound_access_enabled == false
    error_message = "The network made has no way out."
  }

  assert {
    condition     = one(azurerm_linux_virtual_machine_scale_set.uniform[0].admin_ssh_key).public_key == local.nobodys_key
    error_message = "Without a key nobody gets in."
  }
}

run "public_node_with_a_key_and_a_script" {
  command = plan

  variables {
    public_ip      = true
    ports          = [8888, 22]
    port_sources   = ["203.0.113.0/24"]
    ssh_public_key = "ssh-ed25519 AAAA test"
    startup_base64 = "IyEvYmluL3NoCg=="
  }

  assert {
    condition     = length(azurerm_linux_virtual_machine_scale_set.uniform) == 0 && one(azurerm_orchestrated_virtual_machine_scale_set.flexible[0].network_interface[0].ip_configuration[0].public_ip_address).sku_name == "Standard_Regional"
    error_message = "Only a flexible set can ask for the kind of address that is still made."
  }

  assert {
    condition     = azurerm_network_security_rule.this["ports"].destination_port_ranges == toset(["22", "8888"]) && azurerm_network_security_rule.this["ports"].source_address_prefix == "203.0.113.0/24" && azurerm_network_security_rule.this["ports"].access == "Allow"
    error_message = "The ports asked for are open, to those asked for."
  }

  assert {
    condition     = one(azurerm_orchestrated_virtual_machine_scale_set.flexible[0].os_profile[0].linux_configuration[0].admin_ssh_key).public_key == "ssh-ed25519 AAAA test" && azurerm_orchestrated_virtual_machine_scale_set.flexible[0].os_profile[0].custom_data == "IyEvYmluL3NoCg=="
    error_message = "Key and script are passed on."
  }
}

run "key_and_script_of_a_uniform_set" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAA test"
    startup_base64 = "IyEvYmluL3NoCg=="
  }

  assert {
    condition     = one(azurerm_linux_virtual_machine_scale_set.uniform[0].admin_ssh_key).public_key == "ssh-ed25519 AAAA test" && azurerm_linux_virtual_machine_scale_set.uniform[0].custom_data == "IyEvYmluL3NoCg=="
    error_message = "Key and script are passed on."
  }
}

run "key_kept_in_azure" {
  command = plan

  variables {
    key_id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/sshPublicKeys/mine"
  }

  assert {
    condition     = data.azurerm_ssh_public_key.given[0].name == "mine" && data.azurerm_ssh_public_key.given[0].resource_group_name == "g" && one(azurerm_linux_virtual_machine_scale_set.uniform[0].admin_ssh_key).public_key == "ssh-ed25519 AAAA kept"
    error_message = "The key is looked up by its id."
  }
}

run "sources_within_each_other" {
  command = plan

  variables {
    ports        = [22]
    port_sources = ["10.1.0.0/16", "192.0.2.1/32", "10.0.0.0/8", "10.1.2.3/16"]
  }

  assert {
    condition     = azurerm_network_security_rule.this["ports"].source_address_prefixes == toset(["192.0.2.1/32", "10.0.0.0/8"])
    error_message = "A rule whose blocks overlap is refused, so the outer one stays."
  }
}

run "everybody" {
  command = plan

  variables {
    ports        = [443]
    port_sources = ["203.0.113.0/24", "0.0.0.0/0"]
  }

  assert {
    condition     = azurerm_network_security_rule.this["ports"].source_address_prefix == "0.0.0.0/0" && azurerm_network_security_rule.this["ports"].source_address_prefixes == null
    error_message = "Everybody is one block."
  }
}

run "nobody" {
  command = plan

  variables {
    ports        = [443]
    port_sources = []
  }

  assert {
    condition     = toset(keys(azurerm_network_security_rule.this)) == toset(["pool", "rest"])
    error_message = "A port that is open to nobody is closed."
  }
}

run "given_network_and_group" {
  command = plan

  variables {
    network_id          = "net-1"
    subnet_ids          = ["/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/n/subnets/mine"]
    resource_group_name = "mine"
  }

  assert {
    condition     = length(azurerm_virtual_network.this) == 0 && length(azurerm_resource_group.this) == 0 && azurerm_linux_virtual_machine_scale_set.uniform[0].network_interface[0].ip_configuration[0].subnet_id == var.subnet_ids[0] && azurerm_linux_virtual_machine_scale_set.uniform[0].resource_group_name == "mine"
    error_message = "Nothing is made that was given."
  }
}

run "image_is_looked_up" {
  command = plan

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].version == "22.04.2026010100" && azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].offer == "ubuntu-hpc"
    error_message = "The image found is the image used."
  }
}

run "given_image" {
  command = plan

  variables {
    image_id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/mine"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_id == var.image_id && length(azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference) == 0 && length(data.azurerm_platform_image.gpu) == 0
    error_message = "An image that was given is not looked up."
  }
}

run "image_sold_with_a_plan" {
  command = plan

  variables {
    image_id = "nvidia:ngc:gen2:1.2.3:plan"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].plan[0].product == "ngc" && azurerm_linux_virtual_machine_scale_set.uniform[0].plan[0].name == "gen2" && azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].version == "1.2.3"
    error_message = "Azure wants to be told the plan beside the image."
  }
}

run "image_of_a_flexible_set" {
  command = plan

  variables {
    orchestration = "flexible"
    image_id      = "nvidia:ngc:gen2:1.2.3:plan"
  }

  assert {
    condition     = azurerm_orchestrated_virtual_machine_scale_set.flexible[0].plan[0].publisher == "nvidia" && azurerm_orchestrated_virtual_machine_scale_set.flexible[0].source_image_reference[0].sku == "gen2"
    error_message = "So it is in the other mode."
  }
}

run "image_without_a_plan" {
  command = plan

  variables {
    image_id = "microsoft-dsvm:ubuntu-hpc:2404:latest"
  }

  assert {
    condition     = length(azurerm_linux_virtual_machine_scale_set.uniform[0].plan) == 0 && azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].version == "latest"
    error_message = "A plan where there is none is refused."
  }
}

run "image_for_v100" {
  command = plan

  variables {
    instance_type = "Standard_NC24rs_v3"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].sku == "2204-v100"
    error_message = "The open driver does not know V100s."
  }
}

run "image_for_t4" {
  command = plan

  variables {
    instance_type = "Standard_NC4as_T4_v3"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].sku == "2204"
    error_message = "A third version of a size does not make a V100."
  }
}

run "image_for_amd" {
  command = plan

  variables {
    instance_type = "Standard_ND96isr_MI300X_v5"
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].source_image_reference[0].sku == "2204-rocm"
    error_message = "AMD's GPUs have an image of their own."
  }
}

run "encrypted_at_the_host" {
  command = plan

  variables {
    encryption_at_host = true
  }

  assert {
    condition     = azurerm_linux_virtual_machine_scale_set.uniform[0].encryption_at_host_enabled == true
    error_message = "What was asked for is passed on."
  }
}

run "reserved_flexible" {
  command = plan

  variables {
    orchestration  = "flexible"
    capacity_type  = "reserved"
    reservation_id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/mine"
  }

  assert {
    condition     = azurerm_orchestrated_virtual_machine_scale_set.flexible[0].single_placement_group == false
    error_message = "A reservation wants to be told that there is no placement group."
  }
}
