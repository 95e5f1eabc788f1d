"""Tables of the simulated cloud's file beside its resources: nodes, stock, faults, fault plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

# Instants are RFC 3339 in UTC. A group is named as its resource is; of a node `home` is the region
# in that name, which some providers leave empty, and `region` is where it stands. `vacancy`: a node
# that was lost and is not to be made up for until then (null: until its group is applied again).
_TABLES = (
    """create table if not exists node(
      serial integer primary key autoincrement, id text not null unique, provider text not null,
      home text not null default '', region text not null, type text not null,
      group_id text not null, cloud text not null, zone text not null,
      policy text not null, pool text not null, place text not null,
      is_ours integer not null, instance_type text not null, capacity_type text not null,
      launched_at text not null, ready_at text not null)""",
    """create table if not exists vacancy(
      number integer primary key autoincrement, provider text not null, region text not null,
      type text not null, group_id text not null, until text)""",
    """create table if not exists stock_mark(
      number integer primary key autoincrement, cloud text not null, region text not null,
      zone text not null, instance_type text not null, capacity_type text not null,
      reason text not null, remaining integer not null, since text not null)""",
    """create table if not exists interruption(
      number integer primary key autoincrement, at text not null, node text not null,
      cloud text not null, region text not null, zone text not null, policy text not null,
      pool text not null, place text not null, instance_type text not null,
      capacity_type text not null)""",
    """create table if not exists fault_plan(
      number integer primary key autoincrement, at text not null, added_at text not null,
      action text not null, arguments text not null, key text not null unique, done_at text,
      outcome text not null default '')""",
    """create table if not exists price_mark(
      cloud text not null, region text not null, zone text not null,
      instance_type text not null, capacity_type text not null, amount text not null,
      primary key(cloud, region, zone, instance_type, capacity_type)) without rowid""",
    """create table if not exists setting(
      name text primary key, value text not null) without rowid""",
)
_NEWER_COLUMNS = {
    ("fault", "provider"): ("alter table fault add column provider text not null default ''",),
    ("fault", "region"): ("alter table fault add column region text not null default ''",),
    ("node", "home"): (
        "alter table node add column home text not null default ''",
        "update node set home = region",
        "drop index if exists node_by_group",
    ),
}
_INDEX = "create index if not exists node_by_home on node(provider, home, type, group_id)"
_ALL = (
    *("resource", "call", "fault", "node", "vacancy", "stock_mark", "interruption"),
    *("fault_plan", "price_mark", "setting"),
)


def is_current(db: sqlite3.Connection) -> bool:
    """Whether the file has all tables and columns; one of an older version has not."""
    tables = {row[0] for row in db.execute("select name from sqlite_master where type = 'table'")}
    return tables.issuperset(_ALL) and not _missing(db)


def upgrade(db: sqlite3.Connection) -> None:
    """Add what the file lacks, inside the caller's write transaction; nothing is lost."""
    for statement in _TABLES:
        db.execute(statement)
    for column in _missing(db):
        for statement in _NEWER_COLUMNS[column]:
            db.execute(statement)
    db.execute(_INDEX)


def empty(db: sqlite3.Connection) -> None:
    """Forget everything, inside the caller's write transaction; node ids begin again."""
    for table in _ALL:
        db.execute(f"delete from {table}")  # noqa: S608 - names from the list above
    db.execute("delete from sqlite_sequence")


def _missing(db: sqlite3.Connection) -> list[tuple[str, str]]:
    there = {
        (table, row[1])
        for table in {table for table, _ in _NEWER_COLUMNS}
        for row in db.execute(f"pragma table_info({table})")
    }
    return [column for column in _NEWER_COLUMNS if column not in there]
