"""What only PostgreSQL does: locks that end with their session, one maker of tables, no password
in any sentence."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import psycopg
import pytest

from multicloud.clock import monotonic
from multicloud.errors import ExitCode, GuardrailError
from multicloud.store import schema
from multicloud.store.advisory import key_of
from multicloud.store.failures import StoreError
from multicloud.store.locks import holders, policy_locks
from multicloud.store.store import Store
from tests.builders import NOON
from tests.store.processes import ROOT, line_of, running

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from multicloud.store.locks import Locks
    from tests.postgres import Server

HOLD = """
    import sys
    from datetime import datetime, UTC
    from multicloud.store.locks import policy_locks
    noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    with policy_locks(sys.argv[1], sys.argv[2:], run="theirs", at=noon, who="ann@laptop"):
        print("holds", flush=True)
        sys.stdin.readline()
"""


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.url()


def taken(url: str, *policies: str) -> AbstractContextManager[Locks]:
    return policy_locks(url, policies or ("daynight",), run="ours", at=NOON, who="bob@ci")


def cut(url: str) -> int:
    """End every other session of the database, as a restart of the server would."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        return len(found.fetchall())


def test_b140_the_second_is_told_who_and_since_when_at_once(url: str) -> None:
    with running(HOLD, url, "daynight") as other:
        assert line_of(other) == "holds"
        began = monotonic()
        with pytest.raises(GuardrailError) as caught, taken(url):
            pass
        assert monotonic() - began < 5
        assert caught.value.exit_code is ExitCode.BLOCKED
        for word in ("daynight", "theirs", "2026-05-04T12:00:00Z", "ann@laptop"):
            assert word in str(caught.value)
        assert holders(url, ["daynight", "other"])["daynight"].run == "theirs"
    with taken(url):
        assert holders(url, ["daynight"])["daynight"].who == "bob@ci"
    assert holders(url, ["daynight"]) == {}


def test_all_locks_or_none(url: str) -> None:
    with running(HOLD, url, "b") as other:
        assert line_of(other) == "holds"
        with pytest.raises(GuardrailError), taken(url, "a", "b", "c"):
            pass
        assert set(holders(url, ["a", "b", "c"])) == {"b"}


def test_the_lock_of_who_was_killed_is_free(url: str) -> None:
    with running(HOLD, url, "daynight") as other:
        assert line_of(other) == "holds"
        other.kill()
        other.wait()
        end = monotonic() + 5
        while True:
            try:
                with taken(url):
                    break
            except GuardrailError:
                assert monotonic() < end


def test_a_lock_that_was_lost_is_known_before_the_next_step(url: str) -> None:
    with taken(url) as held:
        held.ensure()
        assert cut(url) >= 1
        with pytest.raises(StoreError, match="was lost") as caught:
            held.ensure()
    assert "no other was begun" in str(caught.value)


def test_names_of_policies_have_locks_of_their_own(url: str) -> None:
    assert len({key_of(f"p{number}") for number in range(1000)}) == 1000
    with taken(url, "a"), policy_locks(url, ["b"], run="r", at=NOON, who="w"):
        assert set(holders(url, ["a", "b"])) == {"a", "b"}


def test_many_make_the_store_at_once_and_it_is_made_once(url: str) -> None:
    faults: list[BaseException] = []

    def make() -> None:
        try:
            Store.open(url, target="sandbox").close()
        except BaseException as error:  # noqa: BLE001 - any is a failure of the test
            faults.append(error)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_a_store_that_nobody_made_is_none_to_readers(url: str) -> None:
    assert Store.open(url, target="sandbox", create=False) is None
    with psycopg.connect(url) as connection:
        count = connection.execute("select count(*) from pg_tables where schemaname = 'public'")
        assert count.fetchone() == (0,)


def test_readers_cannot_write(url: str) -> None:
    Store.open(url, target="sandbox").close()
    reader = Store.open(url, target="sandbox", create=False)
    assert reader is not None
    with reader, pytest.raises(StoreError, match="read-only"):
        reader.clear_override("p", "a")


def test_an_older_store_is_upgraded_by_a_writer_and_only_told_by_a_reader(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = schema.Schema(folder=schema.SCHEMA.folder, revisions=schema.SCHEMA.revisions[:1])
    with monkeypatch.context() as patched:
        patched.setattr(schema, "SCHEMA", older)
        Store.open(url, target="sandbox").close()
    with pytest.raises(StoreError, match="older version"):
        Store.open(url, target="sandbox", create=False)
    Store.open(url, target="sandbox").close()
    reader = Store.open(url, target="sandbox", create=False)
    assert reader is not None
    reader.close()


def test_a_newer_store_is_left_alone(url: str) -> None:
    Store.open(url, target="sandbox").close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(GuardrailError, match="newer multicloud"):
        Store.open(url, target="sandbox")


def test_another_database_is_no_store(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create table theirs(a int)")
    with pytest.raises(StoreError, match="no store of multicloud"):
        Store.open(url, target="sandbox")


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("postgresql://tests:secret@127.0.0.1:{port}/none", "createdb"),
        ("postgresql://tests:secret@127.0.0.1:1/x", "Look whether the server runs"),
    ],
)
def test_what_keeps_us_out_is_said_without_the_password(
    postgres: Server, url: str, hint: str
) -> None:
    with pytest.raises(StoreError) as caught:
        Store.open(url.format(port=postgres.port), target="sandbox")
    assert hint in caught.value.hint
    assert "secret" not in str(caught.value)


def test_nothing_of_postgres_is_loaded_for_a_file(tmp_path: object) -> None:
    code = (
        "import sys; from multicloud.store.store import Store;"
        f"Store.open({str(tmp_path) + '/s.sqlite'!r}, target='sandbox').close();"
        "sys.exit('psycopg' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_driver_is_named_when_it_is_missing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match="psycopg") as caught:
        Store.open(url, target="sandbox")
    assert "multicloud[postgres]" in caught.value.hint


def test_signing_off_never_hides_what_happened(url: str) -> None:
    def lose() -> None:
        with taken(url):
            cut(url)
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        lose()
    assert holders(url, ["daynight"]) == {}
