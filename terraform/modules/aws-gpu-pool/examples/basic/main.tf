# One spot node with eight A100s at 12.00 USD an hour at most, reachable by SSH from one address.

terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.74, < 7"
    }
  }
}

provider "aws" {
  region = "us-east-1"
}

module "pool" {
  source = "../.."

  policy_name             = "example"
  pool_name               = "training"
  region                  = "us-east-1"
  zones                   = ["use1-az1", "use1-az2"]
  instance_type           = "p4d.24xlarge"
  gpu                     = { type = "A100-40GB", count = 8 }
  capacity_type           = "spot"
  max_price_per_node_hour = "12.00"
  desired_count           = 1
  labels                  = { team = "research" }
  public_ip               = true
  ports                   = [22]
  port_sources            = ["203.0.113.7/32"]
  ssh_public_key          = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHb2ZpxUgL0bV6x1y6h9dJc1m3Zz3x4b1c8m5o9kq2Ws someone@example.com"
  startup_base64          = base64encode("#!/bin/sh\nnvidia-smi -pm 1\n")
}

output "pool_id" {
  description = "Id of the Auto Scaling group."
  value       = module.pool.pool_id
}
