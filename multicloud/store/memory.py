"""Rows of what was observed: pools' memory, set-asides, overrides."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from multicloud.models.memory import (
    Memory,
    Override,
    OverrideKind,
    PoolMemory,
    SetAside,
    SetAsideReason,
)
from multicloud.models.offer import CapacityType, Cloud
from multicloud.store import facts
from multicloud.store.codec import decode, dumps, loads
from multicloud.store.rows import matches, put, remove
from multicloud.store.tables import MEMORY, OVERRIDES, SET_ASIDES

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection, Row


QUOTAS_HOLD = timedelta(days=1)
"""Quotas that nobody looked at for so long bound nothing: they may have been raised since."""


def load(connection: Connection, target: str, policy: str, now: datetime) -> Memory:
    """What holds at `now`: marks made later (a sandbox's clock may go back) do not yet."""
    key = {"target": target, "policy": policy}
    rows = connection.execute(select(MEMORY).where(matches(MEMORY, key)).order_by(MEMORY.c.pool))
    pools = {row.pool: loads(PoolMemory, row.memory_json) for row in rows}
    for pool, override in _overrides(connection, key, now).items():
        pools[pool] = replace(pools.get(pool, PoolMemory()), override=override)
    marks = select(SET_ASIDES).where(
        matches(SET_ASIDES, key), SET_ASIDES.c.since <= now, SET_ASIDES.c.until > now
    )
    marks = marks.order_by(*SET_ASIDES.primary_key.columns)
    set_asides = tuple(_set_aside(row) for row in connection.execute(marks))
    quotas = facts.quotas(connection, target, now - QUOTAS_HOLD, now)
    return Memory(pools=pools, set_asides=set_asides, quotas=quotas, is_stored=True)


def save_pool(
    connection: Connection, target: str, policy: str, pool: str, memory: PoolMemory
) -> None:
    """Put what is remembered of a pool; its override is a row of its own and stays as it is."""
    key = {"target": target, "policy": policy, "pool": pool}
    put(connection, MEMORY, key, {"memory_json": dumps(replace(memory, override=None))})


def add_set_aside(connection: Connection, target: str, policy: str, mark: SetAside) -> SetAside:
    """Set a place aside, unless it is already at that time; gives the mark that holds."""
    key = {
        "target": target,
        "policy": policy,
        "cloud": mark.cloud.value,
        "region": mark.region,
        "zone": mark.zone,
        "instance_type": mark.instance_type,
        "capacity_type": mark.capacity_type.value,
        "reason": mark.reason.value,
    }
    row = connection.execute(select(SET_ASIDES).where(matches(SET_ASIDES, key))).one_or_none()
    if row is not None and row.since <= mark.since < row.until:
        return _set_aside(row)
    put(connection, SET_ASIDES, key, {"since": mark.since, "until": mark.until})
    return mark


def set_override(
    connection: Connection, target: str, policy: str, pool: str, override: Override
) -> None:
    """Put a person's wish in place of an earlier one."""
    key = {"target": target, "policy": policy, "pool": pool}
    values = {
        "kind": override.kind.value,
        "since": override.since,
        "until": override.until,
        "by": override.by,
    }
    put(connection, OVERRIDES, key, values)


def clear_override(connection: Connection, target: str, policy: str, pool: str) -> bool:
    """Take a person's wish back; tells whether there was one, expired ones included."""
    return remove(connection, OVERRIDES, {"target": target, "policy": policy, "pool": pool})


def _overrides(connection: Connection, key: dict[str, str], now: datetime) -> dict[str, Override]:
    """A wish holds from the moment it is uttered, whichever instant a run is made for."""
    rows = connection.execute(
        select(OVERRIDES).where(matches(OVERRIDES, key)).order_by(OVERRIDES.c.pool)
    )
    return {
        row.pool: Override(
            kind=decode(OverrideKind, row.kind), since=row.since, until=row.until, by=row.by
        )
        for row in rows
        if row.until is None or row.until > now
    }


def _set_aside(row: Row[tuple[object, ...]]) -> SetAside:
    return SetAside(
        cloud=decode(Cloud, row.cloud),
        region=row.region,
        zone=row.zone,
        instance_type=row.instance_type,
        capacity_type=decode(CapacityType, row.capacity_type),
        reason=decode(SetAsideReason, row.reason),
        since=row.since,
        until=row.until,
    )
