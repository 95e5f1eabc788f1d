output "pool_id" {
  description = "Id of the scaling group."
  value       = alicloud_ess_scaling_group.this.id
}

output "desired_count" {
  description = "Nodes wanted; null while an autoscaler has not said."
  value       = local.is_external ? alicloud_ess_scaling_group.this.desired_capacity : var.desired_count
}

output "instance_type" {
  description = "Instance type of every node."
  value       = alicloud_ess_scaling_configuration.this.instance_type
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand` or `spot`."
  value       = var.capacity_type
}
