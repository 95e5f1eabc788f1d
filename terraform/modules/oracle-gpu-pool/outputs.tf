output "pool_id" {
  description = "OCID of the instance pool, or of the cluster network that holds it."
  value       = one(concat(oci_core_instance_pool.this[*].id, oci_core_cluster_network.this[*].id))
}

output "desired_count" {
  description = "Nodes wanted."
  value       = local.desired
}

output "instance_type" {
  description = "Shape of every node."
  value       = var.instance_type
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand`, `spot` or `reserved`."
  value       = var.capacity_type
}
