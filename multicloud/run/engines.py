"""Planning all stacks of a run with one engine; none is started where nothing can have changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from multicloud.errors import GuardrailError
from multicloud.models.change import StackPlan
from multicloud.models.run import Purpose
from multicloud.run.held import unasked
from multicloud.run.unchanged import is_unchanged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from multicloud.models.change import StackKey
    from multicloud.run.inputs import Inputs
    from multicloud.run.jobs import StackJob
    from multicloud.run.plan import PlanRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The stacks' plans in the order of the jobs, the engine's saved plans, by which engine.

    `notes` are for stderr.
    """

    stacks: tuple[StackPlan, ...] = ()
    files: Mapping[StackKey, bytes] = field(default_factory=dict)
    engine: str = ""
    notes: tuple[str, ...] = ()


def plan_jobs(jobs: Sequence[StackJob], request: PlanRequest, inputs: Inputs) -> Planned:
    """Plan the jobs' stacks, but for those that stand unchanged.

    Raises:
        EngineError: no engine can be started.
    """
    changed = [job for job in jobs if request.every_stack or not _stands(job, inputs)]
    if not changed or not request.use_engine:
        skipped = [job for job in jobs if job not in changed]
        return Planned(stacks=tuple(StackPlan(key=j.stack.key, skipped=True) for j in skipped))
    planned = _plan(changed, request, inputs)
    by_key = {plan.key: plan for plan in planned.stacks}
    return Planned(
        stacks=tuple(
            by_key.get(job.stack.key, StackPlan(key=job.stack.key, skipped=True)) for job in jobs
        ),
        files=planned.files,
        engine=planned.engine,
        notes=planned.notes,
    )


def _stands(job: StackJob, inputs: Inputs) -> bool:
    observed = inputs.recalled[job.stack.key.policy].observed
    return is_unchanged(job, observed, open_steps=observed.open_steps)


def _plan(jobs: Sequence[StackJob], request: PlanRequest, inputs: Inputs) -> Planned:
    from multicloud.run.session import SessionRequest, open_session

    with open_session(SessionRequest.of(inputs, request.engine)) as session:
        plans = session.plan_all(
            [job.stack for job in jobs],
            parallelism=request.parallelism,
            on_progress=request.on_progress,
            removed=frozenset(j.stack.key for j in jobs if j.purpose is Purpose.REMOVE),
        )
        plans = tuple(_held(p, job, request) for p, job in zip(plans, jobs, strict=True))
        locked = session.keep_locks(
            job.stack for p, job in zip(plans, jobs, strict=True) if p.error is None
        )
        files = {p.key: session.plan_file(p.key) for p in plans if p.error is None}
    return Planned(
        stacks=plans,
        files=files,
        engine=f"{session.engine.product} {session.engine.version}",
        notes=(*dropped_note(session.dropped), *locked),
    )


def _held(plan: StackPlan, job: StackJob, request: PlanRequest) -> StackPlan:
    """The plan, as blocked when it would do to nodes what nobody decided."""
    fault = unasked(plan, job.purpose)
    pool = job.stack.key.owner
    if plan.error is not None or fault is None or pool in request.allow_replace:
        return plan
    hint = f"If that is wanted: --allow-replace {pool}"
    return replace(plan, error=fault, error_kind=GuardrailError.kind, hint=hint)


def dropped_note(names: Sequence[str]) -> tuple[str, ...]:
    """One sentence that names the variables that were not passed on to the engine."""
    return (f"not passed on to the engine: {', '.join(names)}",) if names else ()
