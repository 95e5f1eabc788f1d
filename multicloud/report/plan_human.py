"""A plan for people: what runs now, what shall, why, what it costs, what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.decision import Action
from multicloud.models.placement import total_usd
from multicloud.models.pool import shared_timezone
from multicloud.models.project import Target
from multicloud.report.amounts import Currency
from multicloud.report.head import SANDBOX_BANNER
from multicloud.report.placements import place_name, size_text, usd_per_gpu_hour
from multicloud.report.prices_line import placements_of, prices_line
from multicloud.report.text import CUT, Column, paragraph, percent, table
from multicloud.report.when import moment
from multicloud.run.result import count

if TYPE_CHECKING:
    from decimal import Decimal

    from multicloud.models.change import StackPlan
    from multicloud.models.decision import Decision
    from multicloud.models.placement import Placement
    from multicloud.run.result import PlanResult, PolicyPlan

MARKS = {
    Action.CREATE: "+",
    Action.SCALE: "~",
    Action.MOVE: "~",
    Action.DESTROY: "-",
    Action.NO_OP: " ",
    Action.HOLD: " ",
}
LIVE_BANNER = "LIVE"
HEAD_WIDTH = 110


def plan_text(result: PlanResult) -> str:
    """The whole report, without a final newline; the last line is the command to run next."""
    lines = [_banner(result)]
    for plan in result.policies:
        if len(result.policies) > 1:
            lines.append(f"\nPolicy {plan.policy.name} ({plan.policy.file})")
        lines.extend(_policy_lines(plan))
    lines.extend(_stack_lines(result.stacks))
    lines.extend(_remarks(result))
    lines.extend(_footer(result))
    return "\n".join(lines)


def _banner(result: PlanResult) -> str:
    right = moment(result.at, shared_timezone(plan.policy for plan in result.policies))
    left = SANDBOX_BANNER if result.target is Target.SANDBOX else LIVE_BANNER
    return f"{left}{right.rjust(min(HEAD_WIDTH - len(left), 66))}"


def _policy_lines(plan: PolicyPlan) -> list[str]:
    currency = Currency.of(plan.policy)
    indent = 2 + max((len(d.pool) for d in plan.decisions), default=0) + 3
    lines = [_pool_table(plan.decisions, currency), "Why"]
    for decision in plan.decisions:
        lines.append(paragraph(f"  {decision.pool}", " ".join(decision.reasons), indent=indent))
        if decision.unmet:
            why = "; ".join(decision.unmet.reasons)
            lines.append(paragraph("", f"UNMET: {decision.unmet.gpus} GPUs. {why}", indent=indent))
    lines.append(_month_table(plan, currency))
    ahead = [placement for stretch in plan.stretches for placement in stretch.placements]
    line = prices_line([*placements_of(plan.decisions), *ahead], plan.policy)
    if line:
        lines.append(paragraph("Prices", line, indent=9))
    if not plan.is_remembered:
        lines.append("Memory   none")
    return lines


def _pool_table(decisions: tuple[Decision, ...], currency: Currency) -> str:
    columns = (
        Column("  POOL", shrinks=True),
        Column("NEED", shrinks=True),
        Column("NOW"),
        Column("PLAN", shrinks=True),
        Column(""),
        Column("", shrinks=True),
        Column(f"{currency.code}/h", right=True),
        Column("per GPU-h", right=True),
        Column("NEXT CHANGE", shrinks=True),
    )
    rows = [row for decision in decisions for row in _pool_rows(decision, currency)]
    text = table(columns, rows)
    if CUT not in text:
        return text
    # Too wide: what the next change costs goes before any name is cut.
    return table(columns, [[*row[:-1], row[-1].partition(",")[0]] for row in rows])


def _pool_rows(decision: Decision, currency: Currency) -> list[list[str]]:
    head = [f"{MARKS[decision.action]} {decision.pool}", decision.need, _now(decision)]
    if not decision.after:
        state = "UNMET" if decision.unmet else "off"
        return [[*head, state, "", "", currency.show(total_usd(())), "-", decision.next_change]]
    rows = []
    for index, placement in enumerate(decision.after):
        lead = head if index == 0 else ["", "", ""]
        tail = decision.next_change if index == 0 else ""
        rows.append([*lead, *_placement_cells(placement, currency), tail])
    if decision.unmet:
        rows.append(["", "", "", f"UNMET {decision.unmet.gpus} GPUs", "", "", "", "", ""])
    return rows


def _placement_cells(placement: Placement, currency: Currency) -> list[str]:
    slot = placement.slot
    return [
        f"{size_text(placement)} x {slot.instance_type}",
        str(slot.capacity_type),
        place_name(placement),
        currency.show(placement.usd_per_hour),
        currency.show(usd_per_gpu_hour(placement)),
    ]


def _now(decision: Decision) -> str:
    if not decision.before:
        return "off"
    return " + ".join(
        f"{decision.seen.get(p.slot.digest, size_text(p))} {p.slot.cloud}/{p.slot.region}"
        for p in decision.before
    )


def _month_table(plan: PolicyPlan, currency: Currency) -> str:
    columns = (
        Column("Next 30 days at today's prices"),
        Column("hours", right=True),
        Column("this policy", right=True),
        Column("always on, on demand", right=True),
        Column("saved", right=True),
    )
    rows = [
        [
            f"  {outlook.pool}",
            f"{outlook.total.hours:.0f}",
            currency.show(outlook.total.usd),
            currency.show(outlook.always_on_usd),
            _saved(outlook.total.usd, outlook.always_on_usd) if outlook.total.hours else "-",
        ]
        for outlook in plan.outlooks
    ]
    if len(rows) > 1:
        ours = total_usd(outlook.total.usd for outlook in plan.outlooks)
        theirs = total_usd(outlook.always_on_usd for outlook in plan.outlooks)
        shown = [currency.show(ours), currency.show(theirs), _saved(ours, theirs)]
        rows.append([f"  total {currency.code}", "", *shown])
    return table(columns, rows)


def _saved(ours: Decimal | None, theirs: Decimal | None) -> str:
    return percent(None if ours is None or not theirs else 1 - ours / theirs)


def _stack_lines(stacks: tuple[StackPlan, ...]) -> list[str]:
    lines = []
    for index, stack in enumerate(stacks):
        name = _stack_name(stack)
        if [_stack_name(other) for other in stacks].count(name) > 1:
            name += f"-{stack.key.digest}"
        if stack.error is not None:
            text = f"FAILED: {stack.error}"
        elif stack.skipped:
            text = "unchanged, not planned again"
        else:
            text = f"{stack.add} to add, {stack.change} to change, {stack.destroy} to destroy"
        lines.append(paragraph("Stacks" if index == 0 else "", f"{name}   {text}", indent=9))
    return lines


def _stack_name(stack: StackPlan) -> str:
    key = stack.key
    was = f" (was {key.pool})" if key.owner != key.pool else ""
    return f"{key.owner}{was}/{key.cloud}/{key.region}"


def _remarks(result: PlanResult) -> list[str]:
    warnings = list(result.warnings) + [w for d in result.decisions for w in d.warnings]
    lines = [paragraph("!", text, indent=3) for text in dict.fromkeys(warnings)]
    for plan in result.policies:
        currency = Currency.of(plan.policy)
        for other in plan.outside:
            where = " ".join(_placement_cells(other.placement, currency)[:3])
            cost = currency.show(other.placement.usd_per_hour)
            text = (
                f"Outside your rules: {other.pool} on {where} would cost "
                f"{cost} {currency.code}/h (-{percent(other.saving)})."
            )
            lines.append(paragraph("i", text, indent=3))
    return lines


def _footer(result: PlanResult) -> list[str]:
    decisions = result.decisions
    creates = count(decisions, Action.CREATE)
    resized = count(decisions, Action.SCALE)
    noun = "pool" if creates == 1 else "pools"
    currency = Currency.shared([plan.policy for plan in result.policies])
    before = currency.show(total_usd(d.usd_per_hour_before for d in decisions))
    after = currency.show(total_usd(d.usd_per_hour_after for d in decisions))
    sizes = f", {resized} to resize" if resized else ""
    return [
        *(f"BLOCKED by {d.blocked_by}: {d.pool}" for d in decisions if d.blocked_by),
        (
            f"Plan: {creates} {noun} to create, {count(decisions, Action.MOVE)} to move{sizes}, "
            f"{count(decisions, Action.DESTROY)} to destroy.  {before} -> {after} {currency.code}/h"
        ),
        *_next_step(result),
    ]


def _next_step(result: PlanResult) -> list[str]:
    if not result.run:
        return []
    if not result.changes:
        return ["No changes."]
    if result.exit_code():
        return [f"Saved as {result.run}, not to be applied."]
    if not result.stacks:
        return [f"Saved as {result.run}, without engine plans. To apply: multicloud apply"]
    return [f"Saved as {result.run}. To do exactly this: multicloud apply {result.run}"]
