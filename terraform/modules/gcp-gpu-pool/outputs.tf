output "pool_id" {
  description = "Id of the managed instance group."
  value       = local.group.id
}

output "desired_count" {
  description = "Nodes wanted."
  value       = local.group.target_size
}

output "instance_type" {
  description = "Machine type of every node."
  value       = google_compute_instance_template.this.machine_type
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand`, `spot` or `reserved`."
  value       = var.capacity_type
}
