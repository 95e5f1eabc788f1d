"""What runs in the simulated clouds, told as a cloud's own inventory would tell it."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from multicloud.models.inventory import Interruption, Reading, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox.events import advance, is_due
from multicloud.sandbox.faults import INVENTORY, PROVIDERS, READ, shortage_text
from multicloud.sandbox.nodes import Short, nodes_where, stamp, work
from multicloud.sandbox.store import CloudStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TOLD_FOR = timedelta(days=7)


class SandboxInventory:
    """Reads nodes of the simulated clouds, which first live on until the instant of the look.

    Clouds of which there is no file have nothing; none is made. Safe to share between threads.
    """

    def __init__(self, store: Path, now: Callable[[], datetime]) -> None:
        self._path = store
        self._now = now

    @cached_property
    def _store(self) -> CloudStore:
        return CloudStore(self._path)

    def regions(self) -> tuple[tuple[Cloud, str], ...]:
        """Regions that have a node of ours, sorted.

        Raises: sqlite3.Error when the file cannot be used.
        """
        query = "select distinct cloud, region from node where is_ours order by cloud, region"
        if not self._path.exists():
            return ()
        with self._looking(self._now()) as (db, _):
            return tuple((Cloud(cloud), region) for cloud, region in db.execute(query))

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every node of ours in one region, the groups short of some, and what was taken back.

        Never raises for a file that cannot be used: then the reading has an `error`.
        """
        try:
            return self._read(cloud, region)
        except sqlite3.Error as error:
            problem = f"{self._path} cannot be used: {error}"
            return Reading(cloud=cloud, region=region, error=problem)

    def shortages(self) -> tuple[Shortage, ...]:
        """What groups of ours are short of now, everywhere, and why.

        Raises: sqlite3.Error when the file cannot be used.
        """
        if not self._path.exists():
            return ()
        with self._looking(self._now()) as (_, shorts):
            return shortages(shorts)

    def _read(self, cloud: Cloud, region: str) -> Reading:
        if not self._path.exists():
            return Reading(cloud=cloud, region=region)
        now = self._now()
        with self._looking(now) as (db, shorts):
            reading = Reading(
                cloud=cloud,
                region=region,
                nodes=nodes_where(db, now, "cloud = ? and region = ?", (cloud, region)),
                shortages=tuple(
                    short
                    for short in shortages(shorts)
                    if (short.cloud, short.region) == (cloud, region)
                ),
                interruptions=_interruptions(db, cloud, region, now),
            )
        refusal = self._store.take_fault(
            INVENTORY, READ, {}, provider=PROVIDERS[cloud], region=region
        )
        if refusal is not None:
            return Reading(cloud=cloud, region=region, error=refusal)
        return reading

    @contextmanager
    def _looking(self, now: datetime) -> Iterator[tuple[sqlite3.Connection, list[Short]]]:
        """The clouds as they are by now; writes, and so waits for others, only if need be."""
        with self._store.reading() as db:
            db.execute("begin")  # all of one look sees the same instant of the file
            found = work(db, now)
            if not (is_due(db, now) or found.launches or found.surplus):
                yield db, found.shorts
                return
        with self._store.writing() as db:
            advance(db, now)
            yield db, work(db, now).shorts


def shortages(shorts: list[Short]) -> tuple[Shortage, ...]:
    """Of groups that are short, those of ours, in the cloud's words."""
    return tuple(_shortage(short) for short in shorts if short.kind.is_ours)


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
