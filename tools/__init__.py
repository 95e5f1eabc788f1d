"""Programs for maintainers, not shipped."""
