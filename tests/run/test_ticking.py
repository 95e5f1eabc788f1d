"""Waiting moves the sandbox's clock, and nothing sleeps."""

from __future__ import annotations

from datetime import timedelta

from multicloud.run.ticking import ScriptedClock
from tests.builders import NOON


def test_waiting_moves_the_clock() -> None:
    clock = ScriptedClock(NOON)
    clock.wait(5)
    clock.wait(0.5)
    assert clock.now() == NOON + timedelta(seconds=5.5)
