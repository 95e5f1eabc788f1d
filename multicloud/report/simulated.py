"""What `sandbox status` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.report.plan_json import SCHEMA_VERSION
from multicloud.report.scalars import stamp
from multicloud.report.status import node_body, nodes_table

if TYPE_CHECKING:
    from multicloud.run.simulated import Simulated


def simulated_text(seen: Simulated) -> str:
    """Nodes as a table, then a line per mark and count."""
    lines = [f"Simulated clouds at {seen.now:%Y-%m-%d %H:%M}Z: {seen.resources} resources"]
    lines.append(nodes_table(seen.nodes, seen.now) if seen.nodes else "no node runs")
    lines += [
        f"unavailable ({mark.reason}, {mark.remaining} remain): {' '.join(mark.pattern)}"
        for mark in seen.marks
    ]
    if seen.faults:
        lines.append(f"{seen.faults} faults await calls")
    if seen.due:
        lines.append(f"{seen.due} entries of fault plans are not due yet")
    return "\n".join(lines)


def simulated_document(seen: Simulated) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(seen.now),
        "nodes": [node_body(node) for node in seen.nodes],
        "unavailable": [
            {
                "pattern": list(mark.pattern),
                "reason": mark.reason.value,
                "remaining": mark.remaining,
            }
            for mark in seen.marks
        ],
        "resources": seen.resources,
        "faults": seen.faults,
        "due": seen.due,
        "exit_code": 0,
    }
