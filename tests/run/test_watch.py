"""The loop of a watch on a clock of its own: when it acts, and what it tells."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from multicloud.errors import ExitCode
from multicloud.run.health import metrics
from multicloud.run.watch import Round, Watch
from tests.builders import NOON

SECOND = timedelta(seconds=1)
MINUTE = 60 * SECOND


class EndError(Exception):
    """The end of a test's time."""


@dataclass
class World:
    """Rounds take a second; `checks` are the next ones' `next_check_at`, in order."""

    checks: list[datetime | None] = field(default_factory=list)
    alive: dict[datetime, dict[str, int]] = field(default_factory=dict)
    codes: list[ExitCode] = field(default_factory=list)
    until: datetime = NOON + 30 * MINUTE
    time: datetime = NOON
    acted: list[datetime] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        if self.time > self.until:
            raise EndError

    def act(self) -> Round:
        began = self.time
        self.acted.append(began)
        self.time += SECOND
        return Round(
            began_at=began,
            ended_at=self.time,
            exit_code=self.codes.pop(0) if self.codes else ExitCode.OK,
            next_check_at=self.checks.pop(0) if self.checks else None,
        )

    def look(self) -> dict[str, int]:
        """The newest of `alive` that has come."""
        come = [at for at in self.alive if at <= self.time]
        return self.alive[max(come)] if come else {}

    def watch(self) -> Watch:
        return Watch(act=self.act, look=self.look, now=self.now, wait=self.wait)


def run(world: World) -> Watch:
    found = world.watch()
    with pytest.raises(EndError):
        found.run()
    return found


def minutes(world: World) -> list[float]:
    return [round((at - NOON).total_seconds() / 60, 1) for at in world.acted]


def test_without_a_reason_it_acts_at_each_interval() -> None:
    world = World()
    run(world)
    assert minutes(world) == [0, 5, 10, 15.1, 20.1, 25.1]


def test_it_acts_at_the_next_instant_that_matters() -> None:
    world = World(checks=[NOON + 2 * MINUTE, NOON + 3 * MINUTE, None], until=NOON + 6 * MINUTE)
    run(world)
    assert minutes(world) == [0, 2, 3]


def test_an_instant_that_has_passed_does_not_spin() -> None:
    world = World(checks=[NOON] * 100, until=NOON + 20 * SECOND)
    run(world)
    assert [(at - NOON).total_seconds() for at in world.acted] == [0, 6, 12, 18]


def test_a_lost_node_is_acted_upon_at_the_next_look() -> None:
    lost = NOON + 100 * SECOND
    world = World(alive={NOON: {"p/a/1": 4}, lost: {"p/a/1": 3}}, until=NOON + 5 * MINUTE)
    found = run(world)
    _, second = world.acted
    # Looks are every ten seconds.
    assert timedelta(0) <= second - lost <= 10 * SECOND
    assert (found.told.losses, found.told.recovery_s) == (1, 1)


def test_a_node_that_is_lost_before_the_first_look_is_missed() -> None:
    world = World(alive={NOON: {"p/a/1": 1}}, until=NOON + MINUTE)
    found = world.watch()
    plain, seen = found.act, [{"p/a/1": 2}, {}]
    found.act = lambda: replace(plain(), alive=seen.pop(0))
    with pytest.raises(EndError):
        found.run()
    assert len(world.acted) == 2


def test_a_round_that_ended_as_it_was_told_to_stop_is_the_last() -> None:
    world = World()
    found = world.watch()
    found.is_stopped = lambda: len(world.acted) == 2
    found.run()
    assert len(world.acted) == 2


def test_nodes_that_come_and_a_place_that_cannot_be_read() -> None:
    world = World(
        alive={
            NOON: {"p/a/1": 2, "p/b/2": 2},
            NOON + 30 * SECOND: {"p/a/1": 4, "p/b/2": 2},
            NOON + 60 * SECOND: {"p/a/1": 4, "p/b/2": 3},
        },
        until=NOON + 4 * MINUTE,
    )
    found = run(world)
    assert minutes(world) == [0]
    assert found.told.alive == 7


def test_healthy_is_a_good_round_that_is_not_long_ago() -> None:
    world = World(codes=[ExitCode.FAILED, ExitCode.OK], until=NOON + 6 * MINUTE)
    found = world.watch()
    assert not found.told.is_healthy(NOON, found.interval)
    with pytest.raises(EndError):
        found.run()
    assert found.told.is_healthy(world.time, found.interval)
    assert not found.told.is_healthy(world.time + 15 * MINUTE, found.interval)
    assert dict(found.told.rounds) == {ExitCode.FAILED: 1, ExitCode.OK: 1}


def test_metrics_are_what_prometheus_reads() -> None:
    world = World(alive={NOON: {"p/a/1": 4}}, until=NOON + 2 * MINUTE)
    lines = metrics(run(world)).splitlines()
    assert 'multicloud_rounds_total{exit_code="0"} 1' in lines
    assert "multicloud_nodes_alive 4" in lines
    assert "multicloud_losses_total 0" in lines
    assert (
        f"multicloud_next_round_timestamp_seconds {(NOON + 301 * SECOND).timestamp():.3f}" in lines
    )
    assert not any("recovery" in line for line in lines)
    names = {line.split("{")[0].split()[0] for line in lines if not line.startswith("#")}
    assert names == {line.split()[2] for line in lines if line.startswith("# TYPE")}
