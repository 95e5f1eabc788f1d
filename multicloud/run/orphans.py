"""Nodes of ours that stand in no record: taken down through the state that made them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape
from multicloud.models.decision import Cause
from multicloud.models.placement import UNPRICED, Placement, Slot
from multicloud.models.run import Purpose
from multicloud.run.desk import open_desk, refreshed
from multicloud.run.execute import RunReport, execute
from multicloud.run.jobs import Renderer
from multicloud.run.layout import new_run_id
from multicloud.run.removal import Removal, removal_decision, removal_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multicloud.models.decision import Decision
    from multicloud.models.inventory import Node
    from multicloud.models.pool import Policy
    from multicloud.run.execute import ExecuteRequest
    from multicloud.run.inputs import Inputs
    from multicloud.run.status import Status
    from multicloud.run.strangers import Stranger


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """The nodes of one place without a record. `placement` None: nobody knows what made them."""

    policy: str
    pool: str
    nodes: tuple[Node, ...]
    placement: Placement | None


def orphans_of(strangers: Iterable[Stranger]) -> tuple[Orphan, ...]:
    """Strangers by the place that their tags name, in order."""
    places: dict[tuple[str, str, str, str, str], list[Node]] = {}
    for node in (one.node for one in strangers):
        where = (node.policy, node.pool, str(node.cloud), node.region, node.place)
        places.setdefault(where, []).append(node)
    return tuple(
        Orphan(policy=policy, pool=pool, nodes=tuple(nodes), placement=_placement(nodes))
        for (policy, pool, *_), nodes in sorted(places.items())
    )


def _placement(nodes: Sequence[Node]) -> Placement | None:
    """Where a group with such nodes was placed: the place whose digest their tags bear.

    Only its zones are not told by the nodes; a region has few, so all sets of them are tried.
    """
    node = nodes[0]
    shape = find_shape(node.cloud, node.instance_type)
    slot = next((s for s in _slots(node) if s.digest == node.place), None)
    if shape is None or slot is None:
        return None
    return Placement(
        slot=slot,
        nodes=len(nodes),
        gpu=shape.gpu,
        gpus_per_node=shape.gpus,
        price=UNPRICED,
        arch=shape.arch,
    )


def _slots(node: Node) -> Iterator[Slot]:
    region = CLOUDS[node.cloud].regions.get(node.region)
    zones = sorted({*(region.zones if region else ()), node.zone} - {""})
    for count in range(len(zones) + 1):
        for some in combinations(zones, count):
            yield Slot(
                cloud=node.cloud,
                region=node.region,
                zones=some,
                instance_type=node.instance_type,
                capacity_type=node.capacity_type,
            )


def delete_orphans(orphans: Sequence[Orphan], status: Status, request: ExecuteRequest) -> RunReport:
    """Destroy every orphan whose place is known, by the state of its place.

    A state that knows nothing of them changes nothing: the pool is then blocked and says so.

    Raises:
        GuardrailError: another run holds a lock; EngineError: no engine could be started.
    """
    named = {orphan.policy for orphan in orphans}
    inputs = status.inputs
    run = new_run_id(inputs.now)
    policies = tuple(policy for policy in status.policies if policy.name in named)
    with open_desk(inputs.root, inputs.project, sorted(named), run=run, now=inputs.now) as desk:
        locked = refreshed(replace(inputs, policies=policies), desk)
        # A run that ended in between may have recorded some of them.
        recorded = {stack.key.tags for stack in locked.stacks}
        left = [o for o in orphans if o.placement and o.nodes[0].tags not in recorded]
        removals = [_removal(policy, left, locked) for policy in policies]
        # `adopt`: nodes without a record are what this is about.
        request = replace(request, adopt=True)
        return execute(request, removal_run(run, removals, locked), locked, desk)


def _removal(policy: Policy, orphans: Sequence[Orphan], inputs: Inputs) -> Removal:
    renderer = Renderer(policy, inputs.project, ())
    own = [orphan for orphan in orphans if orphan.policy == policy.name]
    pools = sorted({orphan.pool for orphan in own})
    return Removal(
        policy=policy,
        decisions=tuple(_decision(policy.name, pool, own, inputs) for pool in pools),
        jobs=tuple(
            renderer.job(orphan.placement, orphan.pool, Purpose.REMOVE)
            for orphan in own
            if orphan.placement is not None
        ),
    )


def _decision(policy: str, pool: str, orphans: Sequence[Orphan], inputs: Inputs) -> Decision:
    before = tuple(o.placement for o in orphans if o.pool == pool and o.placement is not None)
    return removal_decision(
        (policy, pool),
        before,
        at=inputs.now,
        cause=Cause.OUTSIDE,
        reason="Its nodes stand in no record, and were to be deleted.",
    )
