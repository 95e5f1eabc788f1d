"""What `apply`, `rebalance` and `destroy` say: a line per pool, then the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.placement import total_usd
from multicloud.report.amounts import Currency
from multicloud.report.head import banner
from multicloud.report.placements import place_name, placement_body, size_text
from multicloud.report.plan_json import decision_body
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import paragraph
from multicloud.run.outcome import Ending

if TYPE_CHECKING:
    from decimal import Decimal

    from multicloud.models.placement import Placement
    from multicloud.run.execute import RunReport
    from multicloud.run.outcome import Attempt, PoolOutcome

LOUD = (Ending.UNMET, Ending.BLOCKED, Ending.FAILED, Ending.INTERRUPTED)


def report_text(report: RunReport) -> str:
    """One line per pool, the attempts that failed under it, the cost, and what to do next."""
    inputs = report.inputs
    currency = Currency.shared(inputs.policies)
    lines = banner(inputs.project.target)
    width = max((len(o.decision.pool) for o in report.outcomes), default=0) + 2
    for outcome in report.outcomes:
        lines.append(paragraph(outcome.decision.pool, _line(outcome), indent=width))
        lines += [
            paragraph("", f"tried {_where(a.placement)}: {a.failure}: {a.text}", indent=width)
            for a in outcome.attempts
            if a.failure is not None
        ]
    after = currency.show(cost_after(report))
    before = currency.show(total_usd(o.decision.usd_per_hour_before for o in report.outcomes))
    lines.append(f"Run {report.run}: {before} -> {after} {currency.code}/h")
    return "\n".join(lines)


def report_document(report: RunReport) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": report.run,
        "kind": str(report.kind),
        "at": stamp(report.inputs.now),
        "target": str(report.inputs.project.target),
        "policies": [
            {"name": policy.name, "hash": policy.hash, "file": policy.file}
            for policy in report.inputs.policies
        ],
        "outcomes": [
            {
                "policy": outcome.decision.policy,
                "pool": outcome.decision.pool,
                "ending": outcome.ending.value,
                "text": outcome.text,
                "after": [placement_body(placement) for placement in outcome.after],
                "attempts": [_attempt_body(attempt) for attempt in outcome.attempts],
                "decision": decision_body(outcome.decision),
            }
            for outcome in report.outcomes
        ],
        "totals": {"usd_per_hour_after": number(cost_after(report))},
        "exit_code": int(report.exit_code),
    }


def cost_after(report: RunReport) -> Decimal | None:
    """USD per hour of what the run's pools now have."""
    return total_usd(p.usd_per_hour for outcome in report.outcomes for p in outcome.after)


def _line(outcome: PoolOutcome) -> str:
    decision = outcome.decision
    ending = outcome.ending.value.upper() if outcome.ending in LOUD else outcome.ending.value
    has = ", ".join(_where(placement) for placement in outcome.after) or "off"
    if outcome.ending is Ending.DONE:
        ending = f"{decision.action.value} done"
    why = f": {outcome.text}" if outcome.text else ""
    if outcome.ending is Ending.UNMET and decision.unmet and not why:
        why = f": {'; '.join(decision.unmet.reasons)}"
    return f"{ending}, {has}{why}"


def _where(placement: Placement) -> str:
    slot = placement.slot
    kind = f"{size_text(placement)} x {slot.instance_type} {slot.capacity_type}"
    return f"{kind} {place_name(placement)}"


def _attempt_body(attempt: Attempt) -> dict[str, object]:
    return {
        "placement": placement_body(attempt.placement),
        "failure": attempt.failure.value if attempt.failure else None,
        "text": attempt.text,
    }
