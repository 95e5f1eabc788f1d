"""Projects as earlier runs left them, written without an engine."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from multicloud.models.run import RecordedStack, RunKind, RunRecord, StackStatus
from multicloud.render.names import stack_key
from multicloud.store.store import Store
from tests.builders import a_placement, a_slot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def record_stack(
    folder: Path,
    pool: str = "a",
    *,
    policy: str = "p",
    nodes: int = 2,
    status: StackStatus = StackStatus.APPLIED,
) -> RecordedStack:
    """Write a stack in aws/us-east-1 into the project's store."""
    placement = a_placement(nodes=nodes, slot=a_slot("g4dn.xlarge"), gpu="T4", gpus_per_node=1)
    stack = RecordedStack(
        key=stack_key(placement.slot, target="sandbox", policy=policy, pool=pool),
        placement=placement,
        status=status,
    )
    with a_store(folder) as store:
        store.upsert_stack(stack)
    return stack


def record_run(folder: Path, policy: str = "p") -> None:
    """Write a run that was begun at noon and never ended."""
    with a_store(folder) as store:
        run = RunRecord(id="r1", policy=policy, kind=RunKind.REBALANCE, digest="", at=NOON)
        store.begin_run(run)


def a_store(folder: Path) -> Store:
    """The project's store, made when missing."""
    return Store.open(folder / ".multicloud" / "store.sqlite", target="sandbox")


@contextmanager
def busy(folder: Path, policy: str = "p") -> Iterator[None]:
    """Hold a policy's lock as another process would."""
    path = folder / ".multicloud" / f"{policy}.lock"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    said = {"run": "r9", "since": NOON.isoformat(), "who": "cron@host", "pid": os.getpid()}
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(json.dumps(said))
        lock.flush()
        yield


def refuse_inventory(folder: Path, region: str = "us-east-1") -> None:
    """Let the simulated clouds refuse every look at a region; they must exist."""
    with closing(sqlite3.connect(folder / ".multicloud" / "sandbox.sqlite")) as db, db:
        db.execute(
            "insert into fault(type, operation, matching, message, times, provider, region)"
            " values('inventory', 'read', '{}', 'UnauthorizedOperation', -1, '', ?)",
            (region,),
        )
