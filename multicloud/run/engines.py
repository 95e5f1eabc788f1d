"""Planning all stacks of a run with one engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.engine.plan_all import plan_stacks
from multicloud.run.held import Purpose
from multicloud.run.layout import Layout
from multicloud.run.session import SessionRequest, open_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.models.change import StackPlan
    from multicloud.run.inputs import Inputs
    from multicloud.run.jobs import StackJob
    from multicloud.run.plan import PlanRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The stacks' plans in the order of the jobs, by which engine, and notes for stderr."""

    stacks: tuple[StackPlan, ...] = ()
    engine: str = ""
    notes: tuple[str, ...] = ()


def plan_jobs(jobs: Sequence[StackJob], request: PlanRequest, inputs: Inputs) -> Planned:
    """Plan the jobs' stacks.

    Raises:
        EngineError: no engine can be started.
    """
    asked = SessionRequest(
        layout=Layout(inputs.root),
        target=inputs.project.target,
        environ=request.question.environ,
        engine=request.engine,
        now=lambda: inputs.now,
        policies=inputs.policies,
    )
    with open_session(asked) as session:
        plans = plan_stacks(
            [job.stack for job in jobs],
            engine=session.engine,
            home=session.layout.home,
            setting=session.setting,
            parallelism=request.parallelism,
            on_progress=request.on_progress,
            runner=session.runner,
            removed=frozenset(j.stack.key for j in jobs if j.purpose is Purpose.REMOVE),
        )
    return Planned(
        stacks=plans,
        engine=f"{session.engine.product} {session.engine.version}",
        notes=dropped_note(session.dropped),
    )


def dropped_note(names: Sequence[str]) -> tuple[str, ...]:
    """One sentence that names the variables that were not passed on to the engine."""
    return (f"not passed on to the engine: {', '.join(names)}",) if names else ()
