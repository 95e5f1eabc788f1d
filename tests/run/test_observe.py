"""Records and readings join into what a policy has; nobody's silence is read as "nothing"."""

from __future__ import annotations

import pytest

from multicloud.models.inventory import Node, NodeState, Reading
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.run import RecordedStack, StackStatus
from multicloud.render.names import stack_key
from multicloud.run.observe import observe
from tests.builders import NOON, a_placement


def a_stack(nodes: int = 2, status: StackStatus = StackStatus.APPLIED) -> RecordedStack:
    placement = a_placement(nodes=nodes)
    key = stack_key(placement.slot, target="sandbox", policy="p", pool="a")
    return RecordedStack(key=key, placement=placement, status=status)


def nodes_of(stack: RecordedStack, count: int, place: str | None = None) -> tuple[Node, ...]:
    slot = stack.placement.slot
    return tuple(
        Node(
            cloud=slot.cloud,
            region=slot.region,
            zone="use1-az1",
            id=f"i-{index}",
            policy="p",
            pool="a",
            place=place or stack.key.digest,
            instance_type=slot.instance_type,
            capacity_type=CapacityType.SPOT,
            state=NodeState.RUNNING,
            launched_at=NOON,
        )
        for index in range(count)
    )


def a_reading(stack: RecordedStack, nodes: tuple[Node, ...] = (), error: str = "") -> Reading:
    slot = stack.placement.slot
    return Reading(cloud=slot.cloud, region=slot.region, nodes=nodes, error=error)


def test_b89_a_lost_node_shows() -> None:
    stack = a_stack(nodes=4)
    observed = observe("p", [stack], [a_reading(stack, nodes_of(stack, 3))])
    pool = observed.actual.of("a")
    assert pool.placements == (stack.placement,)
    assert pool.alive(stack.placement) == 3


def test_an_unreadable_region_counts_as_running() -> None:
    stack = a_stack(nodes=4)
    observed = observe("p", [stack], [a_reading(stack, error="timed out")])
    assert observed.actual.of("a").alive(stack.placement) == 4


def test_a_stack_at_size_0_is_nothing() -> None:
    stack = a_stack(nodes=0, status=StackStatus.EMPTY)
    observed = observe("p", [stack], [a_reading(stack)])
    assert observed.actual.pools == {}
    assert observed.stacks == (stack,)


@pytest.mark.parametrize("status", [StackStatus.APPLYING, StackStatus.UNKNOWN])
def test_a_half_made_stack_without_nodes_is_left_over(status: StackStatus) -> None:
    stack = a_stack(status=status)
    assert observe("p", [stack], [a_reading(stack)]).actual.pools == {}
    blind = observe("p", [stack], [a_reading(stack, error="timed out")])
    assert blind.actual.of("a").placements == (stack.placement,)


def test_b137_nodes_that_no_record_knows_are_strangers() -> None:
    stack = a_stack()
    known, strange = nodes_of(stack, 2), nodes_of(stack, 1, place="ffffffff")
    observed = observe("p", [stack], [a_reading(stack, known + strange)])
    assert observed.strangers == strange


def test_other_policies_nodes_are_none_of_ours() -> None:
    stack = a_stack()
    observed = observe("q", [], [a_reading(stack, nodes_of(stack, 2))])
    assert observed.strangers == ()
    assert observed.actual.pools == {}
    assert stack.placement.slot.cloud is Cloud.AWS
