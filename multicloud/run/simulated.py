"""The project's simulated cloud, for the commands that look at it and play tricks on it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.policy.instants import parse_at
from multicloud.run.inputs import load_project
from multicloud.run.layout import Layout
from multicloud.sandbox import tables
from multicloud.sandbox.events import run_due
from multicloud.sandbox.nodes import nodes_where, settle
from multicloud.sandbox.stock import Stock
from multicloud.sandbox.store import CloudStore

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from multicloud.models.inventory import Node
    from multicloud.sandbox.stock import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What the simulated clouds have: nodes, marks on their stock, and counts."""

    now: datetime
    nodes: tuple[Node, ...]
    marks: tuple[Mark, ...]
    resources: int
    faults: int
    due: int


@contextmanager
def simulated(folder: Path, at: str | None) -> Iterator[tuple[sqlite3.Connection, datetime]]:
    """The simulated clouds' file, inside one write transaction, and the instant.

    What is due by then in a fault plan is done first. Without `--at` it is now.
    """
    now = clock.utcnow() if at is None else parse_at(at, None)
    store = _store(folder)
    with store.writing() as db:
        run_due(db, now)
        settle(db, now)
        yield db, now


def look(folder: Path, at: str | None) -> Simulated:
    """Everything that `sandbox status` tells."""
    with simulated(folder, at) as (db, now):
        return Simulated(
            now=now,
            nodes=nodes_where(db, now),
            marks=tuple(Stock.load(db).marks),
            resources=_count(db, "select count(*) from resource"),
            faults=_count(db, "select count(*) from fault where times <> 0"),
            due=_count(db, "select count(*) from fault_plan where done_at is null"),
        )


def reset(folder: Path) -> int:
    """Empty the simulated clouds; gives how many states of the sandbox are left over."""
    root, _ = load_project(folder)
    layout = Layout(root)
    if layout.sandbox.exists():
        with CloudStore(layout.sandbox).writing() as db:
            tables.empty(db)
    states = layout.state / "sandbox"
    return sum(1 for _ in states.rglob("*.tfstate")) if states.is_dir() else 0


def _store(folder: Path) -> CloudStore:
    root, _ = load_project(folder)
    layout = Layout(root)
    layout.prepare()
    return CloudStore(layout.sandbox)


def _count(db: sqlite3.Connection, query: str) -> int:
    return int(db.execute(query).fetchone()[0])
