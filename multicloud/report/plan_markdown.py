"""A plan for pull requests and chat: totals first, then pools, then stacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from multicloud.models.placement import total_usd
from multicloud.models.project import Target
from multicloud.report.amounts import Currency
from multicloud.report.placements import placements_text
from multicloud.report.prices_line import placements_of, prices_line

if TYPE_CHECKING:
    from multicloud.models.decision import Decision
    from multicloud.run.result import PlanResult, PolicyPlan

SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")


def plan_markdown(result: PlanResult) -> str:
    """The plan as GitHub-flavoured Markdown; no value can close a table or start a tag."""
    decisions = result.decisions
    currency = Currency.shared([plan.policy for plan in result.policies])
    before = currency.show(total_usd(d.usd_per_hour_before for d in decisions))
    after = currency.show(total_usd(d.usd_per_hour_after for d in decisions))
    banner = " (sandbox: no cloud is touched)" if result.target is Target.SANDBOX else ""
    lines = [
        f"### multicloud plan{banner}",
        "",
        (
            f"**{before} → {after} {currency.code}/h**, as of {result.at:%Y-%m-%d %H:%M} UTC, "
            f"good until {result.valid_until:%H:%M} UTC"
        ),
    ]
    for plan in result.policies:
        lines += ["", *_policy_lines(plan)]
    if result.stacks:
        lines += ["", "| stack | add | change | destroy |", "|---|--:|--:|--:|"]
        lines += [
            f"| {escape(str(s.key))} | {s.add} | {s.change} | {s.destroy} |"
            if s.error is None
            else f"| {escape(str(s.key))} | failed: {escape(s.error)} | | |"
            for s in result.stacks
        ]
    warnings = [*result.warnings, *(text for d in decisions for text in d.warnings)]
    if warnings:
        lines += ["", *(f"- ⚠ {escape(text)}" for text in dict.fromkeys(warnings))]
    return "\n".join(lines)


def _policy_lines(plan: PolicyPlan) -> list[str]:
    currency = Currency.of(plan.policy)
    prices = prices_line(placements_of(plan.decisions), plan.policy)
    head = f"| pool | action | from | to | {currency.code}/h | next change |"
    return [
        f"**{escape(plan.policy.name)}**",
        "",
        head,
        "|---|---|---|---|--:|---|",
        *(_row(decision, currency) for decision in plan.decisions),
        "",
        *(f"- {escape(d.pool)}: {escape(_why(d))}" for d in plan.decisions),
        *([f"- prices: {escape(prices)}"] if prices else []),
    ]


def _why(decision: Decision) -> str:
    unmet = decision.unmet
    lack = [f"UNMET: {unmet.gpus} GPUs.", "; ".join(unmet.reasons)] if unmet else []
    return " ".join([*decision.reasons, *lack])


def _row(decision: Decision, currency: Currency) -> str:
    to = ", ".join(_placed(decision, before=False)) or ("UNMET" if decision.unmet else "off")
    was = ", ".join(_placed(decision, before=True)) or "off"
    cost = currency.show(decision.usd_per_hour_after)
    cells = [decision.pool, decision.action.value, was, to, cost, decision.next_change]
    return f"| {' | '.join(escape(cell) for cell in cells)} |"


def _placed(decision: Decision, *, before: bool) -> list[str]:
    return [
        placements_text([p], decision.seen if before else None)
        for p in (decision.before if before else decision.after)
    ]


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))
