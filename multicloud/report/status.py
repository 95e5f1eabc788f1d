"""What `status` and `nodes` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.decide.budgets import SUBJECT
from multicloud.models.pool import shared_timezone
from multicloud.report.amounts import Currency
from multicloud.report.head import head
from multicloud.report.nodes import (
    node_body,
    nodes_table,
    orphan_lines,
    reading_body,
    span_text,
    unreadable_lines,
)
from multicloud.report.placements import placement_body, placements_text
from multicloud.report.plan_json import decision_body
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import Column, paragraph, table

if TYPE_CHECKING:
    from datetime import timedelta

    from multicloud.models.decision import Decision
    from multicloud.models.memory import Override
    from multicloud.run.status import PoolStatus, Status


def status_text(status: Status) -> str:
    """A row per pool, then what is odd, then the last runs."""
    inputs = status.inputs
    top = head(inputs.project.target, inputs.now, shared_timezone(inputs.policies))
    lines = [top, _pools(status)]
    currency = Currency.shared(inputs.policies)
    lines.append(f"Now {currency.show(status.usd_per_hour)} {currency.code}/h in all.")
    lines += unreadable_lines(status)
    for pool in status.pools:
        if pool.decision is None:
            lines.append(_left_over(pool))
        if pool.override:
            lines.append(f"i  {pool.pool}: {_override(pool.override)}")
    lines += _budgets(status)
    lines += orphan_lines(status)
    return "\n".join([*lines, *_runs(status)])


def nodes_text(status: Status) -> str:
    """Every node of the selected pools, or that there is none, and where nobody could look."""
    blind = unreadable_lines(status)
    nothing = "no node is seen" if blind else "no node runs"
    found = nodes_table(status.nodes, status.inputs.now) if status.nodes else nothing
    return "\n".join([found, *blind])


def status_document(status: Status, *, exit_code: int) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(status.inputs.now),
        "target": str(status.inputs.project.target),
        "pools": [_pool_body(pool) for pool in status.pools],
        "strangers": [
            node_body(one.node) | {"usd_per_hour": number(one.usd_per_hour)}
            for one in status.strangers
        ],
        "foreign": [node_body(node) for node in status.foreign],
        "nodes": [node_body(node) for node in status.nodes],
        "unreadable": [reading_body(reading) for reading in status.blind],
        "totals": {"usd_per_hour": number(status.usd_per_hour)},
        "last_runs": [
            {
                "policy": run.policy,
                "id": run.id,
                "kind": run.kind.value,
                "status": run.status.value,
                "did_not_end": status.did_not_end(run),
                "exit_code": run.exit_code,
                "at": stamp(run.at),
                "finished_at": stamp(run.finished_at),
            }
            for run in status.last_runs
        ],
        "holders": [
            {"policy": policy, "who": one.who, "run": one.run, "since": stamp(one.since)}
            for policy, one in status.holders.items()
        ],
        "exit_code": exit_code,
    }


def _runs(status: Status) -> list[str]:
    lines = [
        f"Busy     {policy}: {one.who} since {one.since:%Y-%m-%d %H:%M}Z with run {one.run}"
        for policy, one in status.holders.items()
    ]
    for run in status.last_runs:
        ending = "did not end" if status.did_not_end(run) else str(run.status)
        text = f"{run.policy}: {run.id} ({run.kind}) {ending}, {_ago(status.inputs.now - run.at)}"
        lines.append(paragraph("Last run", text, indent=9))
    return lines if status.last_runs else [*lines, "Last run none"]


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
            f"  {pool.pool}",
            pool.health,
            placements_text(pool.has) or "off",
            _nodes(pool),
            currency.show(pool.usd_per_hour),
            _decided(pool.decision),
        ]
        for pool in status.pools
    ]
    return table(columns, rows)


def _nodes(pool: PoolStatus) -> str:
    """`3/4`, or `1-4 (now 3)` where somebody else decides."""
    if pool.least == pool.wanted:
        return f"{pool.running}/{pool.wanted}"
    return f"{pool.least}-{pool.wanted} (now {pool.seen})"


def _budgets(status: Status) -> list[str]:
    """What is said of budgets, each once though many pools spend of it."""
    decided = [pool.decision for pool in status.pools if pool.decision is not None]
    told = (text for one in decided for text in one.warnings if text.startswith(SUBJECT))
    return [f"!  {text}" for text in dict.fromkeys(told)]


def _decided(decision: Decision | None) -> str:
    if decision is None:
        return "-"
    if decision.before == decision.after:
        return decision.action.value.replace("_", "-")
    return f"{decision.action.value} to {placements_text(decision.after) or 'off'}"


def _left_over(pool: PoolStatus) -> str:
    return (
        f"i  {pool.pool}: its policy {pool.policy} is in no file that was read: no run acts on it. "
        f"Name the file with -p, or take the pool down: multicloud destroy {pool.pool}"
    )


def _pool_body(pool: PoolStatus) -> dict[str, object]:
    override = pool.override
    return {
        "policy": pool.policy,
        "pool": pool.pool,
        "health": pool.health,
        "wanted": pool.wanted,
        "wanted_min": pool.least,
        "running": pool.running,
        "pending": pool.seen - pool.running,
        "usd_per_hour": number(pool.usd_per_hour),
        "unreadable": [reading_body(reading) for reading in pool.blind],
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
        "decision": decision_body(pool.decision) if pool.decision else None,
    }


def _override(override: Override) -> str:
    end = f"until {override.until:%Y-%m-%d %H:%M}Z" if override.until else "until released"
    return f'override "{override.kind}" by {override.by}, {end}'


def _ago(span: timedelta) -> str:
    return f"{span_text(span)} ago"
