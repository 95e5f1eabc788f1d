"""Rows of the journal: each step is written before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from multicloud.models.run import JournalStep, StepKind, StepOutcome
from multicloud.store.codec import decode, dumps, loads_object
from multicloud.store.rows import matches
from multicloud.store.stacks import parse_key
from multicloud.store.tables import JOURNAL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection, Row, Select

    from multicloud.models.change import StackKey


def begin(
    connection: Connection,
    *,
    run: str,
    stack: StackKey,
    kind: StepKind,
    detail: Mapping[str, object],
    at: datetime,
    pid: int | None,
    pid_started: str,
) -> int:
    """Add an open step; gives its id, which grows with time."""
    step = insert(JOURNAL).values(
        target=stack.target,
        policy=stack.policy,
        run=run,
        stack=str(stack),
        kind=kind.value,
        detail_json=dumps(detail),
        begun_at=at,
        pid=pid,
        pid_started=pid_started,
        note="",
    )
    key = connection.execute(step).inserted_primary_key
    if key is None:
        raise LookupError("the database gave no id to a step")
    return int(key[0])


def note_engine(connection: Connection, step: int, *, pid: int, pid_started: str) -> None:
    """Write which process does a step, once it is started."""
    _change(connection, step, {"pid": pid, "pid_started": pid_started})


def end(
    connection: Connection, step: int, *, outcome: StepOutcome, at: datetime, note: str
) -> None:
    """Close a step."""
    _change(connection, step, {"outcome": outcome.value, "ended_at": at, "note": note})


def open_steps(connection: Connection, target: str, policy: str) -> tuple[JournalStep, ...]:
    """Steps of any run of a policy that were begun and never closed, oldest first."""
    key = {"target": target, "policy": policy}
    found = select(JOURNAL).where(matches(JOURNAL, key), JOURNAL.c.outcome.is_(None))
    return _steps(connection, found)


def of_run(connection: Connection, target: str, policy: str, run: str) -> tuple[JournalStep, ...]:
    """All steps of a run, oldest first."""
    key = {"target": target, "policy": policy, "run": run}
    return _steps(connection, select(JOURNAL).where(matches(JOURNAL, key)))


def _change(connection: Connection, step: int, values: dict[str, object]) -> None:
    """An id that no step has is a fault of the program."""
    changed = connection.execute(update(JOURNAL).where(JOURNAL.c.id == step).values(**values))
    if changed.rowcount == 0:
        raise LookupError(f"no step {step} in the journal")


def _steps(connection: Connection, found: Select[tuple[object, ...]]) -> tuple[JournalStep, ...]:
    return tuple(_step(row) for row in connection.execute(found.order_by(JOURNAL.c.id)))


def _step(row: Row[tuple[object, ...]]) -> JournalStep:
    return JournalStep(
        id=row.id,
        run=row.run,
        stack=parse_key(row.stack),
        kind=decode(StepKind, row.kind),
        detail=loads_object(row.detail_json),
        begun_at=row.begun_at,
        pid=row.pid,
        pid_started=row.pid_started,
        ended_at=row.ended_at,
        outcome=None if row.outcome is None else decode(StepOutcome, row.outcome),
        note=row.note,
    )
