"""Nodes of the simulated clouds: every group is brought to the size it was asked to have."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError
from multicloud.models.inventory import Node, NodeState
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox.groups import GROUPS, Kind, desired_size, kind_of
from multicloud.sandbox.stock import Mark, Pattern, Stock
from multicloud.sandbox.store import Record, Ref

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from multicloud.sandbox.groups import LookUp

BOOT_S = 90.0
"""How long a node boots unless the setting says otherwise: what a GPU image takes at least."""
_BOOT_SETTING = "boot_s"
_MAX_BOOT_S = 366 * 24 * 3600  # as good as never
_NODE = (
    "select cloud, region, zone, id, policy, pool, place, instance_type, capacity_type,"
    " launched_at, ready_at from node"
)
_GROUP = "provider = ? and region = ? and type = ? and group_id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """A group that cannot have all its nodes; `mark` says why, None while one is awaited."""

    ref: Ref
    kind: Kind
    wanted: int
    present: int
    mark: Mark | None


@dataclass(slots=True, kw_only=True)
class Work:
    """What would bring every group to its size: nodes to launch and, by serial, to end."""

    launches: list[tuple[Ref, Kind, str]] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)
    shorts: list[Short] = field(default_factory=list)
    stock: Stock = field(default_factory=Stock)


def boot_s(db: sqlite3.Connection) -> float:
    """The seconds that a node launched now will boot."""
    row = db.execute("select value from setting where name = ?", (_BOOT_SETTING,)).fetchone()
    return float(row[0]) if row else BOOT_S


def check_boot_s(seconds: float) -> None:
    """Raises: InvalidInputError for what is no time to boot in."""
    if not 0 <= seconds <= _MAX_BOOT_S:
        raise InvalidInputError(
            f"nodes cannot boot for {seconds:g} s.", detail=f"Expected 0 to {_MAX_BOOT_S:,}."
        )


def set_boot_s(db: sqlite3.Connection, seconds: float) -> None:
    """Let nodes that are launched from now on boot for so long.

    Raises: InvalidInputError for what is no time to boot in.
    """
    check_boot_s(seconds)
    values = (_BOOT_SETTING, str(float(seconds)))
    db.execute("insert or replace into setting(name, value) values(?, ?)", values)


def work(db: sqlite3.Connection, now: datetime) -> Work:
    """What is to be done, without doing it; groups in the order of their names.

    New nodes go to the zone where the group has fewest, among those that have stock. Of too
    many, the newest end.
    """
    found = Work(stock=Stock.load(db))
    alive: dict[Ref, list[tuple[int, str]]] = {}
    rows = db.execute("select provider, home, type, group_id, serial, zone from node")
    for *ref, serial, zone in rows:
        alive.setdefault(Ref(*ref), []).append((serial, zone))
    vacant = _vacant(db, now)
    for group in _groups(db):
        nodes = sorted(alive.pop(group.ref, []))
        wanted = desired_size(group, len(nodes))
        found.surplus += [serial for serial, _ in nodes[max(wanted, 0) :]]
        if len(nodes) < wanted:
            _fill(found, group, db, Counter(zone for _, zone in nodes), wanted, vacant[group.ref])
    found.surplus += [serial for nodes in alive.values() for serial, _ in nodes]
    return found


def settle(db: sqlite3.Connection, now: datetime) -> None:
    """Launch and end nodes, inside the caller's write transaction."""
    found = work(db, now)
    for group, kind, zone in found.launches:
        _launch(db, group, kind, zone, now)
    db.executemany("delete from node where serial = ?", [(serial,) for serial in found.surplus])
    found.stock.save(db)


def scale(db: sqlite3.Connection, target: str, count: int) -> tuple[str, ...]:
    """Let a group have another size, as an autoscaler of somebody's would; gives the groups' ids.

    `target` is a pool (of any policy, or as `policy/pool`) or the 8 hex digits of a place.

    Raises:
        InvalidInputError: no group of ours is meant.
    """
    changed = []
    for group in _groups(db):
        kind = kind_of(group, _looking_up(db))
        names = (kind.pool, f"{kind.policy}/{kind.pool}", kind.place)
        path = GROUPS[group.ref.type].desired
        if kind.is_ours and target in names and path in group.attributes:
            attributes = json.dumps({**group.attributes, path: count})
            where = "provider = ? and region = ? and type = ? and id = ?"
            db.execute(
                f"update resource set attributes = ? where {where}",  # noqa: S608 - a constant
                (attributes, *group.ref),
            )
            changed.append(group.ref.id)
    if not changed:
        raise InvalidInputError(
            f'"{target}" has no group in the simulated clouds.',
            detail="Expected a pool or a place's 8 digits.",
            hint="Run: multicloud sandbox status",
        )
    return tuple(changed)


def forget_vacancies(db: sqlite3.Connection, group: Ref) -> None:
    """Let a group fill up again; applying it does this."""
    db.execute(f"delete from vacancy where {_GROUP}", group)  # noqa: S608 - a constant


def nodes_where(
    db: sqlite3.Connection, now: datetime, condition: str = "1", values: Iterable[str] = ()
) -> tuple[Node, ...]:
    """Nodes of ours that satisfy an SQL condition over the table's columns, by id."""
    query = f"{_NODE} where is_ours and {condition} order by id"
    return tuple(_node(row, now) for row in db.execute(query, tuple(values)))


def _groups(db: sqlite3.Connection) -> Iterator[Record]:
    marks = ", ".join("?" * len(GROUPS))
    query = (
        "select provider, region, type, id, attributes from resource"  # noqa: S608 - marks only
        f" where type in ({marks}) order by provider, region, type, id"
    )
    for *ref, attributes in db.execute(query, tuple(GROUPS)).fetchall():
        yield Record(ref=Ref(*ref), attributes=json.loads(attributes), sent={})


def _vacant(db: sqlite3.Connection, now: datetime) -> Counter[Ref]:
    query = "select provider, region, type, group_id from vacancy where until is null or until > ?"
    return Counter(Ref(*row) for row in db.execute(query, (stamp(now),)))


def _fill(
    found: Work,
    group: Record,
    db: sqlite3.Connection,
    zones: Counter[str],
    wanted: int,
    vacant: int,
) -> None:
    """Add the launches of one group that has too few nodes, and what it stays short of."""
    kind = kind_of(group, _looking_up(db))
    if not kind.instance_type:
        return  # what says what its nodes are like is not there yet
    refused: Mark | None = None
    for _ in range(wanted - zones.total() - vacant):
        stocked = []
        for zone in kind.zones:
            mark = found.stock.refusal(_wanted(kind, zone))
            refused = refused or mark
            if mark is None:
                stocked.append(zone)
        if not stocked:
            break
        zone = min(stocked, key=lambda name: (zones[name], name))
        found.stock.take(_wanted(kind, zone))
        found.launches.append((group.ref, kind, zone))
        zones[zone] += 1
    else:
        refused = None
    if zones.total() < wanted:
        found.shorts.append(
            Short(ref=group.ref, kind=kind, wanted=wanted, present=zones.total(), mark=refused)
        )


def _looking_up(db: sqlite3.Connection) -> LookUp:
    def look_up(ref: Ref, attribute: str, value: str) -> Record | None:
        query = "select attributes from resource where provider = ? and region = ? and type = ?"
        if attribute:
            by = " and json_extract(attributes, ?) = ? order by changed_at desc, id"
            row = db.execute(query + by, (*ref[:3], f"$.{attribute}", value)).fetchone()
        else:
            row = db.execute(query + " and id = ?", ref).fetchone()
        return Record(ref=ref, attributes=json.loads(row[0]), sent={}) if row else None

    return look_up


def _wanted(kind: Kind, zone: str) -> Pattern:
    return Pattern(kind.cloud, kind.region, zone, kind.instance_type, kind.capacity_type)


def _launch(db: sqlite3.Connection, group: Ref, kind: Kind, zone: str, now: datetime) -> None:
    ready = now + timedelta(seconds=boot_s(db))
    cursor = db.execute(
        "insert into node(id, provider, home, type, group_id, region, cloud, zone, policy, pool,"
        " place, is_ours, instance_type, capacity_type, launched_at, ready_at)"
        " values('', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(*group, kind.region, kind.cloud, zone),
            *(kind.policy, kind.pool, kind.place, kind.is_ours),
            *(kind.instance_type, kind.capacity_type, stamp(now), stamp(ready)),
        ),
    )
    serial = cursor.lastrowid or 0
    id_ = GROUPS[group.type].node_id(serial)
    db.execute("update node set id = ? where serial = ?", (id_, serial))


def stamp(instant: datetime) -> str:
    """An instant as the file has it: in UTC, so that texts compare as instants do."""
    return instant.astimezone(UTC).isoformat()


def _node(row: tuple[str, ...], now: datetime) -> Node:
    cloud, region, zone, id_, policy, pool, place, type_, capacity, launched_at, ready_at = row
    is_ready = now >= datetime.fromisoformat(ready_at)
    return Node(
        cloud=Cloud(cloud),
        region=region,
        zone=zone,
        id=id_,
        policy=policy,
        pool=pool,
        place=place,
        instance_type=type_,
        capacity_type=CapacityType(capacity),
        state=NodeState.RUNNING if is_ready else NodeState.PENDING,
        launched_at=datetime.fromisoformat(launched_at),
    )
