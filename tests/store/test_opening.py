from __future__ import annotations

import os
import random
import sqlite3
from contextlib import ExitStack, closing
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.errors import ExitCode, InvalidInputError, MulticloudError
from multicloud.models.run import StepKind
from multicloud.store.failures import StoreError
from multicloud.store.schema import SCHEMA
from multicloud.store.store import Store
from tests.builders import NOON
from tests.store.processes import line_of, running
from tests.store.samples import HOUR, a_key, a_mark, a_placement, a_run, a_stack, an_override

if TYPE_CHECKING:
    from pathlib import Path

OPEN = """
    import sys
    from multicloud.store.store import Store
    print("ready", flush=True)
    sys.stdin.readline()
    with Store.open(sys.argv[1], target="sandbox") as store:
        print(store.stacks("daynight"), flush=True)
"""


def test_a_new_store_is_private(path: Path) -> None:
    previous = os.umask(0)
    try:
        with Store.open(path, target="sandbox") as store:
            store.upsert_stack(a_stack())
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    finally:
        os.umask(previous)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm"} <= set(modes)
    assert set(modes.values()) == {0o600}


def test_a_store_that_others_could_read_is_made_private_by_a_writer(path: Path) -> None:
    Store.open(path, target="sandbox").close()
    path.chmod(0o644)
    path.parent.chmod(0o755)
    Store.open(path, target="sandbox").close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o755


def test_reading_without_a_store_makes_nothing(path: Path) -> None:
    assert Store.open(path, target="sandbox", create=False) is None
    assert not path.parent.exists()


def test_reading_a_file_that_is_not_a_store_yet_finds_none(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert Store.open(path, target="sandbox", create=False) is None
    assert path.stat().st_size == 0
    with Store.open(path, target="sandbox") as store:
        assert store.stacks("daynight") == ()


def test_a_reader_cannot_write(path: Path) -> None:
    Store.open(path, target="sandbox").close()
    reader = Store.open(path, target="sandbox", create=False)
    assert reader is not None
    with reader, pytest.raises(StoreError, match="readonly"):
        reader.upsert_stack(a_stack())


def test_what_was_written_is_there_when_opened_again_by_url(path: Path) -> None:
    with Store.open(path, target="sandbox") as store:
        store.upsert_stack(a_stack())
    with Store.open(f"sqlite:///{path}", target="sandbox") as store:
        assert store.stacks("daynight") == (a_stack(),)


def test_targets_are_apart_in_one_file(path: Path) -> None:
    with Store.open(path, target="sandbox") as store:
        store.upsert_stack(a_stack())
        store.begin_run(a_run())
    with Store.open(path, target="live") as live:
        assert live.stacks("daynight") == ()
        assert live.last_run("daynight") is None
        live.upsert_stack(a_stack(a_key(target="live")))
    with Store.open(path, target="sandbox") as store:
        assert store.stacks("daynight") == (a_stack(),)


def test_other_urls_are_invalid(path: Path) -> None:
    with pytest.raises(InvalidInputError):
        Store.open("mysql://db/multicloud", target="sandbox")


def test_closing_twice_is_as_once(path: Path) -> None:
    store = Store.open(path, target="sandbox")
    store.close()
    store.close()


def damaged(path: Path, *, size: int, offset: int) -> None:
    """Overwrite a part of a filled store with noise."""
    with Store.open(path, target="sandbox") as store:
        for number in range(50):
            store.upsert_stack(a_stack(a_key(pool=f"pool-{number}")))
    noise = random.Random(7).randbytes(size)  # noqa: S311 - noise, not a secret
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(noise)


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(("size", "offset"), [(4096, 0), (200_000, 0), (40_000, 4096)])
def test_a_damaged_store_is_told_in_one_sentence(
    path: Path, *, size: int, offset: int, create: bool
) -> None:
    damaged(path, size=size, offset=offset)
    with pytest.raises(StoreError, match=f"the store {path} cannot be used: ") as caught:
        _read_all(path, create=create)
    assert caught.value.exit_code is ExitCode.FAILED
    assert "Move it away and adopt" in caught.value.hint


def _read_all(path: Path, *, create: bool) -> None:
    store = Store.open(path, target="sandbox", create=create)
    if store is not None:
        with store:
            store.stacks("daynight")
            store.load_memory("daynight", NOON)
            store.open_steps("daynight")
            store.usage("daynight", NOON, NOON + HOUR)
            store.last_run("daynight")


def test_noise_anywhere_in_a_store_is_never_a_traceback(path: Path) -> None:
    with Store.open(path, target="sandbox") as store:
        store.begin_run(a_run())
        store.begin_step(a_run().id, a_key(), StepKind.DRAIN, {"nodes": 2}, at=NOON)
        store.upsert_stack(a_stack())
        store.add_set_aside("daynight", a_mark())
        store.set_override("daynight", "training", an_override())
        placement = a_placement()
        store.open_usage(
            "daynight", "training", placement, nodes=2, usd_per_node_hour=Decimal("1.2"), at=NOON
        )
    whole = path.read_bytes()
    dice = random.Random(11)  # noqa: S311 - noise, not a secret
    told = 0
    for _ in range(60):
        noisy = bytearray(whole)
        for _ in range(dice.choice([1, 30, 300])):
            noisy[dice.randrange(len(noisy))] = dice.randrange(256)
        path.write_bytes(noisy)
        try:
            _read_all(path, create=dice.random() < 0.5)
        except MulticloudError:
            told += 1
    assert told > 0


def test_a_text_file_is_no_store_and_a_copy_beside_it_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database\n" * 100)
    path.with_name("store.sqlite.0001.bak").touch()
    with pytest.raises(StoreError, match=r"put back store\.sqlite\.0001\.bak"):
        Store.open(path, target="sandbox")
    assert path.read_text().startswith("not a database")


def test_a_record_that_makes_no_sense_is_told(path: Path) -> None:
    with Store.open(path, target="sandbox") as store:
        store.upsert_stack(a_stack())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE stacks SET status = 'upside down'")
    with Store.open(path, target="sandbox") as store, pytest.raises(StoreError, match="upside"):
        store.stacks("daynight")


@pytest.mark.parametrize(
    ("column", "value"), [("start_at", "2026-noon"), ("usd_per_node_hour", "cheap")]
)
def test_a_column_that_makes_no_sense_is_told(path: Path, column: str, value: str) -> None:
    with Store.open(path, target="sandbox") as store:
        store.open_usage(
            "daynight", "training", a_placement(), nodes=2, usd_per_node_hour=None, at=NOON
        )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE usage SET {column} = ?", (value,))  # noqa: S608 - ours
    with Store.open(path, target="sandbox") as store, pytest.raises(StoreError, match=value):
        store.usage("daynight", NOON - HOUR, NOON.replace(year=9000))


@pytest.mark.parametrize("create", [True, False])
def test_a_folder_or_a_link_is_no_store(path: Path, *, create: bool) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file"):
        Store.open(path, target="sandbox", create=create)
    link = path.with_name("link.sqlite")
    link.symlink_to(path.with_name("elsewhere.sqlite"))
    with pytest.raises(StoreError, match="is a link"):
        Store.open(link, target="sandbox", create=create)
    assert not path.with_name("elsewhere.sqlite").exists()


def test_a_place_where_no_file_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MulticloudError, match="cannot use the lock file"):
        Store.open(tmp_path / "file" / "store.sqlite", target="sandbox")


def test_eight_processes_may_make_the_store_at_once(path: Path) -> None:
    with ExitStack() as stack:
        openers = [stack.enter_context(running(OPEN, path)) for _ in range(8)]
        assert [line_of(opener) for opener in openers] == ["ready"] * 8
        for opener in openers:
            assert opener.stdin is not None
            opener.stdin.write("go\n")
            opener.stdin.flush()
        assert [line_of(opener) for opener in openers] == ["()"] * 8
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [(SCHEMA.head,)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
