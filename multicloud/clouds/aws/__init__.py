"""AWS by boto3."""
