locals {
  cloud       = "oracle"
  is_spot     = var.capacity_type == "spot"
  is_external = var.autoscaler == "external"

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  name      = coalesce(var.name, "${substr("${var.policy_name}-${var.pool_name}", 0, 180)}-${local.place}")
  max_count = try(coalesce(var.max_count, var.desired_count), 0)
  desired   = local.is_external ? coalesce(var.min_count, 0) : coalesce(var.desired_count, 0)

  tags = merge(var.labels, {
    managed-by = "multicloud"
    policy     = var.policy_name
    pool       = var.pool_name
    place      = local.place
  })

  # An availability domain's full name begins with letters of the tenancy: Uocm:US-ASHBURN-AD-1.
  # What stays the same for everybody is the number at its end.
  domain_numbers = [for zone in var.zones : regex("[0-9]+$", zone)]
  domains = sort([
    for domain in data.oci_identity_availability_domains.all.availability_domains : domain.name
    if length(var.zones) == 0 || contains(local.domain_numbers, regex("[0-9]+$", domain.name))
  ])

  # docs.oracle.com: RDMA cluster networks, and shapes for preemptible instances.
  has_rdma       = can(regex("^BM\\.(GPU4\\.8|GPU\\.A100-v2\\.8|GPU\\.H100\\.8|GPU\\.H200\\.8|GPU\\.B200\\.8|GPU\\.MI300X\\.8)$", var.instance_type))
  is_preemptible = can(regex("^VM\\.GPU[23]\\.", var.instance_type))
  is_flex        = endswith(var.instance_type, ".Flex")
  is_amd         = can(regex("\\.MI[0-9]+X\\.", var.instance_type))

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  network_id    = local.makes_network ? oci_core_vcn.this[0].id : var.network_id
  subnet_id     = local.makes_network ? oci_core_subnet.this[0].id : try(var.subnet_ids[0], null)

  # Of Oracle Linux's images for the shape those with NVIDIA's driver have it in their name; those
  # for Kubernetes have more in it.
  looks_up_image = var.image_id == null
  gpu_images = local.looks_up_image ? [
    for image in data.oci_core_images.gpu[0].images : image.id
    if can(regex("^Oracle-Linux-[0-9.]+-Gen2-GPU-[0-9.]+-[0-9]+$", image.display_name))
  ] : []
  found_image_id = try(local.gpu_images[0], "")
  image_id       = local.looks_up_image ? terraform_data.image[0].input : var.image_id

  metadata = {
    for key, value in { ssh_authorized_keys = var.ssh_public_key, user_data = var.startup_base64 } : key => value if value != null
  }

  # What lets nodes of a cluster network set their RDMA interfaces up. The third plugin of its kind
  # only measures, and Oracle bills what it measures.
  rdma_plugins = ["Compute HPC RDMA Auto-Configuration", "Compute HPC RDMA Authentication"]
}

data "oci_identity_availability_domains" "all" {
  compartment_id = var.compartment_id
}

data "oci_core_images" "gpu" {
  count = local.looks_up_image ? 1 : 0

  compartment_id   = var.compartment_id
  operating_system = "Oracle Linux"
  shape            = var.instance_type
  sort_by          = "TIMECREATED"
  sort_order       = "DESC"
  state            = "AVAILABLE"
}

# Holds the image found at the first apply, so that a newer one changes nothing by itself.
# To take the newest: terraform apply -replace='module.<name>.terraform_data.image[0]'.
resource "terraform_data" "image" {
  count = local.looks_up_image ? 1 : 0

  input = local.found_image_id

  lifecycle {
    ignore_changes = [input]
  }
}

check "image" {
  assert {
    condition     = local.looks_up_image ? terraform_data.image[0].input == local.found_image_id : true
    error_message = "A newer image than the pool's is to be had; the pool keeps its own."
  }
}

# The plugins that set RDMA up need drivers beside them, and a way to the service that lets nodes in.
check "rdma" {
  assert {
    condition     = !var.cluster_network || var.image_id != null
    error_message = "The image that is looked up has no RDMA drivers: set image_id to one of Oracle's HPC or GPU cluster networking images."
  }

  assert {
    condition     = !var.cluster_network || !local.makes_network || var.public_ip
    error_message = "Nodes in a closed network do not reach the service that lets them into RDMA: give network_id and subnet_ids with a service gateway."
  }
}

# It cannot be changed: a new one comes first, since its pool cannot be without.
resource "oci_core_instance_configuration" "this" {
  compartment_id = var.compartment_id
  display_name   = local.name
  freeform_tags  = local.tags

  instance_details {
    instance_type = "compute"

    launch_details {
      compartment_id          = var.compartment_id
      display_name            = local.name
      shape                   = var.instance_type
      capacity_reservation_id = var.reservation_id
      metadata                = local.metadata
      freeform_tags           = local.tags

      dynamic "shape_config" {
        for_each = var.flex == null ? [] : [var.flex]

        content {
          ocpus         = shape_config.value.ocpus
          memory_in_gbs = shape_config.value.memory_gib
        }
      }

      source_details {
        source_type             = "image"
        image_id                = local.image_id
        boot_volume_size_in_gbs = tostring(var.disk_gib)
      }

      create_vnic_details {
        subnet_id        = local.subnet_id
        nsg_ids          = [oci_core_network_security_group.this.id]
        assign_public_ip = var.public_ip
        freeform_tags    = local.tags
      }

      # Version 2 of the metadata service only: its header stops a tricked web process.
      instance_options {
        are_legacy_imds_endpoints_disabled = true
      }

      dynamic "agent_config" {
        for_each = var.cluster_network ? [1] : []

        content {
          dynamic "plugins_config" {
            for_each = local.rdma_plugins

            content {
              name          = plugins_config.value
              desired_state = "ENABLED"
            }
          }
        }
      }

      dynamic "preemptible_instance_config" {
        for_each = local.is_spot ? [1] : []

        content {
          preemption_action {
            type                 = "TERMINATE"
            preserve_boot_volume = false
          }
        }
      }
    }
  }

  lifecycle {
    create_before_destroy = true

    precondition {
      condition     = var.compartment_id != null
      error_message = "Oracle Cloud puts everything into a compartment: give compartment_id."
    }

    precondition {
      condition     = alltrue([for zone in var.zones : startswith(zone, "${var.region}-AD-")])
      error_message = "Availability domains ${jsonencode(var.zones)} are not all in ${var.region}: they read like ${var.region}-AD-1."
    }

    precondition {
      condition     = (var.network_id == null) == (length(var.subnet_ids) == 0)
      error_message = "network_id and subnet_ids go together: give both, or neither to have a network made."
    }

    precondition {
      condition     = length(var.subnet_ids) <= 1
      error_message = "A regional subnet serves every availability domain: give one in subnet_ids, not ${length(var.subnet_ids)}."
    }

    precondition {
      condition     = local.is_flex == (var.flex != null)
      error_message = "Flexible shapes, and only they, need flex with ocpus and memory_gib: ${var.instance_type} is ${local.is_flex ? "one" : "none"}."
    }

    precondition {
      condition     = !local.is_spot || local.is_preemptible
      error_message = "${var.instance_type} cannot be preemptible, as VM.GPU2 and VM.GPU3 shapes can: set capacity_type to on_demand."
    }

    precondition {
      condition     = (var.capacity_type == "reserved") == (var.reservation_id != null)
      error_message = "reserved nodes come out of a reservation: give reservation_id with capacity_type reserved, and only then."
    }

    precondition {
      condition     = !var.cluster_network || local.has_rdma
      error_message = "${var.instance_type} has no RDMA cluster network, as BM.GPU4.8, BM.GPU.A100-v2.8 and newer bare-metal shapes have: set cluster_network = false."
    }

    precondition {
      condition     = !local.looks_up_image || !local.is_amd
      error_message = "The image that is looked up has no driver for ${var.instance_type}: set image_id to one that has ROCm."
    }

    precondition {
      condition     = local.image_id != ""
      error_message = "No image with GPU driver for ${var.instance_type} in ${var.region}: set image_id."
    }
  }
}

resource "oci_core_instance_pool" "this" {
  count = var.cluster_network ? 0 : 1

  compartment_id            = var.compartment_id
  display_name              = local.name
  instance_configuration_id = oci_core_instance_configuration.this.id
  size                      = local.desired
  freeform_tags             = local.tags

  dynamic "placement_configurations" {
    for_each = local.domains

    content {
      availability_domain = placement_configurations.value
      primary_subnet_id   = local.subnet_id
    }
  }

  lifecycle {
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
      condition     = length(local.domains) > 0
      error_message = "The tenancy has none of the availability domains ${jsonencode(var.zones)}: give others."
    }

    precondition {
      condition     = var.capacity_type != "reserved" || length(local.domains) <= 1
      error_message = "A reservation is in one availability domain: name it in zones, as ${var.region}-AD-1, or in the policy's place."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }
  }

  # The provider waits until the pool runs, and cannot be told not to. Short of capacity a pool goes
  # on trying for a day: an error long before that lets another place be tried.
  timeouts {
    create = "30m"
    update = "30m"
    delete = "1h"
  }

  # Nodes must not boot before they are let out.
  depends_on = [oci_core_network_security_group_security_rule.this]
}

# Here the pool is a part of the network that joins its nodes.
resource "oci_core_cluster_network" "this" {
  count = var.cluster_network ? 1 : 0

  compartment_id = var.compartment_id
  display_name   = local.name
  freeform_tags  = local.tags

  instance_pools {
    instance_configuration_id = oci_core_instance_configuration.this.id
    size                      = local.desired
    display_name              = local.name
    freeform_tags             = local.tags
  }

  placement_configuration {
    availability_domain = try(local.domains[0], "")
    primary_subnet_id   = local.subnet_id
  }

  lifecycle {
    precondition {
      condition     = length(local.domains) == 1
      error_message = "A cluster network is in one availability domain: give one in zones, not ${length(var.zones)}."
    }

    precondition {
      condition     = !local.is_external && length(var.backstop) == 0
      error_message = "Oracle's autoscaling does not reach into cluster networks: leave out autoscaler external and backstop, or set cluster_network = false."
    }

    precondition {
      condition     = var.desired_count != null
      error_message = "desired_count is needed for a cluster network."
    }
  }

  # Bare metal takes longer than the provider's 20 minutes, and what it gave up on is made anew.
  timeouts {
    create = "1h"
    update = "1h"
    delete = "1h"
  }

  depends_on = [oci_core_network_security_group_security_rule.this]
}

resource "oci_autoscaling_auto_scaling_configuration" "backstop" {
  count = length(var.backstop) > 0 && !var.cluster_network ? 1 : 0

  compartment_id = var.compartment_id
  display_name   = local.name
  is_enabled     = true
  freeform_tags  = local.tags

  auto_scaling_resources {
    id   = oci_core_instance_pool.this[0].id
    type = "instancePool"
  }

  dynamic "policies" {
    for_each = var.backstop

    content {
      display_name = "backstop-${policies.key}"
      policy_type  = "scheduled"
      is_enabled   = true

      # Of a policy with a schedule the initial size is the one that it sets, and bounds are not
      # looked at. They are left out: any change of a policy makes the whole schedule anew.
      capacity {
        initial = 0
      }

      execution_schedule {
        type       = "cron"
        timezone   = "UTC"
        expression = "0 ${tonumber(split(":", policies.value.time)[1])} ${tonumber(split(":", policies.value.time)[0])} ? * ${upper(join(",", policies.value.days))} *"
      }
    }
  }
}
