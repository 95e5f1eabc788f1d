# One spot node with an A10 at 12.00 CNY an hour at most, reachable by SSH from one address.

terraform {
  required_version = ">= 1.6"

  required_providers {
    alicloud = {
      source  = "aliyun/alicloud"
      version = ">= 1.247, < 2"
    }
  }
}

provider "alicloud" {
  region = "cn-hangzhou"
}

module "pool" {
  source = "../.."

  policy_name             = "example"
  pool_name               = "inference"
  region                  = "cn-hangzhou"
  zones                   = ["cn-hangzhou-i", "cn-hangzhou-j"]
  instance_type           = "ecs.gn7i-c8g1.2xlarge"
  gpu                     = { type = "A10", count = 1 }
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
  description = "Id of the scaling group."
  value       = module.pool.pool_id
}
