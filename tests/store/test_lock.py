from __future__ import annotations

import errno
import fcntl
import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from multicloud.clock import monotonic
from multicloud.errors import ExitCode, GuardrailError, MulticloudError
from multicloud.store import locks
from multicloud.store.location import SqliteFile
from multicloud.store.lock import Holder, holder, opening_lock, policy_lock, policy_locks
from tests.builders import NOON
from tests.store.processes import ROOT, line_of, running

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.store.store import Store

HOLD = """
    import sys, time
    from datetime import datetime, UTC
    from pathlib import Path
    from multicloud.errors import MulticloudError
    from multicloud.store.lock import policy_lock
    folder, policy, run = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    began = time.monotonic()
    try:
        noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
        with policy_lock(folder, policy, run=run, at=noon, who="ann@laptop"):
            print("holds", flush=True)
            sys.stdin.readline()
    except MulticloudError as error:
        print(int(error.exit_code), time.monotonic() - began, error, sep="|", flush=True)
"""
LIMIT_S = 5.0


def taken(
    folder: Path, policy: str = "daynight", run: str = "ours"
) -> AbstractContextManager[None]:
    """Our own lock."""
    return policy_lock(folder, policy, run=run, at=NOON, who="bob@ci")


def test_b140_the_second_runner_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    with running(HOLD, tmp_path, "daynight", "20260504-1200-abcd") as first:
        assert line_of(first) == "holds"
        began = monotonic()
        with pytest.raises(GuardrailError) as caught, taken(tmp_path):
            pass
        assert monotonic() - began < LIMIT_S
        assert caught.value.exit_code is ExitCode.BLOCKED
        assert caught.value.summary == (
            "policy 'daynight' is busy, run 20260504-1200-abcd since 2026-05-04T12:00:00Z "
            f"by ann@laptop (process {first.pid})."
        )


@pytest.mark.parametrize("count", [2, 8])
def test_b140_of_several_at_once_one_works_and_the_others_are_told(
    tmp_path: Path, count: int
) -> None:
    with ExitStack() as stack:
        runners = [
            stack.enter_context(running(HOLD, tmp_path, "daynight", f"run-{number}"))
            for number in range(count)
        ]
        lines = [line_of(runner) for runner in runners]
    refused = [line for line in lines if line != "holds"]
    assert len(refused) == count - 1
    winner = f"run run-{lines.index('holds')} since"
    for line in refused:
        code, seconds, told = line.split("|")
        assert int(code) == ExitCode.BLOCKED
        assert float(seconds) < LIMIT_S
        assert winner in told


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    with running(HOLD, tmp_path, "daynight", "theirs") as first:
        assert line_of(first) == "holds"
        said = holder(tmp_path, "daynight")
        assert said == Holder(run="theirs", since=NOON, who="ann@laptop", pid=first.pid)
        first.kill()
        first.wait()
        assert holder(tmp_path, "daynight") is None
        with taken(tmp_path):
            now_said = holder(tmp_path, "daynight")
            assert now_said is not None
            assert now_said.run == "ours"


def test_a_child_of_the_holder_does_not_keep_the_lock(tmp_path: Path) -> None:
    script = HOLD.replace(
        'print("holds"',
        'import subprocess; child = subprocess.Popen(["sleep", "60"], close_fds=False); '
        'print(child.pid, flush=True); print("holds"',
    )
    with running(script, tmp_path, "daynight", "theirs") as first:
        child = int(line_of(first))
        try:
            assert line_of(first) == "holds"
            first.kill()
            first.wait()
            os.kill(child, 0)
            with taken(tmp_path):
                assert holder(tmp_path, "daynight") is not None
        finally:
            os.kill(child, 9)


def test_a_fork_without_exec_neither_keeps_nor_frees_the_lock(tmp_path: Path) -> None:
    script = HOLD.replace(
        'print("holds"',
        'import os; child = os.fork(); child or (print("forked", flush=True), time.sleep(60)); '
        'print(child, flush=True); print("holds"',
    )
    with running(script, tmp_path, "daynight", "theirs") as first:
        # The child lets go of what it was given as soon as it runs, which may be last.
        lines = {line_of(first) for _ in range(3)}
        child = int((lines - {"forked", "holds"}).pop())
        try:
            with pytest.raises(GuardrailError), taken(tmp_path):
                pass
            first.kill()
            first.wait()
            os.kill(child, 0)
            with taken(tmp_path):
                assert holder(tmp_path, "daynight") is not None
        finally:
            os.kill(child, 9)


def test_a_fork_that_leaves_the_block_does_not_free_its_parents_lock(tmp_path: Path) -> None:
    script = HOLD.replace(
        'print("holds"',
        'import os; child = os.fork(); child or sys.exit(0); os.waitpid(child, 0); print("holds"',
    )
    with running(script, tmp_path, "daynight", "theirs") as first:
        assert line_of(first) == "holds"
        with pytest.raises(GuardrailError, match="run theirs"), taken(tmp_path):
            pass


def test_the_lock_is_free_after_the_block_and_says_so(tmp_path: Path) -> None:
    with taken(tmp_path):
        pass
    assert holder(tmp_path, "daynight") is None
    assert (tmp_path / "daynight.lock").read_bytes() == b""
    with running(HOLD, tmp_path, "daynight", "theirs") as next_one:
        assert line_of(next_one) == "holds"


def test_the_lock_is_free_after_a_failure_in_the_block(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), taken(tmp_path):
        raise KeyboardInterrupt
    with taken(tmp_path):
        assert holder(tmp_path, "daynight") is not None


def test_the_same_process_cannot_take_it_twice(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with taken(tmp_path):
        for folder in (tmp_path, link):
            with pytest.raises(RuntimeError, match="'daynight' already"), taken(folder):
                pass
        assert holder(tmp_path, "daynight") is not None


def test_policies_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with running(HOLD, tmp_path, "other", "theirs") as first:
        assert line_of(first) == "holds"
        with taken(tmp_path):
            assert holder(tmp_path, "other") is not None


def test_several_locks_are_taken_all_or_none(tmp_path: Path) -> None:
    names = ["c", "a", "b", "a"]
    with running(HOLD, tmp_path, "b", "theirs") as first:
        assert line_of(first) == "holds"
        with (
            pytest.raises(GuardrailError, match="'b' is busy"),
            policy_locks(tmp_path, names, run="ours", at=NOON, who="bob@ci"),
        ):
            pass
        assert [holder(tmp_path, name) for name in ("a", "c")] == [None, None]
        assert not (tmp_path / "c.lock").exists()
    with policy_locks(tmp_path, names, run="ours", at=NOON, who="bob@ci"):
        assert all(holder(tmp_path, name) for name in names)
    assert not any(holder(tmp_path, name) for name in names)


def test_a_store_locks_in_its_folder(store: Store) -> None:
    assert isinstance(store.location, SqliteFile)
    folder = store.location.path.parent
    with locks.policy_locks(store.location, ["daynight"], run="ours", at=NOON, who="bob@ci"):
        assert locks.holders(store.location, ["daynight"]) == {
            "daynight": holder(folder, "daynight")
        }
        assert (folder / "daynight.lock").stat().st_mode & 0o777 == 0o600


def test_a_missing_folder_is_made_private(tmp_path: Path) -> None:
    with taken(tmp_path / "home"):
        assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "daynight.lock").symlink_to(victim)
    with pytest.raises(MulticloudError, match="it is a link"), taken(tmp_path):
        pass
    assert holder(tmp_path, "daynight") is None
    assert victim.read_text() == "precious"


def test_a_folder_in_its_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "daynight.lock").mkdir()
    with pytest.raises(MulticloudError, match="cannot use the lock file"), taken(tmp_path):
        pass


@pytest.mark.parametrize("name", ["", "../x", ".", "a/b", "a\0b", "store.sqlite"])
def test_only_names_of_policies_can_be_locked(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a policy's name"), taken(tmp_path, name):
        pass


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": "x"}', "\xff"])
def test_a_holder_that_has_not_signed_is_still_a_holder(tmp_path: Path, text: str) -> None:
    with running(HOLD, tmp_path, "daynight", "theirs") as first:
        assert line_of(first) == "holds"
        (tmp_path / "daynight.lock").write_text(text, encoding="latin-1")
        assert holder(tmp_path, "daynight") is None
        with pytest.raises(GuardrailError, match="another run has just taken"), taken(tmp_path):
            pass


def test_a_text_left_by_a_killed_holder_is_not_believed(tmp_path: Path) -> None:
    with running(HOLD, tmp_path, "daynight", "killed") as first:
        assert line_of(first) == "holds"
        first.kill()
    said = json.loads((tmp_path / "daynight.lock").read_text())
    assert said["run"] == "killed"
    assert holder(tmp_path, "daynight") is None
    with taken(tmp_path, run="ours"):
        said = json.loads((tmp_path / "daynight.lock").read_text())
        assert (said["run"], said["pid"]) == ("ours", os.getpid())


def test_a_process_of_another_user_is_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int, signal: int) -> None:
        raise PermissionError(pid, signal)

    with taken(tmp_path):
        monkeypatch.setattr(os, "kill", refuse)
        assert holder(tmp_path, "daynight") is not None


def test_a_file_system_without_flock_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(MulticloudError, match="Operation not supported"), taken(tmp_path):
        pass


def test_since_is_told_in_utc(tmp_path: Path) -> None:
    noon_in_berlin = datetime(2026, 5, 4, 12, tzinfo=timezone(timedelta(hours=2)))
    with policy_lock(tmp_path, "daynight", run="ours", at=noon_in_berlin, who="bob@ci"):
        said = holder(tmp_path, "daynight")
        assert said is not None
        assert said.since == datetime(2026, 5, 4, 10, tzinfo=UTC)
        with running(HOLD, tmp_path, "daynight", "theirs") as second:
            assert "since 2026-05-04T10:00:00Z" in line_of(second)


def test_who_prepares_a_store_is_waited_for_but_not_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with (
        opening_lock(path, wait_s=1),
        pytest.raises(GuardrailError, match="preparing the store"),
        opening_lock(path, wait_s=0.1),
    ):
        pass
    with opening_lock(path, wait_s=0):
        assert path.with_name("store.sqlite.lock").exists()


def test_locking_loads_no_database(tmp_path: Path) -> None:
    script = (
        "import sys, multicloud.store.lock; "
        "sys.exit(any(name in sys.modules for name in ('sqlalchemy', 'alembic', 'sqlite3')))"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0
