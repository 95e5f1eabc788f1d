"""Terraform or OpenTofu as child processes, read through their machine-readable streams."""
