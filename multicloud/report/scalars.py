"""What every JSON document shares: its version, and how it has money and instants."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


SCHEMA_VERSION = "1.0"
"""Of all documents: a minor step adds names, a major one may change them."""


def number(amount: Decimal | None) -> float | None:
    """Money as a JSON number, exact to what a double holds."""
    return None if amount is None else float(round(amount, 8))


def stamp(instant: datetime | None) -> str | None:
    """RFC 3339 in UTC, to the second."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if instant else None
