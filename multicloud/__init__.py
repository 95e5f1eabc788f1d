"""multicloud: GPU pools over several clouds, by the clock and by price, through Terraform."""

__version__ = "0.1.0"
