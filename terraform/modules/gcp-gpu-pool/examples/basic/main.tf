# Two spot nodes with eight A100s in any of three zones, reachable by SSH from one address.

terraform {
  required_version = ">= 1.6"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 6.50, < 9"
    }
  }
}

provider "google" {
  region = "us-central1"
}

module "pool" {
  source = "../.."

  policy_name    = "example"
  pool_name      = "training"
  region         = "us-central1"
  zones          = ["us-central1-a", "us-central1-b", "us-central1-c"]
  instance_type  = "a2-highgpu-8g"
  gpu            = { type = "A100-40GB", count = 8 }
  capacity_type  = "spot"
  desired_count  = 2
  labels         = { team = "research" }
  public_ip      = true
  ports          = [22]
  port_sources   = ["203.0.113.7/32"]
  ssh_public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHb2ZpxUgL0bV6x1y6h9dJc1m3Zz3x4b1c8m5o9kq2Ws someone@example.com"
  startup_base64 = base64encode("#!/bin/sh\nnvidia-smi -pm 1\n")
}

output "pool_id" {
  description = "Id of the managed instance group."
  value       = module.pool.pool_id
}
