"""What `drift` says: what somebody did first, then what clouds do by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.decide.text import plural
from multicloud.models.pool import shared_timezone
from multicloud.report.head import head
from multicloud.report.nodes import node_body, orphan_lines, reading_body, unreadable_lines
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import paragraph

if TYPE_CHECKING:
    from multicloud.run.drift import Drift, StackDrift


def drift_text(drift: Drift) -> str:
    """Stacks that differ, regions that nobody could read, nodes without a record."""
    status = drift.status
    inputs = status.inputs
    top = head(inputs.project.target, inputs.now, shared_timezone(inputs.policies))
    lines = [top, *unreadable_lines(status)]
    for stack in drift.stacks:
        lines += _stack(stack)
    lines += orphan_lines(status)
    by_hand = sum(bool(stack.by_hand) for stack in drift.stacks)
    churn = sum(bool(stack.churn) for stack in drift.stacks)
    if not drift.is_of_orphans:
        lines.append(
            f"{plural(len(drift.stacks), 'stack')} compared: {by_hand} changed by hand, "
            f"{churn} with what is to be expected."
        )
    if status.strangers:
        lines.append("To take them down: multicloud drift --orphans --delete")
    elif by_hand:
        lines.append("To bring back what was applied: multicloud rebalance --every-stack")
    return "\n".join(lines)


def _stack(stack: StackDrift) -> list[str]:
    key = stack.key
    name = f"{key.owner}/{key.cloud}/{key.region}/{key.digest}"
    lines = [paragraph(f"!  {name}", text, indent=3) for text in stack.by_hand]
    lines += [paragraph(f"i  {name}", f"{text} (expected)", indent=3) for text in stack.churn]
    if stack.error:
        lines.append(paragraph(f"!  {name}", f"not compared: {stack.error} {stack.hint}", indent=3))
    return lines


def drift_document(drift: Drift) -> dict[str, object]:
    """The same as data."""
    status = drift.status
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(status.inputs.now),
        "target": str(status.inputs.project.target),
        "stacks": [_stack_body(stack) for stack in drift.stacks],
        "orphans": [
            node_body(one.node) | {"usd_per_hour": number(one.usd_per_hour)}
            for one in status.strangers
        ],
        "foreign": [node_body(node) for node in status.foreign],
        "unreadable": [reading_body(reading) for reading in status.blind],
        "exit_code": int(drift.exit_code),
    }


def _stack_body(stack: StackDrift) -> dict[str, object]:
    return {
        "key": str(stack.key),
        "by_hand": list(stack.by_hand),
        "expected": list(stack.churn),
        "resources": [
            {"address": change.address, "action": change.action.value} for change in stack.resources
        ],
        "error": stack.error or None,
    }
