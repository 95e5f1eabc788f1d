"""Health and cost of a pool from what is recorded and what is seen."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from multicloud.models.inventory import Reading
from multicloud.models.offer import Cloud
from multicloud.models.placement import UNPRICED, NodePrice
from multicloud.models.quote import PriceState
from multicloud.models.run import RecordedStack, StackStatus
from multicloud.render.names import stack_key
from multicloud.run.status import PoolStatus
from tests.builders import a_placement, a_slot

BLIND = Reading(cloud=Cloud.AWS, region="us-east-1", error="timed out")
PRICE = NodePrice(usd=Decimal("0.50"), state=PriceState.FRESH, observed_at=None, source="test")


def a_stack(
    nodes: int, *, status: StackStatus = StackStatus.APPLIED, region: str = "us-east-1"
) -> RecordedStack:
    placement = a_placement(nodes=nodes, slot=a_slot(region=region), price=PRICE)
    key = stack_key(placement.slot, target="sandbox", policy="p", pool="a")
    return RecordedStack(key=key, placement=placement, status=status)


def a_status(
    *stacks: RecordedStack,
    alive: tuple[int, ...] = (),
    running: int | None = None,
    blind: tuple[Reading, ...] = (),
    is_locked: bool = False,
) -> PoolStatus:
    """A pool with `alive` nodes at each of its stacks, all of them running by default."""
    counts = {stack.key.digest: count for stack, count in zip(stacks, alive, strict=True)}
    return PoolStatus(
        policy="p",
        pool="a",
        decision=None,
        has=(),
        stacks=stacks,
        alive=counts,
        running=sum(alive) if running is None else running,
        blind=blind,
        override=None,
        is_locked=is_locked,
    )


ELSEWHERE = a_stack(1, region="us-west-2")


@pytest.mark.parametrize(
    ("status", "health", "is_odd"),
    [
        (a_status(), "off", False),
        (a_status(a_stack(0), alive=(0,)), "off", False),
        (a_status(a_stack(4), alive=(4,)), "ok", False),
        (a_status(a_stack(4), alive=(3,)), "degraded 3/4", True),
        (a_status(a_stack(4), alive=(0,)), "degraded 0/4", True),
        (a_status(a_stack(4), alive=(4,), running=1), "booting", False),
        (a_status(a_stack(4), alive=(3,), running=1), "degraded 3/4", True),
        (a_status(a_stack(3), ELSEWHERE, alive=(2, 2)), "degraded 4/4", True),
        (a_status(a_stack(4), alive=(5,)), "surplus 5/4", True),
        (a_status(a_stack(0), alive=(2,)), "surplus 2/0", True),
        (a_status(a_stack(4), alive=(0,), blind=(BLIND,)), "unknown", True),
        (
            a_status(a_stack(4, status=StackStatus.UNKNOWN), alive=(0,)),
            "unfinished",
            True,
        ),
        (
            a_status(a_stack(4, status=StackStatus.APPLYING), alive=(1,), is_locked=True),
            "changing",
            False,
        ),
    ],
    ids=[
        "never-ran",
        "empty",
        "ok",
        "B89",
        "all-lost",
        "booting",
        "B89-booting",
        "B89-other-place",
        "surplus",
        "not-empty",
        "unread",
        "left",
        "changing",
    ],
)
def test_b89_health(status: PoolStatus, health: str, *, is_odd: bool) -> None:
    assert (status.health, status.is_odd) == (health, is_odd)


def test_cost_is_of_the_nodes_seen_and_of_all_where_nobody_could_look() -> None:
    assert a_status(a_stack(4), alive=(3,)).usd_per_hour == Decimal("1.50")
    assert a_status(a_stack(4), alive=(0,), blind=(BLIND,)).usd_per_hour == Decimal("2.00")


def test_an_unknown_price_is_never_summed_as_zero() -> None:
    stack = a_stack(2)
    stack = replace(stack, placement=replace(stack.placement, price=UNPRICED))
    assert a_status(stack, alive=(2,)).usd_per_hour is None
    assert a_status(stack, alive=(0,)).usd_per_hour == 0
