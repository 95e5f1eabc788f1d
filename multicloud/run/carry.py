"""Carries out one pool's decision: the new place comes up before the old one goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.errors import InterruptedRunError
from multicloud.models.decision import Action
from multicloud.models.memory import SetAside, SetAsideReason
from multicloud.models.run import Purpose, StackStatus, StepKind, StepOutcome
from multicloud.run import steps
from multicloud.run.jobs import first_size
from multicloud.run.outcome import Attempt, Ending, FailureClass, PoolOutcome
from multicloud.run.steps import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from multicloud.models.change import StackKey
    from multicloud.models.decision import Decision
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy, Pool
    from multicloud.run.context import RunContext
    from multicloud.run.jobs import Renderer, StackJob


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolWork:
    """One pool's decision with its stacks. `unchanged` ones are left as they stand.

    `plan_files` are the engine's plans that were approved; a job without one is planned afresh
    and held against the decision.
    """

    decision: Decision
    policy: Policy
    pool: Pool
    jobs: tuple[StackJob, ...]
    unchanged: frozenset[StackKey]
    plan_files: Mapping[StackKey, bytes]
    renderer: Renderer


def carry(run: RunContext, work: PoolWork) -> PoolOutcome:
    """Bring the pool to its decision as far as it goes; never raises but for an interrupt.

    All or nothing per placement. When phase 1 fails the old stays as it is.
    """
    try:
        return Carrier(run, work).carry()
    except InterruptedRunError:
        decision = work.decision
        return PoolOutcome(decision=decision, ending=Ending.INTERRUPTED, after=decision.before)
    except Exception as error:  # noqa: BLE001 - a fault of ours in one pool must not stop others
        decision = work.decision
        text = f"unexpected {type(error).__name__}: {error}; this is a fault of multicloud"
        return PoolOutcome(
            decision=decision, ending=Ending.FAILED, after=decision.before, text=text
        )


class Carrier:
    """The steps of one pool, in order."""

    def __init__(self, run: RunContext, work: PoolWork) -> None:
        self._run = run
        self._work = work
        self._attempts: list[Attempt] = []

    def carry(self) -> PoolOutcome:
        """Phase 1, then phase 2."""
        decision = self._work.decision
        todo = [job for job in self._work.jobs if job.stack.key not in self._work.unchanged]
        if decision.blocked_by:
            return self._ended(Ending.BLOCKED, decision.before, f"by {decision.blocked_by}")
        if not todo:
            ending = Ending.UNMET if decision.unmet else Ending.NOTHING
            return self._ended(ending, decision.after)
        after = list(decision.after)
        try:
            for job in (job for job in todo if job.is_up):
                up = self._up(job)
                after[after.index(job.stack.placement)] = up
        except StepError as error:
            return self._ended(_ending_of(error), decision.before, error.text)
        failures = [error for job in todo if not job.is_up for error in self._down(job)]
        if failures:
            guarded = all(error.failure is FailureClass.GUARD for error in failures)
            ending = Ending.BLOCKED if guarded and len(failures) == len(todo) else Ending.FAILED
            return self._ended(ending, after, "; ".join(error.text for error in failures))
        return self._ended(Ending.UNMET if decision.unmet else Ending.DONE, tuple(after))

    def _ended(self, ending: Ending, after: Sequence[Placement], text: str = "") -> PoolOutcome:
        return PoolOutcome(
            decision=self._work.decision,
            ending=ending,
            after=tuple(after),
            attempts=tuple(self._attempts),
            text=text,
        )

    def _up(self, job: StackJob) -> Placement:
        """Bring a placement up, or the first of its fallbacks that comes; returns which."""
        first = self._tried(job, self._work.plan_files.get(job.stack.key))
        if first is None:
            return job.stack.placement
        if not first.failure.is_shortage or job.purpose is not Purpose.FILL:
            raise first
        last = first
        for placement in self._fallbacks(job):
            candidate = self._work.renderer.job(
                placement,
                self._work.pool.name,
                Purpose.FILL,
                size=first_size(placement, 0),
            )
            failed = self._tried(candidate, None)
            if failed is None:
                return placement
            last = failed
            if not failed.failure.is_shortage:
                break
        raise last

    def _fallbacks(self, job: StackJob) -> tuple[Placement, ...]:
        limit = self._work.pool.retry.max_attempts - 1
        others = (p for p in self._work.decision.fallbacks if p.slot != job.stack.placement.slot)
        return tuple(others)[:limit]

    def _tried(self, job: StackJob, plan_file: bytes | None) -> StepError | None:
        """Try one candidate; a failed one is set aside and leaves nothing behind.

        Raises:
            StepError: its nodes run, but their number could not be left to somebody else.
        """
        placement = job.stack.placement
        try:
            sized = self._sized(job)
            if sized is not None:
                self._brought_up(sized, None)
                plan_file = None
            seen = self._brought_up(job, plan_file)
        except StepError as error:
            self._attempts.append(
                Attempt(placement=placement, failure=error.failure, text=error.text)
            )
            if error.failure.is_shortage and not self._is_refill:
                self._set_aside(placement, error.failure)
            if job.purpose is Purpose.FILL and error.failure is not FailureClass.GUARD:
                self._roll_back(job)
            return error
        status = StackStatus.APPLIED if placement.nodes else StackStatus.EMPTY
        steps.record(self._run, job, status)
        self._pay(placement, placement.nodes if placement.least is None else seen)
        self._attempts.append(Attempt(placement=placement))
        self._hand_over(job)
        return None

    def _brought_up(self, job: StackJob, plan_file: bytes | None) -> int:
        """Apply a job and see its nodes run; how many do."""
        plan = plan_file or steps.plan_checked(self._run, job)
        steps.apply(self._run, job, plan)
        is_refill = self._is_refill and not self._is_rebounded(job)
        return steps.see_up(self._run, job, self._work.pool.timeouts.boot, is_refill=is_refill)

    def _sized(self, job: StackJob) -> StackJob | None:
        """For a group that has other bounds now and too few nodes for them, or too many.

        Clouds whose groups have no bounds would do nothing, and others refuse bounds that leave
        the size outside.
        """
        placement = job.stack.placement
        if job.purpose is not Purpose.RESIZE or not self._is_rebounded(job):
            return None
        alive = steps.alive(self._run, job)
        size = None if alive is None else first_size(placement, alive)
        if size is None:
            return None
        return self._work.renderer.job(placement, self._work.pool.name, job.purpose, size=size)

    def _is_rebounded(self, job: StackJob) -> bool:
        """Whether somebody else decides the size within bounds that were others until now."""
        placement = job.stack.placement
        before = [p for p in self._work.decision.before if p.slot == placement.slot]
        return placement.least is not None and any(
            p.least is None or (p.floor, p.nodes) != (placement.floor, placement.nodes)
            for p in before
        )

    def _hand_over(self, job: StackJob) -> None:
        """Leave the size of a group that was brought to its least to somebody else."""
        placement = job.stack.placement
        if placement.least is None:
            return
        left = self._work.renderer.job(placement, self._work.pool.name, Purpose.RESIZE)
        if left.stack.files == job.stack.files:
            return
        if steps.planned(self._run, left).has_changes:
            key = job.stack.key
            steps.apply(self._run, left, self._run.session.plan_file(key))
        steps.record(self._run, left, StackStatus.APPLIED)

    @property
    def _is_refill(self) -> bool:
        """Whether nothing was decided but that lost nodes are the group's own to refill."""
        return self._work.decision.action in (Action.NO_OP, Action.HOLD)

    def _roll_back(self, job: StackJob) -> None:
        """Remove what a failed candidate left; what cannot be removed stays recorded."""
        undo = replace(job, purpose=Purpose.REMOVE)
        step = self._run.begin(job.stack.key, StepKind.ROLL_BACK)
        try:
            steps.apply(self._run, undo, steps.plan_checked(self._run, undo))
            steps.see_down(self._run, undo, self._work.pool.timeouts.destroy)
        except StepError as error:
            self._run.end(step, StepOutcome.FAILED, note=error.text)
            return
        self._run.end(step, StepOutcome.DONE)
        self._run.store.forget_stack(job.stack.key)

    def _down(self, job: StackJob) -> list[StepError]:
        """Drain and empty or remove a stack; returns what went wrong."""
        key, timeouts = job.stack.key, self._work.pool.timeouts
        try:
            plan = self._work.plan_files.get(key) or steps.plan_removal(self._run, job)
            steps.apply(self._run, job, plan)
            steps.see_down(self._run, job, timeouts.destroy)
        except StepError as error:
            if error.failure is not FailureClass.GUARD:
                steps.record(self._run, job, StackStatus.UNKNOWN)
            return [error]
        if job.purpose is Purpose.REMOVE:
            self._run.store.forget_stack(key)
        else:
            steps.record(self._run, job, StackStatus.EMPTY)
        # Also of what a failed run left behind without nodes: that was paid for until then.
        now = self._run.clock.now()
        self._run.store.close_usage(key.policy, key.owner, job.stack.placement, now)
        return []

    def _pay(self, placement: Placement, nodes: int) -> None:
        decision, now = self._work.decision, self._run.clock.now()
        if placement.nodes:
            self._run.store.open_usage(
                decision.policy,
                decision.pool,
                placement,
                nodes=nodes,
                usd_per_node_hour=placement.price.usd,
                at=now,
            )

    def _set_aside(self, placement: Placement, failure: FailureClass) -> None:
        slot, now = placement.slot, self._run.clock.now()
        is_quota = failure is FailureClass.QUOTA
        for zone in slot.zones or ("",):
            mark = SetAside(
                cloud=slot.cloud,
                region=slot.region,
                zone=zone,
                instance_type=slot.instance_type,
                capacity_type=slot.capacity_type,
                reason=SetAsideReason.QUOTA if is_quota else SetAsideReason.NO_CAPACITY,
                since=now,
                until=now + self._work.pool.retry.set_aside,
            )
            self._run.store.add_set_aside(self._work.policy.name, mark)


def _ending_of(error: StepError) -> Ending:
    if error.failure is FailureClass.GUARD:
        return Ending.BLOCKED
    return Ending.UNMET if error.failure.is_shortage else Ending.FAILED
