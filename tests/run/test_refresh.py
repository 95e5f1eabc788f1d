"""Refreshes that are killed, that run side by side, and whose parts fail or lag."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.errors import CloudError, ExitCode
from multicloud.models.feed import Batch, PricePoint
from multicloud.models.offer import CapacityType, Cloud, OfferKey
from multicloud.run.refresh import NEW_FOR, refresh
from multicloud.store.store import Store
from tests.builders import NOON
from tests.postgres import postgres
from tests.store.processes import line_of, running

__all__ = ["postgres"]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PARTS = ("eu-west-1", "eu-west-2", "us-east-1", "us-east-2", "us-west-1", "us-west-2")


@dataclass
class Parts:
    """A feed whose parts each tell 400 prices, or do what a test says."""

    deeds: dict[str, Callable[[], None]] = field(default_factory=dict)
    at: datetime = NOON
    cloud: Cloud = Cloud.AWS
    asked: list[str] = field(default_factory=list)

    def parts(self) -> tuple[str, ...]:
        return PARTS

    def read(self, part: str) -> Batch:
        self.asked.append(part)
        self.deeds.get(part, lambda: None)()
        return Batch(looked_at=self.at, points=points_of(part, self.at))


def points_of(part: str, at: datetime) -> Sequence[PricePoint]:
    return [
        PricePoint(
            key=OfferKey(Cloud.AWS, part, f"az{n}", "p4d.24xlarge", CapacityType.SPOT),
            amount=Decimal(n + 1),
            currency="USD",
            observed_at=at,
            source="test",
        )
        for n in range(400)
    ]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "store.sqlite")
    url: str = request.getfixturevalue("postgres").url()
    return url


def points_in(place: str) -> dict[str, int]:
    """How many prices are stored of each part."""
    found: dict[str, int] = {}
    with Store.open(place, target="live") as store:
        for one in store.market.history(NOON - timedelta(days=1), NOON + timedelta(days=1)):
            found[one.key.region] = found.get(one.key.region, 0) + 1
    return found


def run(place: str, feed: Parts, *, timeout_s: float = 30) -> tuple[ExitCode, int]:
    with Store.open(place, target="live") as store:
        done = refresh({Cloud.AWS: feed}, store.market, now=feed.at, timeout_s=timeout_s)
    return done.exit_code, done.clouds[Cloud.AWS].new


KILLED = """
    import os, signal, sys, threading
    from multicloud.models.offer import Cloud
    from multicloud.run.refresh import refresh
    from multicloud.store.store import Store
    from tests.run.test_refresh import PARTS, NOON, Parts

    done = []

    def progress(cloud, part):
        done.append(part)
        if len(done) == 3:
            print("three", flush=True)
            sys.stdin.readline()

    with Store.open(sys.argv[1], target="live") as store:
        refresh({Cloud.AWS: Parts()}, store.market, now=NOON, on_progress=progress)
    print("done", flush=True)
"""


def test_a_refresh_that_is_killed_half_way_goes_on_where_it_was(place: str) -> None:
    with running(KILLED, place) as process:
        assert line_of(process) == "three"
        process.kill()
        process.wait()
    before = points_in(place)
    # Parts are whole or not there.
    assert set(before.values()) == {400}
    assert 3 <= len(before) < len(PARTS)
    feed = Parts()
    assert run(place, feed) == (ExitCode.OK, 400 * (len(PARTS) - len(before)))
    assert set(feed.asked) == set(PARTS) - set(before)
    assert points_in(place) == dict.fromkeys(PARTS, 400)


def test_two_refreshes_at_once_write_everything_once(place: str) -> None:
    with Store.open(place, target="live"):
        pass
    with running(KILLED, place) as one, running(KILLED, place) as other:
        processes = (one, other)
        for process in processes:
            assert line_of(process) == "three"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        assert [line_of(process) for process in processes] == ["done", "done"]
    assert points_in(place) == dict.fromkeys(PARTS, 400)


def test_a_part_that_fails_leaves_what_was_known_and_is_read_again(place: str) -> None:
    assert run(place, Parts())[0] is ExitCode.OK

    def fail() -> None:
        raise CloudError("500 on page 2")

    later = Parts(deeds={"eu-west-2": fail}, at=NOON + NEW_FOR)
    assert run(place, later) == (ExitCode.PARTIAL, 0)
    assert points_in(place) == dict.fromkeys(PARTS, 400)
    again = Parts(at=NOON + NEW_FOR + timedelta(minutes=1))
    assert run(place, again) == (ExitCode.OK, 0)
    assert again.asked == ["eu-west-2"]


def test_a_part_that_never_answers_ends_the_refresh_in_time(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    hole = threading.Event()

    def fall_silent() -> None:
        hole.wait(30)

    feed = Parts(deeds={"eu-west-1": fall_silent})
    try:
        assert run(place, feed, timeout_s=1.5)[0] is ExitCode.PARTIAL
    finally:
        hole.set()
    assert points_in(place) == dict.fromkeys(PARTS[1:], 400)


def test_an_sdk_that_raises_anything_fails_only_its_part(tmp_path: Path) -> None:
    def fault() -> None:
        raise ZeroDivisionError("an SDK's own fault")

    code, new = run(str(tmp_path / "store.sqlite"), Parts(deeds={"us-east-1": fault}))
    assert (code, new) == (ExitCode.PARTIAL, 400 * (len(PARTS) - 1))
