"""The only place that reads the clock; everything else takes `now` as an argument."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def utcnow() -> datetime:
    """The present instant, aware, in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)  # noqa: TID251 - the one place


def monotonic() -> float:
    """Seconds on a clock that never goes back; for durations only."""
    return time.monotonic()
