"""Where clouds differ from what was applied: what is to be expected, and what somebody did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.decide.text import plural
from multicloud.errors import ExitCode
from multicloud.models.inventory import NodeState
from multicloud.models.run import Purpose, StackStatus
from multicloud.run.held import NODE_BEARING, NODES_THEMSELVES
from multicloud.run.jobs import Renderer
from multicloud.run.status import read_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from multicloud.models.change import ResourceChange, StackKey, StackPlan
    from multicloud.models.inventory import Node, Reading
    from multicloud.models.run import RecordedStack
    from multicloud.run.inputs import Question
    from multicloud.run.jobs import StackJob
    from multicloud.run.status import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRequest:
    """Which pools to compare, and whether with the engine or by the inventory alone."""

    question: Question
    use_engine: bool = True
    engine: str | None = None
    parallelism: int = 4
    on_progress: Callable[[StackKey, str], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StackDrift:
    """One stack held against what is there; both lists are sentences.

    `churn` is what clouds and autoscalers do by themselves. `by_hand` is what only somebody
    else can have done. `error` says why the engine could not compare it.
    """

    key: StackKey
    churn: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    resources: tuple[ResourceChange, ...] = ()
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """All stacks with a record, and through `status` the nodes without one."""

    status: Status
    stacks: tuple[StackDrift, ...]
    is_of_orphans: bool = False

    def of_orphans(self) -> Drift:
        """Only the nodes without a record."""
        return replace(self, stacks=(), is_of_orphans=True)

    @property
    def exit_code(self) -> ExitCode:
        """2 when a person should look; 1 or 5 when the engine could not compare all or some."""
        failed = sum(bool(stack.error) for stack in self.stacks)
        if failed:
            return ExitCode.FAILED if failed == len(self.stacks) else ExitCode.PARTIAL
        status = self.status
        found = any(stack.by_hand for stack in self.stacks) or status.strangers or status.blind
        return ExitCode.CHANGES if found else ExitCode.OK


def read_drift(request: DriftRequest) -> Drift:
    """Compare every recorded stack with what is there; changes nothing.

    Raises:
        InvalidInputError: as `read_status`; EngineError: no engine could be started.
    """
    status = read_status(request.question)
    stacks = [stack for pool in status.pools for stack in pool.stacks]
    plans = _compared(stacks, status, request) if request.use_engine and stacks else {}
    return Drift(
        status=status,
        stacks=tuple(_drift(stack, status, plans.get(stack.key)) for stack in stacks),
    )


def _compared(
    stacks: Sequence[RecordedStack], status: Status, request: DriftRequest
) -> Mapping[StackKey, StackPlan]:
    from multicloud.run.session import SessionRequest, open_session

    inputs = status.inputs
    jobs = [job for policy in status.policies for job in _jobs(policy.name, stacks, status)]
    asked = SessionRequest.of(replace(inputs, policies=status.policies), request.engine)
    with open_session(asked) as session:
        plans = session.plan_all(
            [job.stack for job in jobs],
            parallelism=request.parallelism,
            on_progress=request.on_progress,
            refresh_only=True,
        )
    return {plan.key: plan for plan in plans}


def _jobs(policy: str, stacks: Sequence[RecordedStack], status: Status) -> Iterator[StackJob]:
    """The stacks as recorded: what the policy says now is no part of the comparison."""
    own = [stack for stack in stacks if stack.key.policy == policy]
    text = next(one for one in status.policies if one.name == policy)
    renderer = Renderer(text, status.inputs.project, own)
    for stack in own:
        yield renderer.job(stack.placement, stack.key.owner, Purpose.RESIZE)


def _drift(stack: RecordedStack, status: Status, plan: StackPlan | None) -> StackDrift:
    key = stack.key
    found = _by_inventory(stack, status)
    if plan is None:
        return found
    if plan.error is not None:
        return replace(found, error=plan.error, hint=plan.hint)
    is_others = stack.placement.least is not None
    resources = tuple(
        change
        for change in plan.drift
        # Somebody else sizes the group; the engine sees that it is not as it was.
        if not (is_others and change.type in NODE_BEARING | NODES_THEMSELVES)
    )
    told = tuple(f"{change.address}: {_done(change)} outside of multicloud" for change in resources)
    return replace(found, key=key, by_hand=(*found.by_hand, *told), resources=resources)


def _done(change: ResourceChange) -> str:
    return {"update": "changed", "delete": "deleted"}.get(change.action.value, change.action.value)


def _by_inventory(stack: RecordedStack, status: Status) -> StackDrift:
    key, placement = stack.key, stack.placement
    slot = placement.slot
    reading = status.reading(slot.cloud, slot.region)
    if reading is None or reading.error:
        return StackDrift(key=key)
    mine = [node for node in reading.nodes if node.tags == key.tags]
    alive = [node for node in mine if node.state is not NodeState.STOPPING]
    churn = [*_taken(reading, key), *_short(reading, key), *_booting(alive)]
    by_hand = [*_strange(alive, stack)]
    missing = placement.floor - len(alive)
    if missing > 0 and stack.status is StackStatus.APPLIED:
        told = f"{plural(missing, 'node')} of {placement.floor} missing"
        (churn if churn else by_hand).append(told)
    if len(alive) > placement.nodes:
        by_hand.append(f"{len(alive)} nodes where {placement.nodes} were applied")
    return StackDrift(key=key, churn=tuple(churn), by_hand=tuple(by_hand))


def _taken(reading: Reading, key: StackKey) -> Iterator[str]:
    """Nodes that the cloud took back within the last week."""
    gone = [event for event in reading.interruptions if event.tags == key.tags]
    if gone:
        last = max(event.at for event in gone)
        yield f"{plural(len(gone), 'node')} taken back by the cloud, the last {last:%m-%d %H:%M}Z"


def _short(reading: Reading, key: StackKey) -> Iterator[str]:
    for one in reading.shortages:
        if one.tags == key.tags:
            yield f"the group has {one.present} of {one.wanted} nodes: {one.text}"


def _booting(nodes: Sequence[Node]) -> Iterator[str]:
    pending = sum(node.state is NodeState.PENDING for node in nodes)
    if pending:
        yield f"{plural(pending, 'node')} booting"


def _strange(nodes: Sequence[Node], stack: RecordedStack) -> Iterator[str]:
    """Nodes under our tags that are not of the kind that was applied."""
    slot = stack.placement.slot
    others = Counter(
        f"{node.instance_type} {node.capacity_type}"
        for node in nodes
        if (node.instance_type, node.capacity_type) != (slot.instance_type, slot.capacity_type)
    )
    for kind, count in sorted(others.items()):
        yield f"{plural(count, 'node')} of {kind} in a group of {slot.instance_type}"
