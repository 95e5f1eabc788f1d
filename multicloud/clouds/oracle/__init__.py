"""Oracle Cloud, through its SDK."""
