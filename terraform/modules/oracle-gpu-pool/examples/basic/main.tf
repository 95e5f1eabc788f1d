# One on-demand node with an A10, reachable by SSH from one address.

terraform {
  required_version = ">= 1.6"

  required_providers {
    oci = {
      source  = "oracle/oci"
      version = ">= 7.0, < 9"
    }
  }
}

provider "oci" {
  region = "us-ashburn-1"
}

module "pool" {
  source = "../.."

  policy_name    = "example"
  pool_name      = "inference"
  region         = "us-ashburn-1"
  zones          = ["us-ashburn-1-AD-1", "us-ashburn-1-AD-2"]
  compartment_id = "ocid1.compartment.oc1..example"
  instance_type  = "VM.GPU.A10.1"
  gpu            = { type = "A10", count = 1 }
  capacity_type  = "on_demand"
  desired_count  = 1
  labels         = { team = "research" }
  public_ip      = true
  ports          = [22]
  port_sources   = ["203.0.113.7/32"]
  ssh_public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHb2ZpxUgL0bV6x1y6h9dJc1m3Zz3x4b1c8m5o9kq2Ws someone@example.com"
  startup_base64 = base64encode("#!/bin/sh\nnvidia-smi -pm 1\n")
}

output "pool_id" {
  description = "OCID of the instance pool."
  value       = module.pool.pool_id
}
