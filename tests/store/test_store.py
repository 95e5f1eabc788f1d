"""What holds for all of the store: crashes, threads, readers beside a writer."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from multicloud.models.run import StepKind, StepOutcome
from multicloud.store.codec import dumps
from multicloud.store.failures import StoreError
from multicloud.store.lock import policy_lock
from multicloud.store.sqlite import BUSY_TIMEOUT_S
from multicloud.store.store import Store
from tests.builders import NOON
from tests.store.processes import line_of, running
from tests.store.samples import a_key, a_run, a_stack

if TYPE_CHECKING:
    from pathlib import Path

WRITE = """
    import sys
    from multicloud.models.run import RecordedStack, RunRecord, StepKind, StepOutcome
    from multicloud.store.codec import loads
    from multicloud.store.store import Store
    run, stack = loads(RunRecord, sys.argv[2]), loads(RecordedStack, sys.argv[3])
    with Store.open(sys.argv[1], target="sandbox") as store:
        store.begin_run(run)
        while True:
            step = store.begin_step(run.id, stack.key, StepKind.APPLY_UP, {}, at=run.at)
            print("begun", step, flush=True)
            store.upsert_stack(stack)
            store.end_step(step, StepOutcome.DONE, run.at)
            print("ended", step, flush=True)
"""


def integrity(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall()


@pytest.mark.parametrize("delay_ms", [0, 3, 7, 20, 60])
def test_a_writer_killed_at_any_moment_leaves_all_that_it_committed(
    path: Path, delay_ms: int
) -> None:
    with running(WRITE, path, dumps(a_run()), dumps(a_stack())) as writer:
        lines = [line_of(writer)]
        time.sleep(delay_ms / 1000)
        writer.kill()
        assert writer.stdout is not None
        lines += writer.stdout.read().split("\n")
    told = [line.split() for line in lines if line.count(" ") == 1]
    assert told
    with Store.open(path, target="sandbox") as store:
        steps = {step.id: step for step in store.steps(a_run().id, "daynight")}
        assert len(store.open_steps("daynight")) <= 1
    for what, step in told:
        assert int(step) in steps
        if what == "ended":
            assert steps[int(step)].outcome is StepOutcome.DONE
    assert len(steps) - len({step for _, step in told}) in (0, 1)
    assert integrity(path) == [("ok",)]


def test_a_step_is_on_the_disk_when_it_has_begun(path: Path) -> None:
    with Store.open(path, target="sandbox") as store:
        store.begin_run(a_run())
        step = store.begin_step(a_run().id, a_key(), StepKind.DRAIN, {}, at=NOON)
        other = Store.open(path, target="sandbox", create=False)
        assert other is not None
        with other:
            assert [found.id for found in other.open_steps("daynight")] == [step]


def test_commits_wait_for_the_disk(store: Store) -> None:
    with store._writing() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_b140_readers_wait_neither_for_the_lock_nor_for_a_write(store: Store, path: Path) -> None:
    store.upsert_stack(a_stack())
    with (
        policy_lock(path.parent, "daynight", run="theirs", at=NOON, who="ann@laptop"),
        store._writing() as connection,
    ):
        connection.exec_driver_sql("DELETE FROM stacks")
        began = time.monotonic()
        reader = Store.open(path, target="sandbox", create=False)
        assert reader is not None
        with reader:
            assert reader.stacks("daynight") == (a_stack(),)
            assert reader.load_memory("daynight", NOON).is_stored
        assert time.monotonic() - began < BUSY_TIMEOUT_S / 10
        connection.rollback()


def test_threads_may_write_at_once(store: Store) -> None:
    store.begin_run(a_run())

    def one(number: int) -> int:
        key = a_key(pool=f"pool-{number}")
        step = store.begin_step(a_run().id, key, StepKind.APPLY_UP, {}, at=NOON)
        store.upsert_stack(a_stack(key))
        store.end_step(step, StepOutcome.DONE, NOON)
        return step

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(one, range(40)))
    assert len(set(ids)) == 40
    assert len(store.stacks("daynight")) == 40
    assert store.open_steps("daynight") == ()


def test_a_write_lock_kept_too_long_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multicloud.store.sqlite.BUSY_TIMEOUT_S", 0.1)
    with Store.open(path, target="sandbox") as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"database is locked\. Another run") as caught:
            store.upsert_stack(a_stack())
        assert "adopt" not in caught.value.hint
        other.rollback()
        store.upsert_stack(a_stack())


def test_a_fault_within_a_write_leaves_nothing_of_it(store: Store) -> None:
    def half() -> None:
        with store._writing() as connection:
            connection.exec_driver_sql("DELETE FROM alembic_version")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    with store._reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM alembic_version").scalar() == 1
