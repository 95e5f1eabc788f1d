output "pool_id" {
  description = "Id of the scale set."
  value       = local.group_id
}

output "desired_count" {
  description = "Nodes wanted."
  value       = local.desired
}

output "instance_type" {
  description = "Size of every node."
  value       = var.instance_type
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand`, `spot` or `reserved`."
  value       = var.capacity_type
}
