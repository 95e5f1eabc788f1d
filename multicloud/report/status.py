"""What `status` and `nodes` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.project import Target
from multicloud.report.amounts import Currency
from multicloud.report.placements import place_name, placement_body
from multicloud.report.plan_json import SCHEMA_VERSION, decision_body
from multicloud.report.scalars import stamp
from multicloud.report.text import Column, paragraph, table
from multicloud.report.when import moment
from multicloud.run.result import total_usd

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from multicloud.models.inventory import Node
    from multicloud.models.memory import Override
    from multicloud.models.placement import Placement
    from multicloud.run.status import PoolStatus, Status


def status_text(status: Status) -> str:
    """A row per pool, then what is odd, then the last runs."""
    inputs = status.inputs
    zones = {policy.timezone for policy in inputs.policies}
    zone = zones.pop() if len(zones) == 1 else ""
    is_sandbox = inputs.project.target is Target.SANDBOX
    banner = "SANDBOX: no cloud is touched.  " if is_sandbox else ""
    lines = [f"{banner}{moment(inputs.now, zone)}", _pools(status)]
    for pool in status.pools:
        lines += [f"!  {pool.decision.pool}: {r.cloud}/{r.region}: {r.error}" for r in pool.blind]
        if pool.override:
            lines.append(f"i  {pool.decision.pool}: {_override(pool.override)}")
    if status.strangers:
        lines.append(f"!  {len(status.strangers)} nodes that no record knows:")
        lines.append(nodes_table(status.strangers, inputs.now))
    lines += [
        f"Busy     {holder.who} since {holder.since:%Y-%m-%d %H:%M}Z with run {holder.run}"
        for holder in status.holders
    ]
    lines += [
        paragraph(
            "Last run",
            f"{run.policy}: {run.id} ({run.kind}) {run.status}, {_ago(inputs.now - run.at)}",
            indent=9,
        )
        for run in status.last_runs
    ]
    if not status.last_runs:
        lines.append("Last run none")
    return "\n".join(lines)


def nodes_text(status: Status) -> str:
    """Every node of the selected pools, or that there is none."""
    if not status.nodes:
        return "no node runs"
    return nodes_table(status.nodes, status.inputs.now)


def nodes_table(nodes: Sequence[Node], now: datetime) -> str:
    """One row per node."""
    columns = (
        Column("  NODE", shrinks=True),
        Column("POOL", shrinks=True),
        Column("PLACE", shrinks=True),
        Column("TYPE", shrinks=True),
        Column(""),
        Column("STATE"),
        Column("AGE", right=True),
    )
    rows = [
        [
            f"  {node.id}",
            node.pool,
            f"{node.cloud}/{node.region}/{node.zone}",
            node.instance_type,
            str(node.capacity_type),
            str(node.state),
            _span(now - node.launched_at),
        ]
        for node in nodes
    ]
    return table(columns, rows)


def status_document(status: Status, *, exit_code: int) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(status.inputs.now),
        "target": str(status.inputs.project.target),
        "pools": [_pool_body(pool) for pool in status.pools],
        "strangers": [node_body(node) for node in status.strangers],
        "nodes": [node_body(node) for node in status.nodes],
        "last_runs": [
            {
                "policy": run.policy,
                "id": run.id,
                "kind": run.kind.value,
                "status": run.status.value,
                "at": stamp(run.at),
            }
            for run in status.last_runs
        ],
        "holders": [
            {"who": holder.who, "run": holder.run, "since": stamp(holder.since)}
            for holder in status.holders
        ],
        "exit_code": exit_code,
    }


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


def _pools(status: Status) -> str:
    currency = Currency.shared(status.inputs.policies)
    columns = (
        Column("  POOL", shrinks=True),
        Column("HEALTH"),
        Column("HAS", shrinks=True),
        Column("NODES", right=True),
        Column(f"{currency.code}/h", right=True),
        Column("DECIDED", shrinks=True),
    )
    rows = [
        [
            f"  {pool.decision.pool}",
            pool.health,
            _has(pool.decision.before) or "off",
            f"{pool.running}/{pool.wanted}",
            currency.show(total_usd(p.usd_per_hour for p in pool.decision.before)),
            _decided(pool),
        ]
        for pool in status.pools
    ]
    return table(columns, rows)


def _decided(pool: PoolStatus) -> str:
    decision = pool.decision
    if decision.before == decision.after:
        return decision.action.value.replace("_", "-")
    return f"{decision.action.value} to {_has(decision.after) or 'off'}"


def _has(placements: Sequence[Placement]) -> str:
    return " + ".join(
        f"{p.nodes} x {p.slot.instance_type} {p.slot.capacity_type} {place_name(p)}"
        for p in placements
    )


def _pool_body(pool: PoolStatus) -> dict[str, object]:
    override = pool.override
    return {
        "policy": pool.policy,
        "pool": pool.decision.pool,
        "health": pool.health,
        "wanted": pool.wanted,
        "running": pool.running,
        "pending": pool.pending,
        "unreadable": [
            {"cloud": str(r.cloud), "region": r.region, "error": r.error} for r in pool.blind
        ],
        "override": (
            {"kind": override.kind.value, "by": override.by, "until": stamp(override.until)}
            if override
            else None
        ),
        "stacks": [
            {
                "key": str(stack.key),
                "status": stack.status.value,
                "placement": placement_body(stack.placement),
                "engine": f"{stack.engine} {stack.engine_version}".strip(),
                "applied_at": stamp(stack.applied_at),
            }
            for stack in pool.stacks
        ],
        "decision": decision_body(pool.decision),
    }


def _override(override: Override) -> str:
    end = f"until {override.until:%Y-%m-%d %H:%M}Z" if override.until else "until released"
    return f'override "{override.kind}" by {override.by}, {end}'


def _ago(span: timedelta) -> str:
    return f"{_span(span)} ago"


def _span(span: timedelta) -> str:
    minutes = max(0, int(span.total_seconds() // 60))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "d"), (hours, "h"), (minutes, "m")]
    shown = [f"{count}{unit}" for count, unit in parts if count]
    return " ".join(shown[:2]) or "0m"
