"""The clock that a run lives by: the real one, or the sandbox's, which waiting moves."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from multicloud import clock

if TYPE_CHECKING:
    from datetime import datetime


class Ticking(Protocol):
    """Tells the time and lets it pass."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        ...

    def wait(self, seconds: float) -> None:
        """Come back when so much time has passed."""
        ...


class RealClock:
    """Time as it is; waiting sleeps."""

    def now(self) -> datetime:
        """The present instant."""
        return clock.utcnow()

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


class ScriptedClock:
    """The sandbox's time: starts where it is told, and waiting moves it without sleeping.

    Pools are carried out in threads that share it: a wait of one moves the time of all.
    """

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The start, plus all that was waited."""
        with self._lock:
            return self._now

    def wait(self, seconds: float) -> None:
        """Move the time on."""
        with self._lock:
            self._now += timedelta(seconds=seconds)
