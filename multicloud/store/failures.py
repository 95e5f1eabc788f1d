"""What can be wrong with a store itself."""

from __future__ import annotations

from multicloud.errors import MulticloudError


class StoreError(MulticloudError):
    """The store cannot be read or written: damaged, not a store, no space, or held too long."""

    kind = "store"


class UnreadableError(ValueError):
    """A record in the store is not of the type it should be."""
