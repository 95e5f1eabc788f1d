"""What only Tencent Cloud has: schedules in Beijing's time, shares of a GPU, and what it lacks."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from multicloud import clock
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Reservation
from multicloud.models.pool import WeeklyTime
from multicloud.sandbox.server import SandboxServer
from tests.builders import a_placement, a_pool
from tests.modules.places import on
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.models.placement import Placement

pytestmark = [pytest.mark.engine, pytest.mark.slow]

SCHEDULE = "tencentcloud_as_schedule"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CRON_DAYS = ("1", "2", "3", "4", "5", "6", "0")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    with SandboxServer(tmp_path / "cloud.sqlite") as running:
        yield running


@pytest.fixture
def stack(server: SandboxServer, tmp_path: Path) -> Stack:
    return Stack(server, tmp_path)


def refused(stack: Stack, placement: Placement) -> str:
    """What a plan that fails says, its lines as one."""
    stack.render(placement)
    lines = stack.terraform.init().run("plan", "-input=false", "-json", good=(1,)).splitlines()
    found = [json.loads(line) for line in lines]
    return " ".join(d["diagnostic"]["detail"] for d in found if d["type"] == "diagnostic")


def test_every_time_of_the_week_is_the_same_moment_in_beijing(stack: Stack) -> None:
    """The first time a schedule acts is one that was asked for, to come, and in UTC the same."""
    times = ("00:00", "07:59", "15:59", "16:00", "23:30")
    stops = tuple(WeeklyTime(days=(day,), time=time) for day in DAYS for time in times)
    stack.apply(on(Cloud.TENCENT), pool=replace(a_pool(), backstops=stops))
    after = clock.utcnow()
    asked = set()
    for record in stack.server.store.records(SCHEDULE):
        sent: Any = record.sent
        start = datetime.fromisoformat(sent["start_time"])
        assert start.utcoffset() == timedelta(hours=8)
        assert after < start < after + timedelta(days=7, minutes=11)
        minute, hour, day_of_month, month, days = sent["recurrence"].split()
        assert (day_of_month, month) == ("*", "*")
        assert (int(hour), int(minute)) == (start.hour, start.minute)
        assert days == CRON_DAYS[start.weekday()]
        begun = start.astimezone(UTC)
        asked.add((DAYS[begun.weekday()], f"{begun:%H:%M}"))
        assert (sent["desired_capacity"], sent["min_size"], sent["max_size"]) == (0, 0, 0)
        assert datetime.fromisoformat(sent["end_time"]) > start
    assert asked == {(day, time) for day in DAYS for time in times}


def test_a_schedule_stays_as_it_began(stack: Stack) -> None:
    """Its start lies in the past one day: a change of anything else must not send it again."""
    pool = replace(a_pool(), backstops=(WeeklyTime(days=("fri",), time="20:00"),))
    stack.apply(on(Cloud.TENCENT), pool=pool)
    (record,) = stack.server.store.records(SCHEDULE)
    past = {**record.attributes, "start_time": "2020-01-01T04:00:00+08:00"}
    stack.server.store.put(
        record.ref,
        attributes=past,
        sent=dict(record.sent),
        operation="update",
        at=clock.utcnow(),
    )
    assert stack.terraform.plan() == {}
    stack.render(on(Cloud.TENCENT, 5), pool=pool)
    assert stack.terraform.plan() == {"module.pool.tencentcloud_as_scaling_group.this": "update"}
    more = replace(pool, backstops=(*pool.backstops, WeeklyTime(days=("sat",), time="20:00")))
    stack.render(on(Cloud.TENCENT), pool=more)
    assert stack.terraform.plan() == {
        f'module.pool.{SCHEDULE}.backstop["sat-2000"]': "create",
    }


def test_a_share_of_a_gpu_is_a_node(stack: Stack) -> None:
    whole = on(Cloud.TENCENT)
    slot = replace(whole.slot, instance_type="GN7.LARGE20")
    stack.apply(a_placement(3, slot=slot, gpu="T4", gpus_per_node=Fraction(1, 4)))
    assert stack.sent("tencentcloud_as_scaling_config")["instance_types"] == ["GN7.LARGE20"]
    assert "0.25 x T4" in stack.sent("tencentcloud_security_group")["description"]
    stack.terraform.destroy()
    assert stack.server.store.records() == ()


def test_reservations_are_refused_with_a_way_out(stack: Stack) -> None:
    placement = replace(
        on(Cloud.TENCENT, capacity=CapacityType.RESERVED), reservation=Reservation(id="mine")
    )
    said = refused(stack, placement)
    assert "set capacity_type to on_demand" in said
    assert "leave reservation_id out" in said


def test_a_cluster_network_is_refused_with_a_way_out(stack: Stack) -> None:
    said = refused(stack, replace(on(Cloud.TENCENT), cluster_network=True))
    assert "set cluster_network = false" in said
