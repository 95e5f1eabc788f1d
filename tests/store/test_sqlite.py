from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from multicloud.store import sqlite
from multicloud.store.failures import StoreError
from multicloud.store.location import SqliteFile
from multicloud.store.told import told

if TYPE_CHECKING:
    from pathlib import Path


def test_a_link_put_in_the_way_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    (tmp_path / "store.sqlite").symlink_to(victim)
    with pytest.raises(StoreError, match="cannot make the store"):
        sqlite.make_file(tmp_path / "store.sqlite")
    assert not victim.exists()


def test_a_copy_takes_the_place_of_an_older_one_and_of_a_half_made_one(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.sqlite", tmp_path / "store.sqlite.0001.bak"
    sqlite.enable_wal(path)
    copy.write_text("older")
    half = tmp_path / "store.sqlite.0001.bak.part"
    half.write_text("half")
    sqlite.back_up(path, copy)
    assert copy.read_bytes().startswith(b"SQLite format 3")
    assert not half.exists()


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("database or disk is full", "Free some space"),
        ("attempt to write a readonly database", "Let this user write"),
        ("unable to open database file", "Let this user write"),
        ("database is locked", "Try again"),
        ("database disk image is malformed", "Move it away"),
    ],
)
def test_each_failure_says_what_to_do(tmp_path: Path, reason: str, hint: str) -> None:
    path = tmp_path / "store.sqlite"
    with pytest.raises(StoreError, match=reason) as caught, told(SqliteFile(path)):
        raise sqlite3.OperationalError(reason)
    assert hint in caught.value.hint


def test_broken_constraints_are_faults_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.IntegrityError), told(SqliteFile(tmp_path / "store.sqlite")):
        raise sqlite3.IntegrityError
