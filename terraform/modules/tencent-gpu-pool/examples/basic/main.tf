# Four spot nodes with one T4 each, in a network of their own without a way in or out.

terraform {
  required_version = ">= 1.6"

  required_providers {
    tencentcloud = {
      source  = "tencentcloudstack/tencentcloud"
      version = ">= 1.81.100, < 2"
    }
  }
}

provider "tencentcloud" {
  region = "ap-guangzhou"
}

module "pool" {
  source = "../.."

  policy_name             = "example"
  pool_name               = "inference"
  region                  = "ap-guangzhou"
  zones                   = ["ap-guangzhou-3", "ap-guangzhou-6"]
  instance_type           = "GN7.2XLARGE32"
  gpu                     = { type = "T4", count = 1 }
  capacity_type           = "spot"
  max_price_per_node_hour = "5.00"
  desired_count           = 4
  labels                  = { team = "serving" }
}

output "pool_id" {
  description = "Id of the scaling group."
  value       = module.pool.pool_id
}
