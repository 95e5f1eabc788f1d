locals {
  cloud       = "azure"
  is_spot     = var.capacity_type == "spot"
  is_external = var.autoscaler == "external"

  # The provider lets only flexible sets say which kind of public address they want, and Azure no
  # longer makes the kind that uniform ones get.
  orchestration = coalesce(var.orchestration, var.public_ip ? "flexible" : "uniform")
  is_uniform    = local.orchestration == "uniform"

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  made_name = replace("${substr("${var.policy_name}-${var.pool_name}", 0, 45)}-${local.place}", "/[^A-Za-z0-9-]/", "-")
  name      = coalesce(var.name, local.made_name)
  max_count = try(coalesce(var.max_count, var.desired_count), 0)

  # Always stated: a scale set that is updated without it is emptied.
  desired = local.is_external ? coalesce(var.min_count, 0) : coalesce(var.desired_count, 0)

  tags = merge(var.labels, {
    managed-by = "multicloud"
    policy     = var.policy_name
    pool       = var.pool_name
    place      = local.place
  })

  makes_group = var.resource_group_name == null
  group_name  = local.makes_group ? azurerm_resource_group.this[0].name : var.resource_group_name

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  subnet_id     = local.makes_network ? azurerm_subnet.this[0].id : try(var.subnet_ids[0], null)

  # Spot nodes have all three, others none: Azure refuses a policy or a price without the priority.
  priority        = local.is_spot ? "Spot" : "Regular"
  eviction_policy = local.is_spot ? "Delete" : null
  max_bid_price   = local.is_spot ? tonumber(coalesce(var.max_price_per_node_hour, "-1")) : null

  # Among the letters behind the number of cores, `r` says that a size has InfiniBand.
  has_infiniband = can(regex("^Standard_N[CD][0-9]+[a-z]*r[a-z]*_", var.instance_type))

  # There is an image with the open driver, one with the closed driver that V100s need, and one with
  # ROCm; none for shared GPUs, confidential sizes and Arm.
  is_v100        = can(regex("^Standard_(NC[0-9]+r?s_v3|ND[0-9]+rs_v2)$", var.instance_type))
  is_amd         = can(regex("^Standard_ND[0-9]+[a-z]*_MI[0-9]+X_", var.instance_type))
  is_nvidia      = can(regex("^Standard_N[CD][0-9]", var.instance_type)) && !can(regex("_GB[0-9]+_", var.instance_type))
  image_sku      = local.is_v100 ? "2204-v100" : local.is_amd ? "2204-rocm" : "2204"
  looks_up_image = var.image_id == null
  fits_image     = var.architecture == "x86_64" && (local.is_amd || local.is_nvidia)
  found_image    = local.looks_up_image ? join(":", ["microsoft-dsvm", "ubuntu-hpc", local.image_sku, data.azurerm_platform_image.gpu[0].version]) : ""
  image_id       = local.looks_up_image ? terraform_data.image[0].input : var.image_id
  image_parts    = split(":", local.image_id)
  is_urn         = length(local.image_parts) >= 4
  has_plan       = length(local.image_parts) == 5

  # A scale set must be given a key. This one is a hash of a sentence (see the README), so nobody
  # has its private half.
  nobodys_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMLd7KX3NJzFAWmTL/NEy7pmTXktXjpBJSTV2sDiokO9 nobody"
  public_key  = coalesce(var.ssh_public_key, one(data.azurerm_ssh_public_key.given[*].public_key), local.nobodys_key)
  key_parts   = var.key_id == null ? [] : split("/", var.key_id)
  user        = "multicloud"

  group_id = one(concat(
    azurerm_linux_virtual_machine_scale_set.uniform[*].id, azurerm_orchestrated_virtual_machine_scale_set.flexible[*].id,
  ))

  # At each backstop a profile that allows no node begins; half an hour later one that allows any
  # number, unless another backstop's half hour is running then.
  day_numbers = { mon = 0, tue = 1, wed = 2, thu = 3, fri = 4, sat = 5, sun = 6 }
  day_names   = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  any_number  = var.cluster_network ? 100 : 1000
  stops = [for stop in var.backstop : {
    days    = [for day in distinct(stop.days) : local.day_numbers[day]]
    minutes = tonumber(split(":", stop.time)[0]) * 60 + tonumber(split(":", stop.time)[1])
  }]
  starts = flatten([for stop in local.stops : [for day in stop.days : day * 1440 + stop.minutes]])
  profiles = [for profile in flatten([for index, stop in local.stops : [
    { name = "backstop-${index}", maximum = 0, days = stop.days, minutes = stop.minutes },
    {
      name    = "after-${index}"
      maximum = local.any_number
      days = [for day in stop.days : (day + floor((stop.minutes + 30) / 1440)) % 7 if alltrue([
        for start in local.starts : (day * 1440 + stop.minutes + 30 - start + 10080) % 10080 >= 30
      ])]
      minutes = (stop.minutes + 30) % 1440
    },
  ]]) : profile if length(profile.days) > 0]
}

data "azurerm_platform_image" "gpu" {
  count = local.looks_up_image ? 1 : 0

  location  = var.region
  publisher = "microsoft-dsvm"
  offer     = "ubuntu-hpc"
  sku       = local.image_sku
}

data "azurerm_ssh_public_key" "given" {
  count = var.key_id == null ? 0 : 1

  resource_group_name = local.key_parts[4]
  name                = local.key_parts[8]
}

# Holds the image found at the first apply, so that a newer one changes nothing by itself.
# To take the newest: terraform apply -replace='module.<name>.terraform_data.image[0]'.
resource "terraform_data" "image" {
  count = local.looks_up_image ? 1 : 0

  input = local.found_image

  lifecycle {
    ignore_changes = [input]
  }
}

check "image" {
  assert {
    condition     = local.looks_up_image ? terraform_data.image[0].input == local.found_image : true
    error_message = "A newer image than the pool's is to be had; the pool keeps its own."
  }
}

resource "azurerm_resource_group" "this" {
  count = local.makes_group ? 1 : 0

  name     = local.name
  location = var.region
  tags     = local.tags
}

resource "azurerm_proximity_placement_group" "this" {
  count = var.cluster_network ? 1 : 0

  name                = local.name
  location            = var.region
  resource_group_name = local.group_name
  tags                = local.tags
}

# What both kinds of scale set have in common is refused here, before either is made.
resource "terraform_data" "checked" {
  input = local.name

  lifecycle {
    precondition {
      condition     = local.is_spot || var.max_price_per_node_hour == null
      error_message = "Only spot nodes have a highest price: remove max_price_per_node_hour or set capacity_type to spot."
    }

    precondition {
      condition     = (var.network_id == null) == (length(var.subnet_ids) == 0)
      error_message = "network_id and subnet_ids go together: give both, or neither to have a network made."
    }

    precondition {
      condition     = length(var.subnet_ids) <= 1
      error_message = "A scale set is in one subnet: give one in subnet_ids, not ${length(var.subnet_ids)}."
    }

    precondition {
      condition     = !local.looks_up_image || local.fits_image
      error_message = "The image that is looked up has no driver for ${var.instance_type}: set image_id to one that has."
    }

    precondition {
      condition     = (var.capacity_type == "reserved") == (var.reservation_id != null)
      error_message = "reserved nodes come out of a reservation: give reservation_id with capacity_type reserved, and only then."
    }

    precondition {
      condition     = !var.cluster_network || local.has_infiniband
      error_message = "${var.instance_type} has no InfiniBand, as sizes with an r (Standard_ND96asr_v4) have: set cluster_network = false."
    }

    precondition {
      condition     = !var.cluster_network || (local.is_uniform && length(var.zones) <= 1)
      error_message = "Nodes joined by InfiniBand are in a uniform set in one zone, without public addresses: set public_ip = false, leave orchestration out and give at most one zone."
    }

    precondition {
      condition     = !var.cluster_network || var.reservation_id == null
      error_message = "Azure puts reserved nodes into no placement group, so InfiniBand does not join them: set cluster_network = false."
    }

    precondition {
      condition     = !var.public_ip || !local.is_uniform
      error_message = "A uniform set can only ask for addresses of a kind that Azure no longer makes: leave orchestration out or set it to flexible, or set public_ip = false."
    }

    precondition {
      condition     = var.ssh_public_key == null || var.key_id == null
      error_message = "A node has one key: give ssh_public_key or key_id, not both."
    }

    precondition {
      condition     = !var.cluster_network || local.max_count <= 100
      error_message = "One placement group has at most 100 nodes, not ${local.max_count}: ask for fewer, or set cluster_network = false."
    }

    precondition {
      condition     = local.is_external == (var.desired_count == null)
      error_message = "desired_count is needed with autoscaler managed, and left out with external."
    }

    precondition {
      condition     = local.is_external || var.min_count == null
      error_message = "min_count goes with autoscaler external: leave it out."
    }

    precondition {
      condition     = local.max_count >= local.desired
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }
  }
}

resource "azurerm_linux_virtual_machine_scale_set" "uniform" {
  # checkov:skip=CKV_AZURE_97:needs a feature that a subscription must first register; encryption_at_host turns it on
  count = local.is_uniform ? 1 : 0

  name                            = local.name
  computer_name_prefix            = "mc-${local.place}-"
  resource_group_name             = local.group_name
  location                        = var.region
  zones                           = length(var.zones) == 0 ? null : sort(var.zones)
  zone_balance                    = length(var.zones) == 0 ? null : false
  sku                             = var.instance_type
  instances                       = local.desired
  priority                        = local.priority
  eviction_policy                 = local.eviction_policy
  max_bid_price                   = local.max_bid_price
  capacity_reservation_group_id   = var.reservation_id
  proximity_placement_group_id    = one(azurerm_proximity_placement_group.this[*].id)
  single_placement_group          = var.cluster_network
  platform_fault_domain_count     = 1
  overprovision                   = false
  upgrade_mode                    = "Manual"
  admin_username                  = local.user
  disable_password_authentication = true
  encryption_at_host_enabled      = var.encryption_at_host
  custom_data                     = var.startup_base64
  source_image_id                 = local.is_urn ? null : local.image_id
  tags                            = local.tags

  admin_ssh_key {
    username   = local.user
    public_key = local.public_key
  }

  dynamic "source_image_reference" {
    for_each = local.is_urn ? [local.image_parts] : []

    content {
      publisher = source_image_reference.value[0]
      offer     = source_image_reference.value[1]
      sku       = source_image_reference.value[2]
      version   = source_image_reference.value[3]
    }
  }

  dynamic "plan" {
    for_each = local.has_plan ? [local.image_parts] : []

    content {
      publisher = plan.value[0]
      product   = plan.value[1]
      name      = plan.value[2]
    }
  }

  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Premium_LRS"
    disk_size_gb         = var.disk_gib
  }

  network_interface {
    name                      = local.name
    primary                   = true
    network_security_group_id = azurerm_network_security_group.this.id

    ip_configuration {
      name                           = "internal"
      primary                        = true
      subnet_id                      = local.subnet_id
      application_security_group_ids = [azurerm_application_security_group.this.id]
    }
  }

  # What was started last has the least work to lose.
  scale_in {
    rule = "NewestVM"
  }

  # Nodes must not boot before the rules that close them.
  depends_on = [azurerm_network_security_rule.this, terraform_data.checked]
}

resource "azurerm_orchestrated_virtual_machine_scale_set" "flexible" {
  count = local.is_uniform ? 0 : 1

  name                          = local.name
  resource_group_name           = local.group_name
  location                      = var.region
  zones                         = length(var.zones) == 0 ? null : sort(var.zones)
  zone_balance                  = length(var.zones) == 0 ? null : false
  sku_name                      = var.instance_type
  instances                     = local.desired
  priority                      = local.priority
  eviction_policy               = local.eviction_policy
  max_bid_price                 = local.max_bid_price
  capacity_reservation_group_id = var.reservation_id
  single_placement_group        = var.reservation_id == null ? null : false
  platform_fault_domain_count   = 1
  encryption_at_host_enabled    = var.encryption_at_host
  source_image_id               = local.is_urn ? null : local.image_id
  tags                          = local.tags

  os_profile {
    custom_data = var.startup_base64

    linux_configuration {
      computer_name_prefix            = "mc-${local.place}-"
      admin_username                  = local.user
      disable_password_authentication = true

      admin_ssh_key {
        username   = local.user
        public_key = local.public_key
      }
    }
  }

  dynamic "source_image_reference" {
    for_each = local.is_urn ? [local.image_parts] : []

    content {
      publisher = source_image_reference.value[0]
      offer     = source_image_reference.value[1]
      sku       = source_image_reference.value[2]
      version   = source_image_reference.value[3]
    }
  }

  dynamic "plan" {
    for_each = local.has_plan ? [local.image_parts] : []

    content {
      publisher = plan.value[0]
      product   = plan.value[1]
      name      = plan.value[2]
    }
  }

  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Premium_LRS"
    disk_size_gb         = var.disk_gib
  }

  network_interface {
    name                      = local.name
    primary                   = true
    network_security_group_id = azurerm_network_security_group.this.id

    ip_configuration {
      name                           = "internal"
      primary                        = true
      subnet_id                      = local.subnet_id
      application_security_group_ids = [azurerm_application_security_group.this.id]

      dynamic "public_ip_address" {
        for_each = var.public_ip ? [1] : []

        content {
          name     = "public"
          sku_name = "Standard_Regional"
        }
      }
    }
  }

  depends_on = [azurerm_network_security_rule.this, terraform_data.checked]
}

# A profile with a time holds until another one's time, so each that empties is followed by one
# that lets any size be: any that a set can have, so that a set never outgrows its profile while it
# is resized. None has a rule, so none ever starts a node.
resource "azurerm_monitor_autoscale_setting" "backstop" {
  count = length(var.backstop) > 0 ? 1 : 0

  name                = local.name
  resource_group_name = local.group_name
  location            = var.region
  target_resource_id  = local.group_id
  tags                = local.tags

  profile {
    name = "default"

    capacity {
      default = 0
      minimum = 0
      maximum = local.any_number
    }
  }

  dynamic "profile" {
    for_each = local.profiles

    content {
      name = profile.value.name

      capacity {
        default = 0
        minimum = 0
        maximum = profile.value.maximum
      }

      recurrence {
        timezone = "UTC"
        days     = [for day in profile.value.days : local.day_names[day]]
        hours    = [floor(profile.value.minutes / 60)]
        minutes  = [profile.value.minutes % 60]
      }
    }
  }

  lifecycle {
    precondition {
      condition     = length(var.backstop) <= 9
      error_message = "An autoscale setting has room for 9 backstops, not ${length(var.backstop)}: give fewer times."
    }
  }
}
