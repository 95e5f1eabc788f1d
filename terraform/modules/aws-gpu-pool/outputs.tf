output "pool_id" {
  description = "Id of the Auto Scaling group."
  value       = aws_autoscaling_group.this.id
}

output "desired_count" {
  description = "Nodes wanted."
  value       = aws_autoscaling_group.this.desired_capacity
}

output "instance_type" {
  description = "Instance type of every node."
  value       = aws_launch_template.this.instance_type
}

output "capacity_type" {
  description = "How nodes are bought: `on_demand`, `spot` or `reserved`."
  value       = var.capacity_type
}
