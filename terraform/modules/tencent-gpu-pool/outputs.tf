output "pool_id" {
  description = "Id of the scaling group."
  value       = tencentcloud_as_scaling_group.this.id
}

output "desired_count" {
  description = "Nodes wanted."
  value       = tencentcloud_as_scaling_group.this.desired_capacity
}

output "instance_type" {
  description = "Instance type of every node."
  value       = tencentcloud_as_scaling_config.this.instance_types[0]
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand` or `spot`."
  value       = var.capacity_type
}
