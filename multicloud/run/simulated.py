"""The project's simulated clouds, for the commands that look at them and play tricks on them."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.errors import InvalidInputError, MulticloudError
from multicloud.models.pool import shared_timezone
from multicloud.policy.instants import parse_at
from multicloud.run.inputs import Question, load_policies, load_project
from multicloud.run.layout import Layout
from multicloud.sandbox import tables
from multicloud.sandbox.events import advance, scheduled
from multicloud.sandbox.inventory import shortages
from multicloud.sandbox.nodes import boot_s, nodes_where, work
from multicloud.sandbox.stock import Stock
from multicloud.sandbox.store import CloudStore, pending_faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from multicloud.models.inventory import Node, Shortage
    from multicloud.models.project import Project
    from multicloud.sandbox.events import Event
    from multicloud.sandbox.stock import Mark
    from multicloud.sandbox.store import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What the simulated clouds have, and what is set up to go wrong in them.

    `failing` are faults that wait for a call, `scheduled` entries of fault plans that wait for
    their instant. Nodes that are launched now boot for `boot_s` seconds.
    """

    now: datetime
    nodes: tuple[Node, ...]
    shortages: tuple[Shortage, ...]
    marks: tuple[Mark, ...]
    failing: tuple[Fault, ...]
    scheduled: tuple[Event, ...]
    resources: int
    boot_s: float


@contextmanager
def simulated(folder: Path, at: str | None) -> Iterator[tuple[sqlite3.Connection, datetime]]:
    """The simulated clouds' file, inside one write transaction, and the instant.

    What is due by then in a fault plan is done first. Without `at` it is the present.

    Raises:
        InvalidInputError: `at` is no instant; MulticloudError: the file cannot be used.
    """
    root, project = load_project(folder)
    now = _instant(at, folder, root, project)
    layout = Layout(root)
    layout.prepare()
    try:
        with CloudStore(layout.sandbox).writing() as db:
            advance(db, now)
            yield db, now
    except sqlite3.Error as error:
        raise MulticloudError(
            f"the simulated clouds' file {layout.sandbox} cannot be used: {error}.",
            hint="Run: multicloud sandbox reset",
        ) from error


def look(folder: Path, at: str | None) -> Simulated:
    """Everything that `sandbox status` tells."""
    with simulated(folder, at) as (db, now):
        (resources,) = db.execute("select count(*) from resource").fetchone()
        return Simulated(
            now=now,
            nodes=nodes_where(db, now),
            shortages=shortages(work(db, now).shorts),
            marks=tuple(Stock.load(db).marks),
            failing=pending_faults(db),
            scheduled=scheduled(db),
            resources=resources,
            boot_s=boot_s(db),
        )


def reset(folder: Path) -> tuple[str, ...]:
    """Empty the simulated clouds; gives the sandbox's states that are left over, sorted.

    A file that is no database is removed.
    """
    root, _ = load_project(folder)
    layout = Layout(root)
    if layout.sandbox.exists():
        try:
            with CloudStore(layout.sandbox).writing() as db:
                tables.empty(db)
        except sqlite3.OperationalError as error:  # busy, read-only, full: nothing is broken
            raise MulticloudError(f"{layout.sandbox} cannot be emptied: {error}.") from error
        except sqlite3.DatabaseError:
            for end in ("", "-wal", "-shm"):
                layout.sandbox.with_name(layout.sandbox.name + end).unlink(missing_ok=True)
    states = (layout.state / "sandbox").rglob("*.tfstate")
    return tuple(sorted(str(path.relative_to(layout.root)) for path in states))


def _instant(at: str | None, folder: Path, root: Path, project: Project) -> datetime:
    """A time without offset is in the zone of the project's policies, where they agree."""
    if at is None:
        return clock.utcnow()
    try:
        return parse_at(at, None)
    except InvalidInputError as error:
        try:
            policies = load_policies(Question(folder=folder), root, project)
        except InvalidInputError:
            raise error from None
        return parse_at(at, shared_timezone(policies))
