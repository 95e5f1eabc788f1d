"""Policy, records and clouds side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from multicloud.decide.decide import decide
from multicloud.models.inventory import NodeState
from multicloud.models.placement import total_usd
from multicloud.models.run import RunStatus
from multicloud.run.files import policy_files
from multicloud.run.inputs import Inputs, load_snapshot
from multicloud.run.inventories import Inventories
from multicloud.run.layout import Layout
from multicloud.run.observe import UNFINISHED
from multicloud.run.recall import recall
from multicloud.run.records import read_records
from multicloud.run.stored import open_to_read, store_place
from multicloud.run.strangers import Stranger, strangers_of
from multicloud.store.locks import holders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from multicloud.models.decision import Decision
    from multicloud.models.inventory import Node, Reading
    from multicloud.models.memory import Override
    from multicloud.models.offer import Cloud
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.models.run import RecordedStack, RunRecord
    from multicloud.run.inputs import Question
    from multicloud.run.recall import Recalled
    from multicloud.run.records import Records
    from multicloud.store.lock import Holder


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStatus:
    """One pool: what is decided now, what is recorded, and which nodes are seen.

    `decision` is None where only records are left of the policy. `alive` and `running` count
    nodes seen per place digest, those that boot included in `alive`. `blind` are regions of
    the pool that could not be read. `is_locked` tells that a run is at work on its policy.
    """

    policy: str
    pool: str
    decision: Decision | None
    has: tuple[Placement, ...]
    stacks: tuple[RecordedStack, ...]
    alive: Mapping[str, int]
    running: int
    blind: tuple[Reading, ...]
    override: Override | None
    is_locked: bool = False

    @property
    def wanted(self) -> int:
        """Nodes that the recorded stacks were asked to have; the most, by somebody else."""
        return sum(stack.placement.nodes for stack in self.stacks)

    @property
    def least(self) -> int:
        """Nodes without which the pool is not as wanted."""
        return sum(stack.placement.floor for stack in self.stacks)

    @property
    def seen(self) -> int:
        """Nodes that run or boot."""
        return sum(self.alive.values())

    @property
    def health(self) -> str:
        """`ok`, `off`, `booting`, `changing`, or what needs a look (see `is_odd`).

        Places are judged one by one: too many nodes here do not make up for too few there.
        """
        if self.blind:
            return "unknown"
        if any(stack.status in UNFINISHED for stack in self.stacks):
            return "changing" if self.is_locked else "unfinished"
        counts = [(self.alive.get(s.key.digest, 0), s.placement) for s in self.stacks]
        if any(alive < placement.floor for alive, placement in counts):
            return f"degraded {self.seen}/{self.wanted}"
        if any(alive > placement.nodes for alive, placement in counts):
            return f"surplus {self.seen}/{self.wanted}"
        if self.running < self.least:
            return "booting"
        return "ok" if self.wanted else "off"

    @property
    def is_odd(self) -> bool:
        """Whether a person should look."""
        return self.health.partition(" ")[0] in {"unknown", "unfinished", "degraded", "surplus"}

    @property
    def usd_per_hour(self) -> Decimal | None:
        """Cost of the nodes seen, at the recorded prices; where nobody could look, of all."""
        unread = {(reading.cloud, reading.region) for reading in self.blind}
        costs = []
        for stack in self.stacks:
            placement = stack.placement
            slot = placement.slot
            is_read = (slot.cloud, slot.region) not in unread
            nodes = self.alive.get(stack.key.digest, 0) if is_read else placement.nodes
            costs.append(replace(placement, nodes=nodes).usd_per_hour)
        return total_usd(costs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything `status` tells; `inputs.policies` are those that have a file.

    `policies` are those of which only records are left, too.

    `strangers` are nodes with our tags that no record knows, `foreign` are nodes with our
    tags of policies that are not known here at all: another project's, perhaps. `blind` are
    all regions that could not be read. `holders` and `last_runs` are by policy.
    """

    inputs: Inputs
    policies: tuple[Policy, ...]
    pools: tuple[PoolStatus, ...]
    readings: tuple[Reading, ...]
    strangers: tuple[Stranger, ...]
    foreign: tuple[Node, ...]
    nodes: tuple[Node, ...]
    blind: tuple[Reading, ...]
    last_runs: tuple[RunRecord, ...]
    holders: Mapping[str, Holder] = field(default_factory=dict)

    @property
    def found_something(self) -> bool:
        """Whether a person should look: nodes missing, unknown to us, or not to be seen."""
        return any(pool.is_odd for pool in self.pools) or bool(self.strangers or self.blind)

    @property
    def usd_per_hour(self) -> Decimal | None:
        """What the pools cost now; strangers are told apart."""
        return total_usd(pool.usd_per_hour for pool in self.pools)

    def reading(self, cloud: Cloud, region: str) -> Reading | None:
        """What was seen in a region, if anybody looked."""
        places = (r for r in self.readings if (r.cloud, r.region) == (cloud, region))
        return next(places, None)

    def did_not_end(self, run: RunRecord) -> bool:
        """Whether a run that says to be at work is not: it was killed."""
        return run.status is RunStatus.RUNNING and run.policy not in self.holders


def read_status(question: Question) -> Status:
    """Read policies, store and inventory; changes nothing and makes no file.

    Raises:
        InvalidInputError: there is no policy, one is invalid, or a selector matches no pool.
    """
    records = read_records(question)
    if not records.policies:
        policy_files(records.root, records.project.policies)
    inputs = _inputs(records, question)
    last_runs, holders = _runs(records)
    readings = _readings(inputs)
    strangers, foreign = strangers_of(inputs, records, readings)
    if question.pools:
        strangers = tuple(one for one in strangers if one.node.pool in records.pools)
        foreign = ()
    known = {policy.name for policy in records.policies}
    return Status(
        inputs=replace(
            inputs, policies=tuple(p for p in inputs.policies if p.name in records.written)
        ),
        policies=records.policies,
        pools=_pools(inputs, records, holders),
        readings=readings,
        strangers=strangers,
        foreign=foreign,
        nodes=tuple(
            node
            for reading in readings
            for node in _by_owner(reading.nodes, inputs)
            if node.policy in known and node.pool in records.pools
        ),
        blind=tuple(reading for reading in readings if reading.error),
        last_runs=last_runs,
        holders=holders,
    )


def _by_owner(nodes: Iterable[Node], inputs: Inputs) -> Iterator[Node]:
    """Nodes under their pools' present names: tags keep the one that a stack was made under."""
    owners = {stack.key.tags: stack.key.owner for stack in inputs.stacks}
    for node in nodes:
        owner = owners.get(node.tags, node.pool)
        yield node if owner == node.pool else replace(node, pool=owner)


def _inputs(records: Records, question: Question) -> Inputs:
    snapshot, warnings = load_snapshot(
        question.prices,
        records.project,
        root=records.root,
        now=records.now,
        policies=records.policies,
    )
    return Inputs(
        root=records.root,
        project=records.project,
        policies=records.policies,
        snapshot=snapshot,
        now=records.now,
        is_at_given=question.at is not None,
        recalled=recall(records.policies, records.project, records.root, now=records.now),
        environ=question.environ,
        warnings=warnings,
    )


def _readings(inputs: Inputs) -> tuple[Reading, ...]:
    """Regions with records, as they were read, then all others where nodes of ours may be."""
    read = {
        (reading.cloud, reading.region): reading
        for recalled in inputs.recalled.values()
        for reading in recalled.observed.readings
    }
    inventories = Inventories(inputs.project, Layout(inputs.root), now=lambda: inputs.now)
    rest = inventories.read(place for place in inventories.everywhere() if place not in read)
    return (*read.values(), *rest)


def _pools(
    inputs: Inputs, records: Records, holders: Mapping[str, Holder]
) -> tuple[PoolStatus, ...]:
    pools = []
    for policy in inputs.policies:
        recalled = inputs.recalled[policy.name]
        observed, memory = recalled.observed, recalled.memory
        decisions: Sequence[Decision] = ()
        if policy.name in records.written:
            decisions = decide(policy, inputs.now, inputs.snapshot, observed.actual, memory)
        by_pool: dict[str, Decision | None] = {one.pool: one for one in decisions}
        # What has stacks and no decision is left over from a policy's earlier text.
        for name in sorted({stack.key.owner for stack in observed.stacks} - set(by_pool)):
            by_pool[name] = None
        pools += [
            replace(
                _pool(policy.name, name, recalled),
                decision=decision,
                is_locked=policy.name in holders,
            )
            for name, decision in by_pool.items()
            if name in records.pools
        ]
    return tuple(pools)


def _pool(policy: str, pool: str, recalled: Recalled) -> PoolStatus:
    observed = recalled.observed
    stacks = tuple(stack for stack in observed.stacks if stack.key.owner == pool)
    places = {(stack.key.pool, stack.key.digest) for stack in stacks}
    regions = {(s.placement.slot.cloud, s.placement.slot.region) for s in stacks}
    nodes = [
        node
        for reading in observed.readings
        for node in reading.nodes
        if node.policy == policy
        and (node.pool, node.place) in places
        and node.state is not NodeState.STOPPING
    ]
    known = recalled.memory.pools.get(pool)
    return PoolStatus(
        policy=policy,
        pool=pool,
        decision=None,
        has=observed.actual.of(pool).placements,
        stacks=stacks,
        alive=Counter(node.place for node in nodes),
        running=sum(node.state is NodeState.RUNNING for node in nodes),
        blind=tuple(r for r in observed.readings if r.error and (r.cloud, r.region) in regions),
        override=known.override if known else None,
    )


def _runs(records: Records) -> tuple[tuple[RunRecord, ...], Mapping[str, Holder]]:
    names = [policy.name for policy in records.policies]
    with open_to_read(records.project, records.root) as store:
        if store is None:
            return (), {}
        runs = tuple(run for run in map(store.last_run, names) if run is not None)
    return runs, holders(store_place(records.project, Layout(records.root)), names)
