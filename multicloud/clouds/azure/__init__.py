"""Azure by azure-identity and azure-mgmt-compute."""
