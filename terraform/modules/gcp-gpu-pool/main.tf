locals {
  cloud       = "gcp"
  is_spot     = var.capacity_type == "spot"
  is_external = var.autoscaler == "external"
  is_zonal    = length(var.zones) == 1

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  # A name begins with a letter, whatever a policy's begins with.
  whose     = replace(lower("${var.policy_name}-${var.pool_name}"), "/[^a-z0-9-]/", "-")
  made_name = "${substr(replace(local.whose, "/^([^a-z])/", "mc-$1"), 0, 48)}-${local.place}"
  name      = coalesce(var.name, local.made_name)
  max_count = try(coalesce(var.max_count, var.desired_count), 0)
  zones     = length(var.zones) > 0 ? sort(var.zones) : sort(data.google_compute_zones.open[0].names)

  # Labels are lower case and short here, so the names as they are written stand in the metadata.
  labels = merge(var.labels, {
    managed-by = "multicloud"
    policy     = substr(replace(lower(var.policy_name), "/[^a-z0-9_-]/", "-"), 0, 63)
    pool       = substr(replace(lower(var.pool_name), "/[^a-z0-9_-]/", "-"), 0, 63)
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

  # Only N1 machines, custom ones among them, have GPUs attached; every other type comes with its own.
  is_n1 = can(regex("^(n1|custom)-", var.instance_type))
  accelerators = {
    P4        = "nvidia-tesla-p4"
    P100      = "nvidia-tesla-p100"
    T4        = "nvidia-tesla-t4"
    V100      = "nvidia-tesla-v100"
    V100-16GB = "nvidia-tesla-v100"
  }
  accelerator = local.is_n1 ? lookup(local.accelerators, var.gpu.type, "") : ""

  # These are sold as spot nodes only (or for a few days, in a queue, which no pool can use).
  is_spot_only = can(regex("^a3-highgpu-[124]g$", var.instance_type))

  # How nodes come close to each other: a group of machines made for clusters takes a workload
  # policy, nodes of other types a compact placement policy. Types whose GPUs have RDMA interfaces
  # (A3 Ultra and everything newer but G4) need networks that are not made here.
  # docs.cloud.google.com/ai-hypercomputer/docs/placement-policy-and-workload-policy
  placement = (
    can(regex("^a3-(highgpu|megagpu)-8g$", var.instance_type)) ? "workload" :
    can(regex("^(a2|g2|g4|a3-edgegpu|a3-highgpu)-", var.instance_type)) ? "compact" : ""
  )
  is_close = { for kind in ["workload", "compact"] : kind => var.cluster_network && local.placement == kind }

  # Interfaces of the GPUs themselves (GPUDirect-TCPX and -TCPXO), each in a network of its own.
  gpu_interfaces = !var.cluster_network ? 0 : lookup({
    a3-edgegpu-8g = 4
    a3-highgpu-8g = 4
    a3-megagpu-8g = 8
  }, var.instance_type, 0)

  # The newest machines boot from Hyperdisk only.
  disk_type = can(regex("^(a3-ultragpu|a4|a4x|g4)-", var.instance_type)) ? "hyperdisk-balanced" : "pd-balanced"

  makes_network = var.network_id == null && length(var.subnet_ids) == 0
  network_id    = local.makes_network ? google_compute_network.this[0].id : var.network_id
  subnet_id     = local.makes_network ? google_compute_subnetwork.this[0].id : try(var.subnet_ids[0], null)

  looks_up_image = var.image_id == null
  image_family = coalesce(var.image_family, {
    x86_64 = "ubuntu-accelerator-2404-amd64-with-nvidia-580"
    arm64  = "ubuntu-accelerator-2404-arm64-with-nvidia-580"
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

resource "google_compute_resource_policy" "close" {
  count = var.cluster_network ? 1 : 0

  name        = local.name
  region      = var.region
  description = "Nodes of GPU pool ${var.pool_name}, close to each other."

  dynamic "group_placement_policy" {
    for_each = local.is_close.compact ? [1] : []

    content {
      collocation = "COLLOCATED"
    }
  }

  dynamic "workload_policy" {
    for_each = local.is_close.workload ? [1] : []

    content {
      type = "HIGH_THROUGHPUT"
    }
  }
}

# A template cannot be changed, and cannot go while its group refers to it: a new one, under a new
# name, comes first.
resource "google_compute_instance_template" "this" {
  # checkov:skip=CKV_GCP_32:set in local.metadata, where it is not looked for
  # checkov:skip=CKV_GCP_40:only with public_ip, which is false unless asked for
  name_prefix       = "${trimsuffix(substr(local.name, 0, 36), "-")}-"
  description       = "${var.gpu.count} x ${var.gpu.type} per node."
  machine_type      = var.instance_type
  region            = var.region
  labels            = local.labels
  metadata          = local.metadata
  tags              = [local.name]
  resource_policies = local.is_close.compact ? google_compute_resource_policy.close[*].id : null

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

  dynamic "network_interface" {
    for_each = google_compute_subnetwork.gpu

    content {
      subnetwork = network_interface.value.id
      nic_type   = "GVNIC"
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
      condition     = local.is_spot || !local.is_spot_only
      error_message = "${var.instance_type} is sold as spot only: set capacity_type to spot, or instance_type to a3-highgpu-8g."
    }

    precondition {
      condition     = !local.looks_up_image || var.image_family != null || !contains(["P4", "P100", "V100", "V100-16GB"], var.gpu.type)
      error_message = "The image that is looked up has NVIDIA's open driver, which has nothing for the ${var.gpu.type}: set image_id or image_family to one with the closed driver."
    }

    precondition {
      condition     = !var.cluster_network || local.placement != ""
      error_message = "${var.instance_type} has no cluster network here, as A2, A3 High, A3 Mega, A3 Edge, G2 and G4 machines have: set cluster_network = false."
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

  dynamic "resource_policies" {
    for_each = local.is_close.workload ? google_compute_resource_policy.close : []

    content {
      workload_policy = resource_policies.value.self_link
    }
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
  depends_on = [google_compute_firewall.gpu, google_compute_firewall.pool]
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

  depends_on = [google_compute_firewall.gpu, google_compute_firewall.pool]
}

# Groups have schedules that raise a size, none that takes it to 0: so Cloud Scheduler asks.
resource "google_cloud_scheduler_job" "backstop" {
  for_each = { for index, stop in var.backstop : index => stop }

  name        = "${local.name}-${each.key}"
  region      = var.region
  description = "Empties GPU pool ${var.pool_name} should nobody else do it."
  schedule    = "${tonumber(split(":", each.value.time)[1])} ${tonumber(split(":", each.value.time)[0])} * * ${upper(join(",", each.value.days))}"
  time_zone   = "Etc/UTC"

  http_target {
    http_method = "POST"
    uri         = "${local.group.self_link}/resize?size=0"

    oauth_token {
      service_account_email = var.service_account
    }
  }

  # The last resort is not left to one attempt.
  retry_config {
    retry_count = 5
  }
}
