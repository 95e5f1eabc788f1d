"""A stand-in for the clouds: real provider schemas, a simulated cloud, no account."""
