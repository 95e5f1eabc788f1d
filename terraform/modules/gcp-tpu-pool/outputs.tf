output "pool_id" {
  description = "Name that the nodes have before their numbers."
  value       = local.name
}

output "desired_count" {
  description = "Nodes wanted."
  value       = length(google_tpu_v2_vm.node)
}

output "instance_type" {
  description = "Accelerator type of every node."
  value       = var.instance_type
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand`."
  value       = var.capacity_type
}
