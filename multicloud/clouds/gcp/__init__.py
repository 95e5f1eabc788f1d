"""Google Cloud by google-auth and google-cloud-compute."""
