"""What runs in the simulated clouds, told as a cloud's own inventory would tell it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from multicloud.models.inventory import Interruption, Reading, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox.events import run_due
from multicloud.sandbox.faults import PROVIDERS, READ, shortage_text
from multicloud.sandbox.nodes import Short, nodes_where, settle, stamp, work
from multicloud.sandbox.store import CloudStore

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

TOLD_FOR = timedelta(days=7)


class SandboxInventory:
    """Reads nodes of the simulated clouds; before each look they do what is due by then."""

    def __init__(self, store: Path, now: Callable[[], datetime]) -> None:
        self._store = CloudStore(store)
        self._now = now

    def regions(self) -> tuple[tuple[Cloud, str], ...]:
        """Regions that have a node of ours, sorted."""
        query = "select distinct cloud, region from node where is_ours order by cloud, region"
        now = self._now()
        with self._store.writing() as db:
            run_due(db, now)
            settle(db, now)
            return tuple((Cloud(cloud), region) for cloud, region in db.execute(query))

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every node of ours in one region, the groups short of some, and what was taken back."""
        now = self._now()
        refusal = self._store.take_fault(
            "inventory", READ, {}, provider=PROVIDERS[cloud], region=region
        )
        if refusal is not None:
            return Reading(cloud=cloud, region=region, error=refusal)
        with self._store.writing() as db:
            run_due(db, now)
            settle(db, now)
            shorts = work(db, now).shorts
            return Reading(
                cloud=cloud,
                region=region,
                nodes=nodes_where(db, now, "cloud = ? and region = ?", (cloud, region)),
                shortages=tuple(
                    _shortage(short)
                    for short in shorts
                    if (short.kind.cloud, short.kind.region) == (cloud, region)
                ),
                interruptions=_interruptions(db, cloud, region, now),
            )


def _shortage(short: Short) -> Shortage:
    kind, mark = short.kind, short.mark
    return Shortage(
        cloud=kind.cloud,
        region=kind.region,
        policy=kind.policy,
        pool=kind.pool,
        place=kind.place,
        instance_type=kind.instance_type,
        capacity_type=kind.capacity_type,
        zones=kind.zones,
        wanted=short.wanted,
        present=short.present,
        kind=ShortageKind(mark.reason) if mark else ShortageKind.OTHER,
        text=shortage_text(kind, mark.reason) if mark else "nodes are awaited",
    )


def _interruptions(
    db: sqlite3.Connection, cloud: Cloud, region: str, now: datetime
) -> tuple[Interruption, ...]:
    query = (
        "select at, node, zone, policy, pool, place, instance_type, capacity_type"
        " from interruption where cloud = ? and region = ? and at > ? order by number"
    )
    return tuple(
        Interruption(
            at=datetime.fromisoformat(at),
            node=node,
            cloud=cloud,
            region=region,
            zone=zone,
            policy=policy,
            pool=pool,
            place=place,
            instance_type=type_,
            capacity_type=CapacityType(capacity),
        )
        for at, node, zone, policy, pool, place, type_, capacity in db.execute(
            query, (cloud, region, stamp(now - TOLD_FOR))
        )
    )
