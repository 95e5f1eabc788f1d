locals {
  cloud       = "gcp"
  is_spot     = var.capacity_type == "spot"
  is_external = var.autoscaler == "external"
  is_zonal    = length(var.zones) == 1

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  made_name = lower(replace("${substr("${var.policy_name}-${var.pool_name}", 0, 48)}-${local.place}", "/[^A-Za-z0-9-]/", "-"))
  name      = coalesce(var.name, local.made_name)
  max_count = try(coalesce(var.max_count, var.desired_count), 0)
  zones     = length(var.zones) > 0 ? sort(var.zones) : sort(data.google_compute_zones.open[0].names)

  # Labels are lower case here, so the names as they are written stand in the metadata too.
  labels = merge(var.labels, {
    managed-by = "multicloud"
    policy     = lower(var.policy_name)
    pool       = lower(var.pool_name)
    place      = local.place
  })
  metadata = {
    for key, value in {
      multicloud-policy      = var.policy_name
      multicloud-pool        = var.pool_name
      block-project-ssh-keys = "TRUE"
      enable-oslogin         = var.ssh_public_key == null ? "TRUE" : "FALSE"
      ssh-keys               = var.ssh_public_key == null ? null : "multicloud:${var.ssh_public_key}"
      startup-script         = var.startup_base64 == null ? null : base64decode(var.startup_base64)
    } : key => value if value != null
  }

  # Only N1 machines have GPUs attached to them; every other type comes with its own.
  is_n1 = startswith(var.instance_type, "n1-")
  accelerators = {
    P4          = "nvidia-tesla-p4"
    P100        = "nvidia-tesla-p100"
    T4          = "nvidia-tesla-t4"
    V100        = "nvidia-tesla-v100"
    V100-16GB   = "nvidia-tesla-v100"
    "P100-PCIe" = "nvidia-tesla-p100"
  }
  accelerator = local.is_n1 ? lookup(local.accelerators, var.gpu.type, "") : ""

  # What Google Cloud lets be placed compactly: cloud.google.com/compute/docs/instances/placement-policies-overview.
  is_compact = can(regex("^(a2|a3|a4|a4x|g2)-", var.instance_type))

  # The newest machines boot from Hyperdisk only.
  disk_type = can(regex("^(a3-ultragpu|a4|a4x|g4)-", var.instance_type)) ? "hyperdisk-balanced" : "pd-balanced"

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  network_id    = local.makes_network ? google_compute_network.this[0].id : var.network_id
  subnet_id     = local.makes_network ? google_compute_subnetwork.this[0].id : try(var.subnet_ids[0], null)

  looks_up_image = var.image_id == null
  image_family = coalesce(var.image_family, {
    x86_64 = "ubuntu-accelerator-2204-amd64-with-nvidia-570"
    arm64  = "ubuntu-accelerator-2204-arm64-with-nvidia-570"
  }[var.architecture])
  image_id = local.looks_up_image ? terraform_data.image[0].input : var.image_id

  group = one(concat(
    google_compute_instance_group_manager.zonal[*], google_compute_region_instance_group_manager.regional[*],
  ))
}

data "google_compute_zones" "open" {
  count = length(var.zones) == 0 ? 1 : 0

  region = var.region
  status = "UP"
}

data "google_compute_image" "gpu" {
  count = local.looks_up_image ? 1 : 0

  project = var.image_project
  family  = local.image_family
}

# Holds the image found at the first apply, so that a newer one changes nothing by itself.
# To take the newest: terraform apply -replace='module.<name>.terraform_data.image[0]'.
resource "terraform_data" "image" {
  count = local.looks_up_image ? 1 : 0

  input = data.google_compute_image.gpu[0].self_link

  lifecycle {
    ignore_changes = [input]
  }
}

check "image" {
  assert {
    condition     = local.looks_up_image ? terraform_data.image[0].input == data.google_compute_image.gpu[0].self_link : true
    error_message = "A newer image than the pool's is to be had; the pool keeps its own."
  }
}

resource "google_compute_resource_policy" "compact" {
  count = var.cluster_network ? 1 : 0

  name        = local.name
  region      = var.region
  description = "Nodes of GPU pool ${var.pool_name}, close to each other."

  group_placement_policy {
    collocation = "COLLOCATED"
  }
}

# A template cannot be changed, and cannot go while its group refers to it: a new one, under a new
# name, comes first.
resource "google_compute_instance_template" "this" {
  name_prefix       = "${trimsuffix(substr(local.name, 0, 36), "-")}-"
  description       = "${var.gpu.count} x ${var.gpu.type} per node."
  machine_type      = var.instance_type
  region            = var.region
  labels            = local.labels
  metadata          = local.metadata
  tags              = [local.name]
  resource_policies = google_compute_resource_policy.compact[*].id

  disk {
    boot         = true
    auto_delete  = true
    source_image = local.image_id
    disk_size_gb = var.disk_gib
    disk_type    = local.disk_type
    labels       = local.labels
  }

  network_interface {
    network    = local.subnet_id == null ? local.network_id : null
    subnetwork = local.subnet_id
    nic_type   = local.is_n1 ? null : "GVNIC"

    dynamic "access_config" {
      for_each = var.public_ip ? [1] : []

      content {}
    }
  }

  dynamic "guest_accelerator" {
    for_each = local.is_n1 ? [1] : []

    content {
      type  = local.accelerator
      count = var.gpu.count
    }
  }

  # All of a spot node's fields, or none: any two of them contradict the defaults of the others.
  # Machines with GPUs cannot move while they run, so maintenance ends them.
  scheduling {
    provisioning_model          = local.is_spot ? "SPOT" : "STANDARD"
    preemptible                 = local.is_spot
    automatic_restart           = !local.is_spot
    on_host_maintenance         = "TERMINATE"
    instance_termination_action = local.is_spot ? "DELETE" : null
  }

  dynamic "reservation_affinity" {
    for_each = var.reservation_id == null ? [] : [1]

    content {
      type = "SPECIFIC_RESERVATION"

      specific_reservation {
        key    = "compute.googleapis.com/reservation-name"
        values = [var.reservation_id]
      }
    }
  }

  dynamic "service_account" {
    for_each = var.service_account == null ? [] : [1]

    content {
      email  = var.service_account
      scopes = ["cloud-platform"]
    }
  }

  # NVIDIA's driver in the image is signed, but a driver that a startup script builds is not.
  shielded_instance_config {
    enable_secure_boot          = false
    enable_vtpm                 = true
    enable_integrity_monitoring = true
  }

  lifecycle {
    create_before_destroy = true

    precondition {
      condition     = alltrue([for zone in var.zones : startswith(zone, "${var.region}-")])
      error_message = "Zones ${jsonencode(var.zones)} are not all in ${var.region}: they read like ${var.region}-a."
    }

    precondition {
      condition     = var.network_id != null || length(var.subnet_ids) == 0
      error_message = "subnet_ids go with network_id: give both, or neither to have a network made."
    }

    precondition {
      condition     = length(var.subnet_ids) <= 1
      error_message = "A subnetwork spans the region: give one in subnet_ids, not ${length(var.subnet_ids)}."
    }

    precondition {
      condition     = !local.is_n1 || local.accelerator != ""
      error_message = "N1 machines take one of ${join(", ", keys(local.accelerators))}, not ${var.gpu.type}: change gpu.type or instance_type."
    }

    precondition {
      condition     = (var.capacity_type == "reserved") == (var.reservation_id != null)
      error_message = "reserved nodes come out of a reservation: give reservation_id with capacity_type reserved, and only then."
    }

    precondition {
      condition     = !var.cluster_network || local.is_compact
      error_message = "${var.instance_type} cannot be placed compactly, as A2, A3, A4 and G2 machines can: set cluster_network = false."
    }

    precondition {
      condition     = !var.cluster_network || local.is_zonal
      error_message = "Nodes that are close to each other are in one zone: give one in zones, or set cluster_network = false."
    }
  }
}

resource "google_compute_instance_group_manager" "zonal" {
  count = local.is_zonal ? 1 : 0

  name               = local.name
  base_instance_name = local.name
  zone               = local.zones[0]
  target_size        = local.is_external ? null : var.desired_count
  wait_for_instances = false

  version {
    instance_template = google_compute_instance_template.this.id
  }

  # A new template is for nodes started later; running ones are not replaced.
  update_policy {
    type                  = "OPPORTUNISTIC"
    minimal_action        = "REPLACE"
    max_surge_fixed       = 0
    max_unavailable_fixed = 1
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
      condition     = local.max_count >= try(coalesce(var.min_count, var.desired_count), 0)
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = length(var.backstop) == 0 || var.service_account != null
      error_message = "backstop acts as a service account: give service_account, which needs the right to resize the group."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }
  }

  # Nodes must not boot before they reach each other.
  depends_on = [google_compute_firewall.pool]
}

resource "google_compute_region_instance_group_manager" "regional" {
  count = local.is_zonal ? 0 : 1

  name                             = local.name
  base_instance_name               = local.name
  region                           = var.region
  distribution_policy_zones        = local.zones
  distribution_policy_target_shape = "BALANCED"
  target_size                      = local.is_external ? null : var.desired_count
  wait_for_instances               = false

  version {
    instance_template = google_compute_instance_template.this.id
  }

  # Of a regional group the two numbers are 0 or at least the number of zones. Nodes that work
  # are not moved for the sake of balance.
  update_policy {
    type                         = "OPPORTUNISTIC"
    minimal_action               = "REPLACE"
    instance_redistribution_type = "NONE"
    max_surge_fixed              = 0
    max_unavailable_fixed        = length(local.zones)
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
      condition     = local.max_count >= try(coalesce(var.min_count, var.desired_count), 0)
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = length(var.backstop) == 0 || var.service_account != null
      error_message = "backstop acts as a service account: give service_account, which needs the right to resize the group."
    }

    precondition {
      condition     = length(var.backstop) == 0 || !local.is_external
      error_message = "backstop would work against the autoscaler: leave it out with autoscaler external."
    }
  }

  depends_on = [google_compute_firewall.pool]
}

# Groups have schedules that raise a size, none that takes it to 0: so Cloud Scheduler asks.
resource "google_cloud_scheduler_job" "backstop" {
  for_each = { for index, stop in var.backstop : index => stop }

  name        = "${local.name}-${each.key}"
  region      = var.region
  description = "Empties GPU pool ${var.pool_name} should nobody else do it."
  schedule    = "${tonumber(split(":", each.value.time)[1])} ${tonumber(split(":", each.value.time)[0])} * * ${join(",", each.value.days)}"
  time_zone   = "Etc/UTC"

  http_target {
    http_method = "POST"
    uri         = "${local.group.self_link}/resize?size=0"

    oauth_token {
      service_account_email = var.service_account
    }
  }
}
