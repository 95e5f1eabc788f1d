terraform {
  required_version = ">= 1.6"

  required_providers {
    google-beta = {
      source  = "hashicorp/google-beta"
      version = ">= 6.50, < 9"
    }
  }
}
