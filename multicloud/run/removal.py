"""Runs that only take stacks down, made without a plan that somebody saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.models.decision import Action, Decision
from multicloud.models.placement import total_usd
from multicloud.models.run import SavedJob, SavedPolicy, SavedRun
from multicloud.run.saved import LoadedRun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from multicloud.models.decision import Cause
    from multicloud.models.memory import PoolMemory
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.run.inputs import Inputs
    from multicloud.run.jobs import StackJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What goes of one policy: a decision per pool, and the stacks."""

    policy: Policy
    decisions: tuple[Decision, ...]
    jobs: tuple[StackJob, ...]


def removal_decision(
    key: tuple[str, str],
    before: tuple[Placement, ...],
    *,
    at: datetime,
    cause: Cause,
    reason: str,
    memory: PoolMemory | None = None,
) -> Decision:
    """That all of a pool goes; `key` is its policy and name."""
    policy, pool = key
    return Decision(
        policy=policy,
        pool=pool,
        need="",
        at=at,
        action=Action.DESTROY,
        cause=cause,
        rule=None,
        before=before,
        after=(),
        wanted=(),
        reasons=(reason,),
        usd_per_hour_before=total_usd(placement.usd_per_hour for placement in before),
        usd_per_hour_after=total_usd(()),
        memory=memory,
    )


def removal_run(run: str, removals: Sequence[Removal], inputs: Inputs) -> LoadedRun:
    """The removals as a run that can be executed."""
    jobs = tuple(job for removal in removals for job in removal.jobs)
    return LoadedRun(
        saved=SavedRun(
            id=run,
            target=str(inputs.project.target),
            at=inputs.now,
            is_at_given=False,
            valid_until=inputs.now,
            engine="",
            prices="",
            policies=tuple(_policy(removal) for removal in removals),
            jobs=tuple(_job(job) for job in jobs),
        ),
        digest="",
        jobs=jobs,
        plan_files={},
    )


def _policy(removal: Removal) -> SavedPolicy:
    policy = removal.policy
    return SavedPolicy(
        name=policy.name,
        file=policy.file,
        hash=policy.hash,
        base="",
        decisions=removal.decisions,
    )


def _job(job: StackJob) -> SavedJob:
    return SavedJob(
        key=job.stack.key, purpose=job.purpose, placement=job.stack.placement, unchanged=False
    )
