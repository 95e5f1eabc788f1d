"""Rows of what was paid for, and what it came to."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from sqlalchemy import insert, or_, select, update

from multicloud.models.placement import Placement
from multicloud.models.run import Usage
from multicloud.store.codec import dumps, loads
from multicloud.store.rows import matches, remove
from multicloud.store.tables import USAGE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection, Row

SECONDS_PER_HOUR = 3600


def cost_usd(rows: Iterable[Usage], start: datetime, end: datetime) -> Decimal | None:
    """What `rows` cost within `[start, end)`, in USD; open ones count until `end`.

    None as soon as a price inside is unknown; no rows cost exactly 0. Pure.
    """
    usd_seconds = Decimal(0)
    for row in rows:
        until = end if row.end is None else min(row.end, end)
        seconds = Decimal((until - max(row.start, start)).total_seconds())
        if seconds <= 0 or row.nodes == 0:
            continue
        if row.usd_per_node_hour is None:
            return None
        usd_seconds += row.usd_per_node_hour * row.nodes * seconds
    return usd_seconds / SECONDS_PER_HOUR


def begin(connection: Connection, target: str, usage: Usage) -> None:
    """From `usage.start` on, `usage.nodes` nodes are paid for at its place, at its price.

    Of an open row at the same place that says the same nothing changes; one that says
    otherwise is closed first. No nodes only close.
    """
    key = _key(target, usage.policy, usage.pool, usage.placement)
    current = connection.execute(
        select(USAGE).where(matches(USAGE, key), USAGE.c.end_at.is_(None))
    ).first()
    said = (usage.nodes, usage.usd_per_node_hour)
    if current is not None and (current.nodes, current.usd_per_node_hour) == said:
        return
    close(connection, key, usage.start)
    if usage.nodes:
        connection.execute(
            insert(USAGE).values(
                **key,
                placement_json=dumps(usage.placement),
                nodes=usage.nodes,
                usd_per_node_hour=usage.usd_per_node_hour,
                start_at=usage.start,
            )
        )


def end(
    connection: Connection, target: str, policy: str, pool: str, placement: Placement, at: datetime
) -> None:
    """Nothing is paid for at the placement's place any more; without an open row, no change."""
    close(connection, _key(target, policy, pool, placement), at)


def close(connection: Connection, key: dict[str, str], at: datetime) -> None:
    """Close the open row with `key`; one that would end before it began never was."""
    is_open = (matches(USAGE, key), USAGE.c.end_at.is_(None))
    connection.execute(update(USAGE).where(*is_open, USAGE.c.start_at < at).values(end_at=at))
    for row in connection.execute(select(USAGE.c.id).where(*is_open)).all():
        remove(connection, USAGE, {"id": row.id})


def between(
    connection: Connection, target: str, policy: str, start: datetime, end: datetime
) -> tuple[Usage, ...]:
    """Rows that overlap `[start, end)`, by start, unclipped."""
    found = select(USAGE).where(
        matches(USAGE, {"target": target, "policy": policy}),
        USAGE.c.start_at < end,
        or_(USAGE.c.end_at.is_(None), USAGE.c.end_at > start),
    )
    rows = connection.execute(found.order_by(USAGE.c.start_at, USAGE.c.id))
    return tuple(_usage(row) for row in rows)


def _key(target: str, policy: str, pool: str, placement: Placement) -> dict[str, str]:
    place = placement.slot.digest
    return {"target": target, "policy": policy, "pool": pool, "place": place}


def _usage(row: Row[tuple[object, ...]]) -> Usage:
    return Usage(
        policy=row.policy,
        pool=row.pool,
        placement=loads(Placement, row.placement_json),
        nodes=row.nodes,
        usd_per_node_hour=row.usd_per_node_hour,
        start=row.start_at,
        end=row.end_at,
    )
