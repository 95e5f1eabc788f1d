"""What a policy has in the clouds: recorded stacks, held against what the inventory sees."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.models.inventory import NodeState
from multicloud.models.memory import Actual, PoolActual
from multicloud.models.run import RecordedStack, StackStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from multicloud.models.inventory import Node, Reading
    from multicloud.models.offer import Cloud

UNFINISHED = frozenset(
    {StackStatus.APPLYING, StackStatus.DESTROYING, StackStatus.UNKNOWN, StackStatus.DESTROYED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A policy's recorded stacks and the inventory's readings where they are.

    `strangers` are nodes with the policy's tags in places that no record knows, `open_steps`
    the keys of stacks on which a step was begun and not ended.
    """

    actual: Actual
    stacks: tuple[RecordedStack, ...]
    readings: tuple[Reading, ...]
    strangers: tuple[Node, ...]
    open_steps: tuple[str, ...] = ()


def observe(
    policy: str,
    stacks: Sequence[RecordedStack],
    readings: Iterable[Reading],
    open_steps: tuple[str, ...] = (),
) -> Observed:
    """Join records and readings; pure.

    Where a region could not be read its stacks count as running what they were asked for. A
    stack whose last step did not end, and where nothing runs, counts for nothing: it is left
    over, to be filled or removed.
    """
    read = tuple(readings)
    nodes = [node for reading in read for node in reading.nodes if node.policy == policy]
    alive = Counter(
        (node.pool, node.place) for node in nodes if node.state is not NodeState.STOPPING
    )
    seen = {(reading.cloud, reading.region) for reading in read if not reading.error}
    pools: dict[str, PoolActual] = {}
    for stack in stacks:
        key, placement = stack.key, stack.placement
        is_read = (placement.slot.cloud, placement.slot.region) in seen
        nothing = is_read and not alive[key.pool, key.digest]
        if placement.nodes == 0 or (nothing and stack.status in UNFINISHED):
            continue
        known = pools.get(key.owner, PoolActual())
        running = dict(known.running)
        if is_read:
            running[key.digest] = alive[key.pool, key.digest]
        pools[key.owner] = PoolActual(placements=(*known.placements, placement), running=running)
    recorded = {(stack.key.pool, stack.key.digest) for stack in stacks}
    return Observed(
        actual=Actual(pools=pools),
        stacks=tuple(stacks),
        readings=read,
        strangers=tuple(n for n in nodes if (n.pool, n.place) not in recorded),
        open_steps=open_steps,
    )


def regions_of(stacks: Iterable[RecordedStack]) -> tuple[tuple[Cloud, str], ...]:
    """Where recorded stacks are, sorted."""
    return tuple(sorted({(s.placement.slot.cloud, s.placement.slot.region) for s in stacks}))
