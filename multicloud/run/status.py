"""Policy, records and clouds side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.decide.decide import decide
from multicloud.models.inventory import NodeState
from multicloud.run.inputs import load_inputs, running_pools
from multicloud.run.layout import Layout
from multicloud.run.recall import store_place
from multicloud.run.select import select_pools
from multicloud.store.location import has_store, store_file
from multicloud.store.lock import holder

if TYPE_CHECKING:
    from multicloud.models.decision import Decision
    from multicloud.models.inventory import Node, Reading
    from multicloud.models.memory import Override
    from multicloud.models.run import RecordedStack, RunRecord
    from multicloud.run.inputs import Inputs, Question
    from multicloud.store.lock import Holder


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStatus:
    """One pool: what is decided now, what is recorded, and which nodes are seen.

    `wanted` counts nodes of the recorded stacks, `running` and `pending` nodes seen there.
    `blind` are regions of it that could not be read.
    """

    policy: str
    decision: Decision
    stacks: tuple[RecordedStack, ...]
    wanted: int
    running: int
    pending: int
    blind: tuple[Reading, ...]
    override: Override | None

    @property
    def health(self) -> str:
        """`ok`, `off`, `booting`, `degraded 3/4`, or `unknown` when a region was not read."""
        if self.blind:
            return "unknown"
        if self.running >= self.wanted:
            return "ok" if self.wanted else "off"
        if self.running + self.pending >= self.wanted:
            return "booting"
        return f"degraded {self.running}/{self.wanted}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything `status` tells. `strangers` are nodes with our tags that no record knows."""

    inputs: Inputs
    pools: tuple[PoolStatus, ...]
    strangers: tuple[Node, ...]
    nodes: tuple[Node, ...]
    last_runs: tuple[RunRecord, ...]
    holders: tuple[Holder, ...]

    @property
    def found_something(self) -> bool:
        """Whether a person should look: nodes missing, unknown to us, or not to be seen."""
        odd = any(p.health.startswith(("degraded", "unknown")) for p in self.pools)
        return odd or bool(self.strangers)


def read_status(question: Question) -> Status:
    """Read policies, store and inventory; changes nothing and makes no file.

    Raises:
        InvalidInputError: a policy is invalid, or a selector matches no pool.
    """
    inputs = load_inputs(question)
    selected = select_pools(inputs.policies, question.pools, running_pools(inputs))
    pools: list[PoolStatus] = []
    strangers: list[Node] = []
    nodes: list[Node] = []
    for policy in inputs.policies:
        recalled = inputs.recalled[policy.name]
        observed, memory = recalled.observed, recalled.memory
        decisions = decide(policy, inputs.now, inputs.snapshot, observed.actual, memory)
        own = [n for r in observed.readings for n in r.nodes if n.policy == policy.name]
        nodes += [node for node in own if node.pool in selected]
        strangers += [node for node in observed.strangers if node.pool in selected]
        for decision in decisions:
            if decision.pool in selected:
                known = memory.pools.get(decision.pool)
                override = known.override if known else None
                pools.append(_pool(decision, observed.stacks, observed.readings, override))
    last_runs, holders = _runs(inputs)
    return Status(
        inputs=inputs,
        pools=tuple(pools),
        strangers=tuple(strangers),
        nodes=tuple(nodes),
        last_runs=last_runs,
        holders=holders,
    )


def _pool(
    decision: Decision,
    stacks: tuple[RecordedStack, ...],
    readings: tuple[Reading, ...],
    override: Override | None,
) -> PoolStatus:
    own = tuple(stack for stack in stacks if stack.key.pool == decision.pool)
    places = {stack.key.digest for stack in own}
    regions = {(s.placement.slot.cloud, s.placement.slot.region) for s in own}
    states = Counter(
        node.state
        for reading in readings
        for node in reading.nodes
        if (node.policy, node.pool) == (decision.policy, decision.pool) and node.place in places
    )
    return PoolStatus(
        policy=decision.policy,
        decision=decision,
        stacks=own,
        wanted=sum(stack.placement.nodes for stack in own),
        running=states[NodeState.RUNNING],
        pending=states[NodeState.PENDING],
        blind=tuple(r for r in readings if r.error and (r.cloud, r.region) in regions),
        override=override,
    )


def _runs(inputs: Inputs) -> tuple[tuple[RunRecord, ...], tuple[Holder, ...]]:
    place = store_place(inputs.project, Layout(inputs.root))
    if not has_store(place):
        return (), ()
    from multicloud.store.store import Store

    names = [policy.name for policy in inputs.policies]
    store = Store.open(place, target=inputs.project.target, create=False)
    if store is None:
        return (), ()
    with store:
        runs = [run for run in map(store.last_run, names) if run is not None]
    folder = store_file(place).parent
    held = [one for one in (holder(folder, name) for name in names) if one is not None]
    return tuple(runs), tuple(held)
