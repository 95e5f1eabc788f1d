"""The simulated cloud: a SQLite file with every resource as Terraform sent it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from multicloud.sandbox import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from multicloud.sandbox.values import Row, Value

_BUSY_TIMEOUT_S = 30.0  # parallel stacks write one after the other; each write takes milliseconds
_SCHEMA = """
create table if not exists resource(
  provider text not null, region text not null, type text not null, id text not null,
  attributes text not null, sent text not null, changed_at text not null,
  primary key(provider, region, type, id)) without rowid;
create table if not exists call(
  number integer primary key autoincrement, at text not null, provider text not null,
  region text not null, operation text not null, type text not null, id text not null);
create table if not exists fault(
  number integer primary key autoincrement, type text not null, operation text not null,
  matching text not null, message text not null, times integer not null);
"""


class Ref(NamedTuple):
    """Names one resource in the simulated cloud; `provider` is a source without host."""

    provider: str
    region: str
    type: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One resource: `sent` is the configuration literally, `attributes` what a read gives."""

    ref: Ref
    attributes: Mapping[str, Value]
    sent: Mapping[str, Value]


class Call(NamedTuple):
    """One change that Terraform asked for, in order."""

    operation: str
    ref: Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The next `times` calls of `operation` on `type` fail with `message`.

    `operation` is `create`, `update`, `delete` or `read`; `change` is any of the first three,
    `*` any at all, as it is for `type`.
    `matching` narrows it to resources whose attributes have these values, `provider` (a source
    without host) and `region` to calls there. A negative `times` means always.
    """

    type: str
    operation: str
    message: str
    times: int = 1
    matching: Mapping[str, Value] | None = None
    provider: str = ""
    region: str = ""


class CloudStore:
    """Reads and writes the simulated cloud; safe to use from many threads and processes.

    Raises: sqlite3.Error when the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        with closing(self._open()) as db:
            db.execute("pragma journal_mode=wal")
            db.executescript(_SCHEMA)
            is_current = tables.is_current(db)
        if not is_current:
            with self.writing() as db:
                tables.upgrade(db)

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
        db.execute("pragma synchronous=normal")
        return db

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the file as it is now, for reading only."""
        with closing(self._open()) as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that holds the file's only write lock from its beginning."""
        with closing(self._open()) as db:
            db.execute("begin immediate")
            try:
                yield db
            except BaseException:
                db.execute("rollback")
                raise
            db.execute("commit")

    def get(self, ref: Ref) -> Record | None:
        """One resource, None when the cloud has it no more."""
        query = (
            "select attributes, sent from resource"
            " where provider = ? and region = ? and type = ? and id = ?"
        )
        with self.reading() as db:
            row = db.execute(query, ref).fetchone()
        if row is None:
            return None
        return Record(ref=ref, attributes=json.loads(row[0]), sent=json.loads(row[1]))

    def records(self, type_: str | None = None) -> tuple[Record, ...]:
        """All resources, or those of one type, ordered by provider, region, type and id."""
        query = "select provider, region, type, id, attributes, sent from resource"
        where = "" if type_ is None else " where type = ?"
        with self.reading() as db:
            rows = db.execute(query + where, () if type_ is None else (type_,)).fetchall()
        return tuple(
            Record(ref=Ref(*row[:4]), attributes=json.loads(row[4]), sent=json.loads(row[5]))
            for row in sorted(rows)
        )

    def put(self, ref: Ref, *, attributes: Row, sent: Row, operation: str, at: datetime) -> None:
        """Create or update a resource and note the call."""
        values = (*ref, json.dumps(attributes), json.dumps(sent), at.isoformat())
        with self.writing() as db:
            db.execute("insert or replace into resource values(?, ?, ?, ?, ?, ?, ?)", values)
            _note(db, operation, ref, at)

    def delete(self, ref: Ref, *, at: datetime) -> None:
        """Delete a resource and note the call; one that is gone already is no error."""
        where = "provider = ? and region = ? and type = ? and id = ?"
        with self.writing() as db:
            db.execute(f"delete from resource where {where}", ref)  # noqa: S608 - a constant
            _note(db, "delete", ref, at)

    def calls(self) -> tuple[Call, ...]:
        """Every change in the order in which it was made."""
        query = "select operation, provider, region, type, id from call order by number"
        with self.reading() as db:
            return tuple(Call(row[0], Ref(*row[1:])) for row in db.execute(query).fetchall())

    def add_fault(self, fault: Fault) -> None:
        """Let the next calls fail as `fault` says."""
        with self.writing() as db:
            insert_fault(db, fault)

    def take_fault(
        self,
        type_: str,
        operation: str,
        row: Mapping[str, Value],
        *,
        provider: str = "",
        region: str = "",
    ) -> str | None:
        """The message of the first fault that fits, counted down by one; None if none fits."""
        query = (
            "select number, matching, message from fault"
            " where type in (?, '*') and operation in (?, ?, '*') and provider in (?, '')"
            " and region in (?, '') and times <> 0 order by number"
        )
        general = operation if operation == "read" else "change"
        with self.reading() as db:
            candidates = db.execute(query, (type_, operation, general, provider, region)).fetchall()
        for number, matching, message in candidates:
            if any(row.get(k) != v for k, v in json.loads(matching).items()):
                continue
            with self.writing() as db:
                taken = db.execute(
                    "update fault set times = times - 1 where number = ? and times <> 0", (number,)
                )
                if taken.rowcount:
                    return str(message)
        return None


def insert_fault(db: sqlite3.Connection, fault: Fault) -> None:
    """Add a fault inside the caller's write transaction."""
    matching = json.dumps(dict(fault.matching or {}))
    db.execute(
        "insert into fault(type, operation, matching, message, times, provider, region)"
        " values(?, ?, ?, ?, ?, ?, ?)",
        (
            *(fault.type, fault.operation, matching, fault.message, fault.times),
            *(fault.provider, fault.region),
        ),
    )


def pending_faults(db: sqlite3.Connection) -> tuple[Fault, ...]:
    """Faults that still wait for a call, oldest first."""
    query = (
        "select type, operation, message, times, matching, provider, region from fault"
        " where times <> 0 order by number"
    )
    return tuple(
        Fault(
            type=type_,
            operation=operation,
            message=message,
            times=times,
            matching=json.loads(matching),
            provider=provider,
            region=region,
        )
        for type_, operation, message, times, matching, provider, region in db.execute(query)
    )


def _note(db: sqlite3.Connection, operation: str, ref: Ref, at: datetime) -> None:
    db.execute(
        "insert into call(at, operation, provider, region, type, id) values(?, ?, ?, ?, ?, ?)",
        (at.isoformat(), operation, *ref),
    )
