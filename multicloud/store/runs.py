"""Rows of runs and of what they decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from multicloud.models.decision import Action, Cause
from multicloud.models.run import DecisionRecord, RunKind, RunRecord, RunStatus
from multicloud.store.codec import decode, dumps, loads_object
from multicloud.store.rows import matches, put
from multicloud.store.tables import DECISIONS, RUNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row


def begin(connection: Connection, target: str, run: RunRecord) -> None:
    """Put a run's row; one with the same id (a plan that is applied) is taken over."""
    values = {
        "kind": run.kind.value,
        "digest": run.digest,
        "at": run.at,
        "status": run.status.value,
        "exit_code": run.exit_code,
        "finished_at": run.finished_at,
    }
    put(connection, RUNS, {"target": target, "policy": run.policy, "id": run.id}, values)


def finish(
    connection: Connection,
    key: Mapping[str, str],
    *,
    status: RunStatus,
    exit_code: int,
    at: datetime,
) -> bool:
    """Write how a run ended; `key` is target, policy, id. Tells whether there was such a run."""
    ended = update(RUNS).where(matches(RUNS, key))
    values = {"status": status.value, "exit_code": exit_code, "finished_at": at}
    return connection.execute(ended.values(**values)).rowcount > 0


def last(
    connection: Connection, target: str, policy: str, kinds: Sequence[RunKind]
) -> RunRecord | None:
    """The newest run of a policy; of two at one instant the one with the later id."""
    found = select(RUNS).where(matches(RUNS, {"target": target, "policy": policy}))
    if kinds:
        found = found.where(RUNS.c.kind.in_([kind.value for kind in kinds]))
    found = found.order_by(RUNS.c.at.desc(), RUNS.c.id.desc()).limit(1)
    row = connection.execute(found).one_or_none()
    return None if row is None else _run(row)


def record_decisions(
    connection: Connection, target: str, decisions: Iterable[DecisionRecord]
) -> None:
    """Put one row for each pool and run."""
    for decision in decisions:
        key = {
            "target": target,
            "policy": decision.policy,
            "run": decision.run,
            "pool": decision.pool,
        }
        values = {
            "at": decision.at,
            "action": decision.action.value,
            "cause": decision.cause.value if decision.cause else None,
            "body_json": dumps(decision.body),
        }
        put(connection, DECISIONS, key, values)


def decisions(
    connection: Connection, target: str, policy: str, run: str
) -> tuple[DecisionRecord, ...]:
    """What a run decided, by pool."""
    found = matches(DECISIONS, {"target": target, "policy": policy, "run": run})
    rows = connection.execute(select(DECISIONS).where(found).order_by(DECISIONS.c.pool))
    return tuple(_decision(row) for row in rows)


def _run(row: Row[tuple[object, ...]]) -> RunRecord:
    return RunRecord(
        id=row.id,
        policy=row.policy,
        kind=decode(RunKind, row.kind),
        digest=row.digest,
        at=row.at,
        status=decode(RunStatus, row.status),
        exit_code=row.exit_code,
        finished_at=row.finished_at,
    )


def _decision(row: Row[tuple[object, ...]]) -> DecisionRecord:
    return DecisionRecord(
        run=row.run,
        policy=row.policy,
        pool=row.pool,
        at=row.at,
        action=decode(Action, row.action),
        cause=None if row.cause is None else decode(Cause, row.cause),
        body=loads_object(row.body_json),
    )
