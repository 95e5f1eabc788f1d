locals {
  cloud = "gcp"

  # The same 8 digits as the program computes for this place.
  place = coalesce(var.place, substr(sha256(join("|", [
    local.cloud, var.region, join(",", sort(var.zones)), var.instance_type, var.capacity_type,
  ])), 0, 8))

  # A name begins with a letter, whatever a policy's begins with.
  whose     = replace(lower("${var.policy_name}-${var.pool_name}"), "/[^a-z0-9-]/", "-")
  made_name = "${substr(replace(local.whose, "/^([^a-z])/", "mc-$1"), 0, 48)}-${local.place}"
  name      = coalesce(var.name, local.made_name)
  count     = var.desired_count == null ? 0 : var.desired_count
  max_count = coalesce(var.max_count, local.count)

  makes_network = var.network_id == null
  network_id    = local.makes_network ? google_compute_network.this[0].id : var.network_id
  subnet_id     = local.makes_network ? google_compute_subnetwork.this[0].id : one(var.subnet_ids)

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

  # docs.cloud.google.com/tpu/docs/runtimes
  runtime_version = coalesce(var.image_id, startswith(var.instance_type, "v5p-") ? "v2-alpha-tpuv5" : "v2-alpha-tpuv5-lite")
}

# There is no group of TPUs: each slice is a resource, and the highest numbers go first.
resource "google_tpu_v2_vm" "node" {
  provider = google-beta
  for_each = toset([for index in range(local.count) : format("%03d", index)])

  name             = "${local.name}-${each.key}"
  zone             = var.zones[0]
  description      = "Node of TPU pool ${var.pool_name}."
  accelerator_type = var.instance_type
  runtime_version  = local.runtime_version
  labels           = local.labels
  metadata         = local.metadata
  tags             = [local.name]

  network_config {
    network             = local.network_id
    subnetwork          = local.subnet_id
    enable_external_ips = var.public_ip
  }

  dynamic "service_account" {
    for_each = var.service_account == null ? [] : [var.service_account]

    content {
      email = service_account.value
      scope = ["https://www.googleapis.com/auth/cloud-platform"]
    }
  }

  depends_on = [google_compute_firewall.pool]
}

# Held once for the pool, so that a size of 0 is looked at too.
resource "terraform_data" "asked" {
  lifecycle {
    precondition {
      condition     = var.desired_count != null
      error_message = "desired_count is needed: nobody else decides the size."
    }

    precondition {
      condition     = local.max_count >= local.count
      error_message = "max_count ${local.max_count} is below the nodes wanted: raise it or leave it out."
    }

    precondition {
      condition     = local.count < 1000
      error_message = "A TPU pool has fewer than 1000 nodes: ask for larger slices."
    }

    precondition {
      condition     = alltrue([for zone in var.zones : startswith(zone, "${var.region}-")])
      error_message = "Zone ${join(", ", var.zones)} is not in ${var.region}: name a zone of the region."
    }

    precondition {
      condition     = local.makes_network ? length(var.subnet_ids) == 0 : length(var.subnet_ids) <= 1
      error_message = "subnet_ids has one subnetwork of network_id at most, and goes with it."
    }
  }
}
