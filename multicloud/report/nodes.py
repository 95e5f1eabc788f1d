"""Nodes as rows and as data: those with a record, those without, and where nobody could look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.decide.text import plural
from multicloud.report.amounts import Currency
from multicloud.report.scalars import stamp
from multicloud.report.text import Column, table
from multicloud.run.orphans import orphans_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from multicloud.models.inventory import Node, Reading
    from multicloud.run.status import Status


def unreadable_lines(status: Status) -> list[str]:
    """A line per region that could not be read: it is never taken for an empty one."""
    return [
        f"!  {reading.cloud}/{reading.region} cannot be read, nobody knows what runs there: "
        f"{reading.error}"
        for reading in status.blind
    ]


def nodes_table(
    nodes: Sequence[Node], now: datetime, *, costs: Sequence[str] = (), code: str = ""
) -> str:
    """One row per node, with its cost in `code` per hour where costs are given."""
    columns = [
        Column("  NODE", shrinks=True),
        Column("POOL", shrinks=True),
        Column("PLACE", shrinks=True),
        Column("TYPE", shrinks=True),
        Column(""),
        Column("STATE"),
        Column("AGE", right=True),
    ]
    rows = [
        [
            f"  {node.id}",
            node.pool,
            f"{node.cloud}/{node.region}/{node.zone}",
            node.instance_type,
            str(node.capacity_type),
            str(node.state),
            span_text(now - node.launched_at),
        ]
        for node in nodes
    ]
    if costs:
        columns.append(Column(f"{code}/h", right=True))
        rows = [[*row, cost] for row, cost in zip(rows, costs, strict=True)]
    return table(columns, rows)


def orphan_lines(status: Status) -> list[str]:
    """Nodes of ours without a record, each with what it costs; and those of unknown policies."""
    currency = Currency.shared(status.inputs.policies)
    lines = []
    if status.strangers:
        nodes = [one.node for one in status.strangers]
        costs = [currency.show(one.usd_per_hour) for one in status.strangers]
        lines.append(f"!  {plural(len(nodes), 'node')} that no record knows:")
        lines.append(nodes_table(nodes, status.inputs.now, costs=costs, code=currency.code))
        lines += [
            f"i  {orphan.pool}: its place {orphan.nodes[0].place} fits no type and zones that are "
            "known here; it can only be removed in the cloud"
            for orphan in orphans_of(status.strangers)
            if orphan.placement is None
        ]
    if status.foreign:
        names = ", ".join(sorted({node.policy for node in status.foreign}))
        count = plural(len(status.foreign), "node")
        lines.append(f"i  {count} of policies that are not known here: {names}")
    return lines


def reading_body(reading: Reading) -> dict[str, object]:
    """A region that could not be read, as data."""
    return {"cloud": str(reading.cloud), "region": reading.region, "error": reading.error}


def node_body(node: Node) -> dict[str, object]:
    """One node as data."""
    return {
        "id": node.id,
        "cloud": str(node.cloud),
        "region": node.region,
        "zone": node.zone,
        "policy": node.policy,
        "pool": node.pool,
        "place": node.place,
        "instance_type": node.instance_type,
        "capacity_type": str(node.capacity_type),
        "state": str(node.state),
        "launched_at": stamp(node.launched_at),
    }


def span_text(span: timedelta) -> str:
    """`2d 4h`: the two largest units."""
    minutes = max(0, int(span.total_seconds() // 60))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "d"), (hours, "h"), (minutes, "m")]
    shown = [f"{count}{unit}" for count, unit in parts if count]
    return " ".join(shown[:2]) or "0m"
