# Made only when no network is given. Without public addresses nodes reach Google's own services
# and nothing else; nothing reaches them.

resource "google_compute_network" "this" {
  count = local.makes_network ? 1 : 0

  name                    = local.name
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "this" {
  # checkov:skip=CKV_GCP_26:flow logs cost money; whoever wants them gives a network
  count = local.makes_network ? 1 : 0

  name                     = local.name
  region                   = var.region
  network                  = google_compute_network.this[0].id
  ip_cidr_range            = var.network_cidr
  private_ip_google_access = true
}

# Training over several nodes needs every port between them, and only between them.
resource "google_compute_firewall" "pool" {
  name        = "${local.name}-pool"
  description = "Nodes of GPU pool ${var.pool_name}."
  network     = local.network_id
  source_tags = [local.name]
  target_tags = [local.name]

  allow {
    protocol = "all"
  }
}

resource "google_compute_firewall" "port" {
  count = length(var.ports) > 0 && length(var.port_sources) > 0 ? 1 : 0

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

# One network for each interface of the GPUs: a machine takes no two interfaces in one network.
# Their addresses are of the block set aside for carriers, which hardly any network uses.
resource "google_compute_network" "gpu" {
  count = local.gpu_interfaces

  name                    = "${local.name}-g${count.index}"
  auto_create_subnetworks = false
  mtu                     = 8244
}

resource "google_compute_subnetwork" "gpu" {
  # checkov:skip=CKV_GCP_26:carries the traffic between GPUs only
  # checkov:skip=CKV_GCP_74:carries the traffic between GPUs only
  count = local.gpu_interfaces

  name          = "${local.name}-g${count.index}"
  region        = var.region
  network       = google_compute_network.gpu[count.index].id
  ip_cidr_range = cidrsubnet("100.64.0.0/16", 4, count.index)
}

resource "google_compute_firewall" "gpu" {
  count = local.gpu_interfaces

  name        = "${local.name}-g${count.index}"
  description = "GPUs of GPU pool ${var.pool_name}."
  network     = google_compute_network.gpu[count.index].id
  source_tags = [local.name]
  target_tags = [local.name]

  allow {
    protocol = "all"
  }
}
