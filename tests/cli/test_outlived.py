"""Engines that outlive their run: waited for, then in nobody's way."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.alive import identity, is_alive
from multicloud.errors import GuardrailError
from multicloud.models.run import JournalStep, StepKind
from multicloud.run import outlived
from tests.builders import NOON
from tests.cli.test_apply import rows
from tests.cli.test_status import up
from tests.store.samples import a_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Multicloud


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until it is told to end."""
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as made:
        yield made
        made.kill()


def a_step(pid: int | None, started: str) -> JournalStep:
    return JournalStep(
        id=1,
        run="20261201-1200-abcd",
        stack=a_key(),
        kind=StepKind.APPLY_UP,
        detail={},
        begun_at=NOON,
        pid=pid,
        pid_started=started,
    )


def test_a_process_is_known_by_its_start(process: subprocess.Popen[bytes]) -> None:
    known = identity(process.pid)
    assert is_alive(process.pid, known)
    # Another process of the same id.
    assert not is_alive(process.pid, f"{known}0")
    process.kill()
    # Not yet waited for, and ended all the same.
    deadline = time.monotonic() + 10
    while is_alive(process.pid, known) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(process.pid, known)
    process.wait()
    assert identity(process.pid) == ""
    assert not is_alive(process.pid, "")


def test_an_engine_at_work_blocks_after_its_grace(
    process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlived, "GRACE_S", 0.2)
    step = a_step(process.pid, identity(process.pid))
    with pytest.raises(GuardrailError, match=f"process {process.pid}"):
        outlived.await_engines([a_step(None, ""), step])


def test_an_engine_that_ends_in_time_is_waited_for(process: subprocess.Popen[bytes]) -> None:
    step = a_step(process.pid, identity(process.pid))
    subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os,sys,time; time.sleep(0.7); os.kill(int(sys.argv[1]), 9)",
            str(process.pid),
        ]
    ).wait()
    outlived.await_engines([step])
    assert process.wait() == -9


@pytest.mark.engine
def test_each_step_of_an_apply_names_its_engine(multicloud: Multicloud, folder: Path) -> None:
    up(multicloud, folder)
    found = rows(folder, "store.sqlite", "select kind, pid, pid_started from journal order by id")
    assert [kind for kind, *_ in found] == ["apply_up", "verify_up"]
    (_, pid, started), (_, nobody, nothing) = found
    assert pid > 0
    assert started
    assert (nobody, nothing) == (None, "")


@pytest.mark.engine
def test_a_rebalance_beside_an_orphaned_engine_is_blocked(
    multicloud: Multicloud,
    folder: Path,
    process: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sqlite3
    from contextlib import closing

    rest = up(multicloud, folder)
    with closing(sqlite3.connect(folder / ".multicloud" / "store.sqlite")) as db:
        db.execute(
            "update journal set outcome = null, ended_at = null, pid = ?, pid_started = ?"
            " where kind = 'apply_up'",
            (process.pid, identity(process.pid)),
        )
        db.commit()
    monkeypatch.setattr(outlived, "GRACE_S", 0.2)
    said = multicloud("rebalance", *rest)
    assert said.code == 4, said.out + said.err
    assert "still works on sandbox/p/a/aws-us-east-1-" in said.err
    process.kill()
    process.wait()
    said = multicloud("rebalance", *rest)
    assert said.code == 0, said.out + said.err
    assert "did not end; what it left is looked at and taken over" in said.err
