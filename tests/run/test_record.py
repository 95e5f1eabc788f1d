"""Run folders: private, digested, the newest fifty."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.errors import GuardrailError, InvalidInputError
from multicloud.run.layout import KEPT_RUNS, Layout, new_run_id
from multicloud.run.record import digest_of, read_run, write_run

if TYPE_CHECKING:
    from pathlib import Path

FILES = st.dictionaries(st.text(max_size=8), st.binary(max_size=8), max_size=4)


@given(FILES, FILES)
def test_digests_differ_when_anything_differs(one: dict[str, bytes], two: dict[str, bytes]) -> None:
    assert (digest_of(one) == digest_of(two)) == (one == two)


def test_folders_and_files_are_the_users_own(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    digest = write_run(layout, "20261201-0212-7f3a", {"stacks/a/main.tf.json": b"{}"})
    folder = layout.runs / "20261201-0212-7f3a"
    assert (folder / "digest").read_text().strip() == digest
    for path in [layout.home, *layout.home.rglob("*")]:
        if path.name != ".gitignore":
            wanted = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_only_the_newest_runs_stay(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    for index in range(KEPT_RUNS + 3):
        write_run(layout, f"20261201-{index:04}-0000", {"a": b"b"})
    names = sorted(path.name for path in layout.runs.iterdir())
    assert len(names) == KEPT_RUNS
    assert names[0] == "20261201-0003-0000"


def test_run_ids_sort_by_time() -> None:
    early = new_run_id(datetime(2026, 12, 1, 2, 12, tzinfo=UTC))
    late = new_run_id(datetime(2026, 12, 1, 12, 0, tzinfo=UTC))
    assert early < late
    assert early.startswith("20261201-0212-")


def test_a_run_reads_back_as_written(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    files = {"plan.json": b"{}", "stacks/a/plan.bin": bytes(range(256))}
    digest = write_run(layout, "20261201-0212-7f3a", files)
    assert read_run(layout, "20261201-0212-7f3a") == (files, digest)


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_a_changed_run_is_blocked(tmp_path: Path, change: str) -> None:
    layout = Layout(tmp_path)
    write_run(layout, "r", {"a": b"1", "b": b"2"})
    folder = layout.runs / "r"
    if change == "edit":
        (folder / "a").write_bytes(b"3")
    elif change == "add":
        (folder / "c").write_bytes(b"")
    else:
        (folder / "b").unlink()
    with pytest.raises(GuardrailError, match="digest differs"):
        read_run(layout, "r")


@pytest.mark.parametrize("name", ["", "../x", "none", ".", "a/b"])
def test_a_run_that_is_not_there(tmp_path: Path, name: str) -> None:
    layout = Layout(tmp_path)
    write_run(layout, "20261201-0212-7f3a", {"a": b"1"})
    with pytest.raises(InvalidInputError, match="last one is 20261201-0212-7f3a"):
        read_run(layout, name)
