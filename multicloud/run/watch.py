"""Rebalances again and again: when the clock or a timer says so, and when nodes are lost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

INTERVAL = timedelta(minutes=5)
SHORTEST = timedelta(seconds=5)
"""So long at least between two rounds: a timer that has just passed must not spin."""
GOOD = frozenset({ExitCode.OK, ExitCode.PARTIAL})
"""Ends of a round after which the watch is healthy: a shortage is the clouds' doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How one rebalance ended; `next_check_at` is when time alone asks for the next.

    `alive` are nodes by stack that the round itself saw running: what is gone at the first
    look after it was lost in between.
    """

    began_at: datetime
    ended_at: datetime
    exit_code: ExitCode
    next_check_at: datetime | None = None
    alive: Mapping[str, int] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a watch tells of itself. `recovery_s` is from seeing the last loss to having acted."""

    rounds: Mapping[ExitCode, int] = field(default_factory=dict)
    last: Round | None = None
    wakes_at: datetime | None = None
    alive: int = 0
    losses: int = 0
    recovery_s: float | None = None

    def is_healthy(self, now: datetime, interval: timedelta) -> bool:
        """Whether the last round was good and the next is not overdue."""
        if self.last is None or self.last.exit_code not in GOOD:
            return False
        return now - self.last.ended_at < 3 * max(interval, SHORTEST)


@dataclass(kw_only=True)
class Watch:
    """The loop. It ends when `wait` or a round raises, or is found stopped after a round.

    `act` makes a round; `look` counts the nodes alive by stack, of those that could be read.
    """

    act: Callable[[], Round]
    look: Callable[[], Mapping[str, int]]
    now: Callable[[], datetime]
    wait: Callable[[float], None]
    interval: timedelta = INTERVAL
    look_every: timedelta = timedelta(seconds=10)
    on_round: Callable[[Round], None] = lambda _: None
    is_stopped: Callable[[], bool] = lambda: False
    told: Told = field(default_factory=Told)

    def run(self) -> None:
        """Round after round, until it is stopped."""
        lost_at: datetime | None = None
        while True:
            done = self.act()
            self._tell(done, lost_at)
            self.on_round(done)
            # A round that was nearly over when it was told ends as if nothing had been said.
            if self.is_stopped():
                return
            lost_at = self._sleep(done)

    def _sleep(self, done: Round) -> datetime | None:
        """Wait for the next round; when nodes were seen to be lost, at that instant."""
        latest = done.ended_at + self.interval
        wake = min(latest, done.next_check_at or latest)
        wake = max(wake, done.ended_at + SHORTEST)
        before = self.look()
        self.told = replace(self.told, wakes_at=wake, alive=sum(before.values()))
        before = {**before, **done.alive}
        while (left := wake - self.now()) > timedelta(0):
            self.wait(min(left, self.look_every).total_seconds())
            seen = self.look()
            if any(seen.get(stack, count) < count for stack, count in before.items()):
                self.told = replace(self.told, losses=self.told.losses + 1)
                return self.now()
            # Nodes that came up since are missed as well, should they go.
            before = {**before, **seen}
            self.told = replace(self.told, alive=sum(before.values()))
        return None

    def _tell(self, done: Round, lost_at: datetime | None) -> None:
        told = self.told
        recovery = (done.ended_at - lost_at).total_seconds() if lost_at else told.recovery_s
        count = told.rounds.get(done.exit_code, 0) + 1
        self.told = replace(
            told,
            rounds={**told.rounds, done.exit_code: count},
            last=done,
            recovery_s=recovery,
        )
