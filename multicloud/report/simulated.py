"""What `multicloud sandbox` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.decide.text import plural
from multicloud.report.nodes import node_body, nodes_table
from multicloud.report.scalars import SCHEMA_VERSION, stamp

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.models.inventory import Shortage
    from multicloud.run.simulated import Simulated
    from multicloud.sandbox.stock import Mark
    from multicloud.sandbox.store import Fault


def simulated_text(seen: Simulated) -> str:
    """Nodes as a table, then a line per shortage, mark, fault and scheduled entry."""
    lines = [f"Simulated clouds at {seen.now:%Y-%m-%d %H:%M}Z: {seen.resources} resources"]
    lines.append(nodes_table(seen.nodes, seen.now) if seen.nodes else "no node runs")
    lines += [f"short: {_shortage_text(short)}" for short in seen.shortages]
    lines += [f"unavailable: {mark_text(mark)}" for mark in seen.marks]
    lines += [f"failing: {_fault_text(fault)}" for fault in seen.failing]
    lines += [f"scheduled: {event}" for event in seen.scheduled]
    lines.append(f"a node boots in {seen.boot_s:g} s")
    return "\n".join(lines)


def simulated_document(seen: Simulated) -> dict[str, object]:
    """The same as data; `faults` and `due` count what waits for a call, and for its instant."""
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(seen.now),
        "nodes": [node_body(node) for node in seen.nodes],
        "shortages": [_shortage_body(short) for short in seen.shortages],
        "unavailable": [mark_body(mark) for mark in seen.marks],
        "failing": [
            {
                "type": fault.type,
                "operation": fault.operation,
                "provider": fault.provider,
                "region": fault.region,
                "text": fault.message,
                "times": fault.times if fault.times > 0 else None,
            }
            for fault in seen.failing
        ],
        "scheduled": [
            {"at": stamp(event.at), "do": event.deed.value, **event.arguments}
            for event in seen.scheduled
        ],
        "resources": seen.resources,
        "faults": len(seen.failing),
        "due": len(seen.scheduled),
        "boot_s": seen.boot_s,
        "exit_code": 0,
    }


def deed_document(now: datetime, **facts: object) -> dict[str, object]:
    """What a command did to the simulated clouds."""
    return {"schema_version": SCHEMA_VERSION, "at": stamp(now), **facts, "exit_code": 0}


def mark_text(mark: Mark) -> str:
    """`aws us-east-1 * g4dn.* spot (capacity, 0 remain)`."""
    return f"{' '.join(mark.pattern)} ({mark.reason}, {mark.remaining} remain)"


def mark_body(mark: Mark) -> dict[str, object]:
    """A mark as data."""
    return {
        "pattern": list(mark.pattern),
        "reason": mark.reason.value,
        "remaining": mark.remaining,
    }


def _fault_text(fault: Fault) -> str:
    where = " ".join(part for part in (fault.provider, fault.region) if part)
    times = "always" if fault.times < 0 else plural(fault.times, "call")
    return f"{fault.operation} {fault.type} {where} ({times}): {fault.message}"


def _shortage_text(short: Shortage) -> str:
    where = f"{short.cloud}/{short.region}"
    return f"{short.pool} in {where} has {short.present} of {short.wanted}: {short.text}"


def _shortage_body(short: Shortage) -> dict[str, object]:
    return {
        "cloud": short.cloud.value,
        "region": short.region,
        "policy": short.policy,
        "pool": short.pool,
        "place": short.place,
        "wanted": short.wanted,
        "present": short.present,
        "kind": short.kind.value,
        "text": short.text,
    }
