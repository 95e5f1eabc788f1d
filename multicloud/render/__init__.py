"""Decisions as Terraform text: pure, stable, with every string escaped."""
