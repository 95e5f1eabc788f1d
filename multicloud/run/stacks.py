"""Decisions as rendered stacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.engine.modules import module_files
from multicloud.render.stack import render_stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.models.decision import Decision
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.models.project import Project
    from multicloud.render.stack import RenderedStack
    from multicloud.run.result import PolicyPlan


def render_decisions(
    plans: Sequence[PolicyPlan], project: Project, *, local_state: str | None = None
) -> tuple[RenderedStack, ...]:
    """The stacks that the decisions fill or change, in the order of the decisions.

    A place that a pool leaves without going elsewhere keeps its stack, at size 0.
    """
    return tuple(
        _render(placement, decision.pool, plan.policy, project, local_state)
        for plan in plans
        for decision in plan.decisions
        for placement in stack_placements(decision)
    )


def render_fallbacks(plans: Sequence[PolicyPlan], project: Project) -> tuple[RenderedStack, ...]:
    """The stacks of all fallbacks: recorded with the run, planned only when one is tried."""
    return tuple(
        _render(placement, decision.pool, plan.policy, project, None)
        for plan in plans
        for decision in plan.decisions
        for placement in decision.fallbacks
    )


def stack_placements(decision: Decision) -> tuple[Placement, ...]:
    """What a decision gives its stacks: placements after, and 0 nodes where the pool goes off."""
    if decision.after:
        return decision.after
    return tuple(replace(placement, nodes=0, bid=None) for placement in decision.before)


def _render(
    placement: Placement, pool: str, policy: Policy, project: Project, local_state: str | None
) -> RenderedStack:
    return render_stack(
        placement,
        policy=policy,
        pool=next(p for p in policy.pools if p.name == pool),
        project=project,
        target=str(project.target),
        modules=module_files(placement.slot.cloud),
        local_state=local_state,
    )
