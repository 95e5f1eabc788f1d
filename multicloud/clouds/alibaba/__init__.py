"""Alibaba Cloud by its OpenAPI client and the ECS SDK."""
