"""Single steps on one stack, each written down before it is done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.engine.explain import explain
from multicloud.errors import (
    EngineFailedError,
    GuardrailError,
    InterruptedRunError,
    MulticloudError,
)
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.run import (
    Purpose,
    RecordedStack,
    StackStatus,
    StepKind,
    StepOutcome,
)
from multicloud.run.held import unasked, unmakes_nodes
from multicloud.run.outcome import FailureClass
from multicloud.run.unchanged import text_digest

if TYPE_CHECKING:
    from datetime import timedelta

    from multicloud.models.change import StackPlan
    from multicloud.models.inventory import Reading, Shortage
    from multicloud.run.context import RunContext
    from multicloud.run.jobs import StackJob

LOOK_EVERY_S = 5.0
ALIVE = (NodeState.PENDING, NodeState.RUNNING)

KINDS = {
    Purpose.FILL: StepKind.APPLY_UP,
    Purpose.RESIZE: StepKind.APPLY_UP,
    Purpose.EMPTY: StepKind.APPLY_DOWN,
    Purpose.REMOVE: StepKind.DESTROY,
}
CLASSES = {str(item): item for item in FailureClass}


class StepError(Exception):
    """A step failed; `failure` says of what class, `text` what happened and what to do."""

    def __init__(self, failure: FailureClass, text: str) -> None:
        super().__init__(text)
        self.failure = failure
        self.text = text


def plan_checked(run: RunContext, job: StackJob) -> bytes:
    """Plan a job afresh and hold it against its decision; returns the engine's saved plan.

    Raises:
        StepError: the engine failed, or plans what nobody decided.
    """
    planned(run, job)
    return run.session.plan_file(job.stack.key)


def plan_removal(run: RunContext, job: StackJob) -> bytes:
    """The same for a stack that goes, or stays empty: its state must hold what runs there.

    Raises:
        StepError: nodes run there that the state knows nothing of, so that nothing would go.
    """
    plan = planned(run, job)
    if job.purpose is Purpose.REMOVE and not unmakes_nodes(plan) and (left := alive(run, job)):
        raise StepError(
            FailureClass.GUARD,
            f"{job.stack.key}: its state knows no group, but {left} of its nodes run: the engine "
            "would remove nothing. Bring the state back, or remove the group in the cloud.",
        )
    return run.session.plan_file(job.stack.key)


def planned(run: RunContext, job: StackJob) -> StackPlan:
    """The same, returning what the engine would change.

    Raises:
        StepError: the engine failed, or plans what nobody decided.
    """
    key = job.stack.key
    try:
        plan = run.session.plan(job, on_step=lambda text: run.tell(key, text))
    except InterruptedRunError:
        raise
    except MulticloudError as error:
        raise as_step_error(error) from error
    fault = unasked(plan, job.purpose)
    if fault is not None and key.owner not in run.allow_replace:
        raise StepError(
            FailureClass.GUARD, f"{key}: {fault} If that is wanted: --allow-replace {key.owner}"
        )
    return plan


def apply(run: RunContext, job: StackJob, plan_file: bytes) -> None:
    """Apply a saved plan and record the stack as it then is.

    The record is made before, so that a run that is killed leaves a trace.

    Raises:
        StepError: the engine failed; what it did is in the state, and the next run looks.
    """
    key, purpose = job.stack.key, job.purpose
    is_up = purpose in (Purpose.FILL, Purpose.RESIZE)
    under_way = StackStatus.APPLYING if is_up else StackStatus.DESTROYING
    record(run, job, under_way)
    step = run.begin(key, KINDS[purpose], nodes=job.stack.placement.nodes)
    run.tell(key, "apply")
    try:
        run.session.apply(
            job,
            plan_file,
            on_step=lambda text: run.tell(key, text),
            on_start=lambda pid: run.note_engine(step, pid),
        )
    except InterruptedRunError:
        run.end(step, StepOutcome.INTERRUPTED)
        raise
    except MulticloudError as error:
        run.end(step, StepOutcome.FAILED, note=error.summary)
        record(run, job, StackStatus.UNKNOWN)
        raise as_step_error(error) from error
    run.end(step, StepOutcome.DONE)


def record(run: RunContext, job: StackJob, status: StackStatus) -> None:
    """Record a stack with a status; a finished one with its text and engine."""
    key = job.stack.key
    known = next((s for s in run.store.stacks(key.policy) if s.key == key), None)
    base = known or RecordedStack(key=key, placement=job.stack.placement, status=status)
    if status in (StackStatus.APPLIED, StackStatus.EMPTY):
        engine = run.session.engine
        base = replace(
            base,
            text_digest=text_digest(job.stack.files),
            engine=engine.product,
            engine_version=engine.version,
            applied_at=run.clock.now(),
        )
    # A stack that is being emptied or removed keeps what it had until a look confirms it.
    is_leaving = status in (StackStatus.DESTROYING, StackStatus.UNKNOWN) and known is not None
    placement = base.placement if is_leaving and not job.is_up else job.stack.placement
    run.store.upsert_stack(replace(base, status=status, placement=placement))


def see_up(run: RunContext, job: StackJob, boot: timedelta, *, is_refill: bool = False) -> int:
    """Wait until the inventory shows every node of the placement running; how many do.

    Where somebody else decides the size, the least are enough.

    A refill is the group's own doing, in its own time: nodes that do not even boot are not
    waited for.

    Raises:
        StepError: they did not come within `boot`, or the cloud says that it has none.
    """
    placement = job.stack.placement
    wanted = placement.floor
    step = run.begin(job.stack.key, StepKind.VERIFY_UP, nodes=wanted)
    end = run.clock.now() + boot
    while True:
        reading = look(run, job)
        ready = _count(reading, job, NodeState.RUNNING)
        if ready >= wanted:
            run.end(step, StepOutcome.DONE)
            return ready
        shortage = _shortage(reading, job)
        is_hopeless = is_refill and _count(reading, job, *ALIVE) < wanted
        if shortage is not None or is_hopeless or run.clock.now() >= end:
            break
        run.tell(job.stack.key, f"{ready} of {wanted} nodes run")
        run.clock.wait(LOOK_EVERY_S)
    if shortage is not None:
        failure, text = CLASSES[shortage.kind], shortage.text
    elif reading.error:
        failure, text = FailureClass.OTHER, reading.error
    else:
        failure = FailureClass.CAPACITY
        text = f"{ready} of {wanted} nodes run"
        text += ", the group is to refill itself" if is_refill else f" after {boot}"
    run.end(step, StepOutcome.FAILED, note=text)
    raise StepError(failure, text)


def see_down(run: RunContext, job: StackJob, patience: timedelta) -> None:
    """Wait until the inventory shows no node of the place.

    Raises:
        StepError: some are still there after `patience`, or nobody can tell.
    """
    step = run.begin(job.stack.key, StepKind.VERIFY_DOWN)
    end = run.clock.now() + patience
    while True:
        reading = look(run, job)
        left = _count(reading, job)
        if not left and not reading.error:
            run.end(step, StepOutcome.DONE)
            return
        if run.clock.now() >= end:
            break
        run.clock.wait(LOOK_EVERY_S)
    text = reading.error or f"{left} nodes are still there after {patience}"
    run.end(step, StepOutcome.FAILED, note=text)
    raise StepError(FailureClass.OTHER, text)


def look(run: RunContext, job: StackJob) -> Reading:
    """Read the region of a job's stack."""
    slot = job.stack.placement.slot
    (reading,) = run.inventories.read([(slot.cloud, slot.region)])
    return reading


def alive(run: RunContext, job: StackJob) -> int | None:
    """How many nodes of a job's stack run or boot; None when nobody can tell."""
    reading = look(run, job)
    return None if reading.error else _count(reading, job, *ALIVE)


def _count(reading: Reading, job: StackJob, *states: NodeState) -> int:
    tags = job.stack.key.tags
    return sum(node.tags == tags and (not states or node.state in states) for node in reading.nodes)


def _shortage(reading: Reading, job: StackJob) -> Shortage | None:
    """What the cloud says it has not; a group that is merely slow is none."""
    own = (shortage for shortage in reading.shortages if shortage.tags == job.stack.key.tags)
    return next((one for one in own if one.kind is not ShortageKind.OTHER), None)


def explain_kind(text: str) -> str:
    """The class of a cloud's or engine's words, or "" when they are not known."""
    advice = explain(text)
    return advice.kind if advice else ""


def as_step_error(error: MulticloudError) -> StepError:
    """An error of the engine or a guard with its class, for a person to act upon."""
    text = " ".join(part for part in (error.summary, error.detail, error.hint) if part)
    if isinstance(error, GuardrailError):
        return StepError(FailureClass.GUARD, text)
    if isinstance(error, EngineFailedError):
        kind = explain_kind(f"{error.summary}\n{error.detail}")
        return StepError(CLASSES.get(kind, FailureClass.OTHER), text)
    return StepError(FailureClass.OTHER, text)
