"""What `explain` says: rules, then tiers, then every offer with its fate."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from multicloud.report.amounts import Currency
from multicloud.report.head import head
from multicloud.report.placements import place_name, placement_body, size_text, usd_per_gpu_hour
from multicloud.report.plan_json import decision_body
from multicloud.report.prices_line import MARK
from multicloud.report.scalars import SCHEMA_VERSION, stamp
from multicloud.report.text import Column, paragraph, table

if TYPE_CHECKING:
    from decimal import Decimal

    from multicloud.decide.explain import TierView
    from multicloud.models.decision import Decision, Reject, Rejection
    from multicloud.models.placement import Placement
    from multicloud.run.explain import Explained

SHOWN_CANDIDATES = 10
SHOWN_REJECTIONS = 3


def explain_text(explained: Explained) -> str:
    """The decision with its reasons, and why each offer lost."""
    explanation, policy = explained.explanation, explained.policy
    decision = explanation.decision
    currency = Currency.of(policy)
    lines = [
        head(explained.target, decision.at, policy.timezone),
        f"{decision.pool} ({decision.need}): {_verdict(decision)}",
        paragraph("  why", " ".join(decision.reasons), indent=8),
        *_rules(decision),
    ]
    for view in explanation.tiers:
        lines += _tier(view, currency)
    if decision.fallbacks:
        lines.append("Fallbacks, in order")
        lines += [f"  {_placed(placement, currency)}" for placement in decision.fallbacks]
    lines += [paragraph("!", text, indent=3) for text in (*explained.warnings, *decision.warnings)]
    return "\n".join(lines)


def explain_document(explained: Explained) -> dict[str, object]:
    """The same as data, with the full lists of candidates and rejections."""
    explanation = explained.explanation
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(explanation.decision.at),
        "target": str(explained.target),
        "policies": [
            {
                "name": explained.policy.name,
                "hash": explained.policy.hash,
                "file": explained.policy.file,
            }
        ],
        "prices": {"source": explained.price_source},
        "decisions": [decision_body(explanation.decision)],
        "rules": [
            {"name": r.name, "when": r.when, "truth": r.truth.value, "detail": r.detail}
            for r in explanation.decision.rules
        ],
        "tiers": [_tier_body(view) for view in explanation.tiers],
        "warnings": [*explained.warnings, *explanation.decision.warnings],
        "exit_code": 0,
    }


def _verdict(decision: Decision) -> str:
    cause = f", cause {decision.cause}" if decision.cause else ""
    action = decision.action.value.replace("_", "-")
    after = ", ".join(_where(placement) for placement in decision.after) or "off"
    return f"{action}{cause}: {'UNMET' if decision.unmet and not decision.after else after}"


def _rules(decision: Decision) -> list[str]:
    if not decision.rules:
        return []
    columns = (Column("  RULE", shrinks=True), Column("HOLDS"), Column("WHY", shrinks=True))
    rows = [[f"  {rule.name}", rule.truth.value, rule.detail] for rule in decision.rules]
    return [table(columns, rows)]


def _tier(view: TierView, currency: Currency) -> list[str]:
    fit, lost = len(view.candidates), len(view.rejections)
    lines = [f"Tier {view.index + 1} of {view.of} of {view.rule}: {fit} offers fit, {lost} do not"]
    if view.candidates:
        columns = (
            Column("  OFFER", shrinks=True),
            Column(""),
            Column("", shrinks=True),
            Column(f"{currency.code}/h", right=True),
            Column("per GPU-h", right=True),
            Column("PRICE OF", shrinks=True),
        )
        shown = view.candidates[:SHOWN_CANDIDATES]
        lines.append(table(columns, [_candidate(placement, currency) for placement in shown]))
        if fit > len(shown):
            lines.append(f"  and {fit - len(shown)} more (--json lists all)")
    lines += _losses(view.rejections)
    return lines


def _losses(rejections: tuple[Rejection, ...]) -> list[str]:
    by_reason: defaultdict[Reject, list[Rejection]] = defaultdict(list)
    for rejection in rejections:
        by_reason[rejection.reason].append(rejection)
    lines = []
    for reason, lost in by_reason.items():
        named = [_lost(rejection) for rejection in lost[:SHOWN_REJECTIONS]]
        more = f", and {len(lost) - len(named)} more" if len(lost) > len(named) else ""
        lines.append(
            paragraph(f"  {len(lost):4} {reason.value}:", ", ".join(named) + more, indent=9)
        )
    return lines


def _lost(rejection: Rejection) -> str:
    key = rejection.offer
    zone = f"/{key.zone}" if key.zone else ""
    detail = f" ({rejection.detail})" if rejection.detail else ""
    return f"{key.instance_type} {key.capacity_type} {key.cloud}/{key.region}{zone}{detail}"


def _candidate(placement: Placement, currency: Currency) -> list[str]:
    price, slot = placement.price, placement.slot
    observed = f"{price.observed_at:%Y-%m-%d}" if price.observed_at else "unknown"
    return [
        f"  {size_text(placement)} x {slot.instance_type}",
        str(slot.capacity_type),
        place_name(placement),
        currency.show(placement.usd_per_hour),
        currency.show(usd_per_gpu_hour(placement)),
        f"{observed}{_off(price.discount)}{MARK[price.state]}",
    ]


def _off(discount: Decimal) -> str:
    return f", {discount * 100:.0f} % off" if discount else ""


def _placed(placement: Placement, currency: Currency) -> str:
    return f"{_where(placement)}  {currency.show(placement.usd_per_hour)} {currency.code}/h"


def _where(placement: Placement) -> str:
    slot = placement.slot
    kind = f"{size_text(placement)} x {slot.instance_type} {slot.capacity_type}"
    return f"{kind} {place_name(placement)}"


def _tier_body(view: TierView) -> dict[str, object]:
    return {
        "rule": view.rule,
        "tier": view.index + 1,
        "of": view.of,
        "candidates": [placement_body(placement) for placement in view.candidates],
        "rejections": [
            {
                "cloud": str(r.offer.cloud),
                "region": r.offer.region,
                "zone": r.offer.zone or None,
                "instance_type": r.offer.instance_type,
                "capacity_type": str(r.offer.capacity_type),
                "reason": r.reason.value,
                "detail": r.detail or None,
            }
            for r in view.rejections
        ],
    }
