"""Limits of one run (POLICY meaning 11): what they hold back, and what they let go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.catalog.fx import to_usd
from multicloud.decide.budgets import GUARD as BUDGET
from multicloud.decide.text import money
from multicloud.models.decision import Action, Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from multicloud.models.decision import Decision
    from multicloud.models.memory import PoolMemory
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy

SPEND, NEW_NODES, DESTROYED = "limits.spend", "limits.new_nodes", "limits.destroyed_nodes"


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A decision, and how to make the memory to store should a guard block it."""

    decision: Decision
    if_blocked: Callable[[], PoolMemory | None]


def guard(
    drafts: tuple[Draft, ...], policy: Policy, held: Mapping[str, str] | None = None
) -> tuple[Decision, ...]:
    """Hold back what is over a limit; scale-in and off always go, but for `destroyed_nodes`.

    Over `spend` or `new_nodes` nothing grows or moves; over `destroyed_nodes` nothing is
    destroyed for the policy's sake or for what happened outside. Pools that are `held` by a
    spent budget (why, by their names) do not grow or move either.
    """
    decisions = [draft.decision for draft in drafts]
    growing = _growth_fault(decisions, policy)
    losing = _loss_fault(decisions, policy)
    return tuple(
        _guarded(draft, growing, losing, (held or {}).get(draft.decision.pool, ""))
        for draft in drafts
    )


def new_nodes(decision: Decision) -> int:
    """Nodes that come up, the new side of a move among them."""
    return _surplus(decision.after, decision.before)


def destroyed_nodes(decision: Decision) -> int:
    """Nodes that go for good because of the policy's text or of what happened outside."""
    if decision.cause not in (Cause.POLICY, Cause.OUTSIDE):
        return 0
    if decision.action not in (Action.DESTROY, Action.SCALE):
        return 0
    return _surplus(decision.before, decision.after)


def _surplus(more: Iterable[Placement], less: Iterable[Placement]) -> int:
    """Nodes in `more` beyond those in `less`, place by place."""
    there = {p.slot: p.nodes for p in less}
    return sum(max(0, p.nodes - there.get(p.slot, 0)) for p in more)


def _growth_fault(decisions: list[Decision], policy: Policy) -> tuple[str, str] | None:
    """The limit that forbids growth, and the figures."""
    limits = policy.limits
    if limits.new_nodes is not None:
        nodes = sum(new_nodes(d) for d in decisions)
        if nodes > limits.new_nodes:
            return NEW_NODES, f"{nodes} new nodes are more than {limits.new_nodes}"
    if limits.spend is not None:
        most = to_usd(limits.spend, limits.spend_currency, policy.fx)
        costs = [d.usd_per_hour_worst for d in decisions]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            return SPEND, "a cost is unknown, which counts as over it"
        total = sum(known, Decimal(0))
        if most is None or total > most:
            limit = f"{money(limits.spend)} {limits.spend_currency}/h"
            return SPEND, f"{money(total)} USD/h at worst is more than {limit}"
    return None


def _loss_fault(decisions: list[Decision], policy: Policy) -> tuple[str, str] | None:
    limit = policy.limits.destroyed_nodes
    nodes = sum(destroyed_nodes(d) for d in decisions)
    if limit is None or nodes <= limit:
        return None
    return DESTROYED, f"{nodes} nodes to destroy are more than {limit}"


def _guarded(
    draft: Draft,
    growing: tuple[str, str] | None,
    losing: tuple[str, str] | None,
    held: str,
) -> Decision:
    decision = draft.decision
    if held and new_nodes(decision):
        return _blocked(draft, BUDGET, held)
    if growing is not None and new_nodes(decision):
        return _blocked(draft, *growing)
    if losing is not None and destroyed_nodes(decision):
        return _blocked(draft, *losing)
    return decision


def _blocked(draft: Draft, limit: str, why: str) -> Decision:
    decision = draft.decision
    return replace(
        decision,
        action=Action.HOLD,
        after=decision.before,
        wanted=decision.after,
        fallbacks=(),
        usd_per_hour_after=decision.usd_per_hour_before,
        usd_per_hour_worst=decision.usd_per_hour_before,
        blocked_by=limit,
        reasons=(*decision.reasons, f"Blocked by {limit}: {why}."),
        memory=draft.if_blocked(),
    )
