# Made only when no network is given. Without public addresses nodes reach Google's own services
# and nothing else; nothing reaches them.

resource "google_compute_network" "this" {
  # checkov:skip=CKV2_GCP_18:the rules stand below, for a network that is given too
  provider = google-beta
  count    = local.makes_network ? 1 : 0

  name                    = local.name
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "this" {
  # checkov:skip=CKV_GCP_26:flow logs cost money; whoever wants them gives a network
  provider = google-beta
  count    = local.makes_network ? 1 : 0

  name                     = local.name
  region                   = var.region
  network                  = google_compute_network.this[0].id
  ip_cidr_range            = var.network_cidr
  private_ip_google_access = true
}

# The hosts of a slice need every port between them, and only between them.
resource "google_compute_firewall" "pool" {
  provider = google-beta

  name        = "${local.name}-pool"
  description = "Nodes of TPU pool ${var.pool_name}."
  network     = local.network_id
  source_tags = [local.name]
  target_tags = [local.name]

  allow {
    protocol = "all"
  }
}

resource "google_compute_firewall" "port" {
  provider = google-beta
  count    = length(var.ports) > 0 && length(var.port_sources) > 0 ? 1 : 0

  name          = "${local.name}-port"
  description   = "Asked for by the pool's ports."
  network       = local.network_id
  source_ranges = var.port_sources
  target_tags   = [local.name]

  allow {
    protocol = "tcp"
    ports    = [for port in sort(var.ports) : tostring(port)]
  }
}
