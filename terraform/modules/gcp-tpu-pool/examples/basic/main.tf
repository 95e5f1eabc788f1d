# Two v5e slices with eight chips each.

terraform {
  required_version = ">= 1.6"

  required_providers {
    google-beta = {
      source  = "hashicorp/google-beta"
      version = ">= 6.50, < 9"
    }
  }
}

provider "google-beta" {
  region = "us-central1"
}

module "pool" {
  source = "../.."

  policy_name    = "example"
  pool_name      = "training"
  region         = "us-central1"
  zones          = ["us-central1-a"]
  instance_type  = "v5litepod-8"
  gpu            = { type = "TPU-v5e", count = 8 }
  capacity_type  = "on_demand"
  desired_count  = 2
  labels         = { team = "research" }
  startup_base64 = base64encode("#!/bin/sh\ntrue\n")
}

output "pool_id" {
  description = "Name that the nodes have before their numbers."
  value       = module.pool.pool_id
}
