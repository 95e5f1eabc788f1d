"""A plan as one JSON document; the names are a contract (README, "JSON")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.placement import total_usd
from multicloud.models.quote import PriceState
from multicloud.report.placements import placement_body
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.change import StackPlan
    from multicloud.models.decision import Decision, Reject
    from multicloud.models.placement import Placement
    from multicloud.run.result import PlanResult


def plan_document(result: PlanResult, *, exit_code: int) -> dict[str, object]:
    """The document of `plan`; money is a number in USD or null, times are RFC 3339 in UTC."""
    decisions = result.decisions
    months = [o.total.usd for plan in result.policies for o in plan.outlooks]
    observed = [
        placement.price.observed_at
        for decision in decisions
        for placement in decision.after
        if placement.price.observed_at
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(result.at),
        "target": str(result.target),
        "policies": [
            {"name": plan.policy.name, "hash": plan.policy.hash, "file": plan.policy.file}
            for plan in result.policies
        ],
        "memory": "store" if any(plan.is_remembered for plan in result.policies) else "none",
        "prices": {
            "source": result.price_source,
            "observed_at": stamp(min(observed)) if observed else None,
            "stale": any(_is_old(p) for d in decisions for p in d.after),
        },
        "decisions": [decision_body(decision) for decision in decisions],
        "stacks": [stack_body(stack) for stack in result.stacks],
        "totals": {
            "usd_per_hour_before": number(total_usd(d.usd_per_hour_before for d in decisions)),
            "usd_per_hour_after": number(total_usd(d.usd_per_hour_after for d in decisions)),
            "usd_per_hour_worst": number(total_usd(d.usd_per_hour_worst for d in decisions)),
            "usd_per_month_after": number(total_usd(months)),
        },
        "changes": result.changes,
        "run": result.run,
        "valid_until": stamp(result.valid_until),
        "engine": result.engine or None,
        "warnings": list(result.warnings) + [text for d in decisions for text in d.warnings],
        "exit_code": exit_code,
    }


def decision_body(decision: Decision) -> dict[str, object]:
    """One decision, as `plan` and `explain` show it."""
    unmet = decision.unmet
    return {
        "policy": decision.policy,
        "pool": decision.pool,
        "need": decision.need,
        "action": str(decision.action),
        "cause": str(decision.cause) if decision.cause else None,
        "rule": decision.rule,
        "unmet": {"gpus": unmet.gpus, "reasons": list(unmet.reasons)} if unmet else None,
        "reasons": list(decision.reasons),
        "warnings": list(decision.warnings),
        "blocked_by": decision.blocked_by or None,
        "before": [placement_body(p, decision.seen) for p in decision.before],
        "after": [placement_body(p, decision.seen) for p in decision.after],
        "fallbacks": [placement_body(p) for p in decision.fallbacks],
        "usd_per_hour_before": number(decision.usd_per_hour_before),
        "usd_per_hour_after": number(decision.usd_per_hour_after),
        "usd_per_hour_worst": number(decision.usd_per_hour_worst),
        "rejections": rejections_body(decision.rejections),
        "next_change_at": stamp(decision.next_change_at),
        "next_check_at": stamp(decision.next_check_at),
    }


def stack_body(stack: StackPlan) -> dict[str, object]:
    """One stack's counts, and why it failed if it did."""
    return {
        "key": str(stack.key),
        "policy": stack.key.policy,
        "pool": stack.key.owner,
        "was": stack.key.pool if stack.key.owner != stack.key.pool else None,
        "cloud": stack.key.cloud,
        "region": stack.key.region,
        "add": stack.add,
        "change": stack.change,
        "destroy": stack.destroy,
        "skipped": stack.skipped,
        "error": stack.error,
    }


def rejections_body(counts: Mapping[Reject, int]) -> dict[str, int]:
    """Counts per reason, in the order in which offers are judged."""
    return {reason.value: count for reason, count in counts.items()}


def _is_old(placement: Placement) -> bool:
    return placement.price.state not in (PriceState.FRESH, PriceState.PREPAID)
