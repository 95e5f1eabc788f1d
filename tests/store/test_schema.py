from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from multicloud.errors import ExitCode, GuardrailError
from multicloud.store import schema
from multicloud.store.failures import StoreError
from multicloud.store.schema import SCHEMA, Schema
from multicloud.store.store import Store
from multicloud.store.tables import METADATA
from tests.builders import NOON
from tests.store.processes import ROOT
from tests.store.samples import a_mark, a_run, a_stack

if TYPE_CHECKING:
    from pathlib import Path

NEXT = '''
"""A revision of a later program."""
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade():
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("note", sa.String))
    {more}
'''


def later(folder: Path, more: str = "") -> Schema:
    """The schema of a later program with one revision more, which makes `runs` anew."""
    shutil.copytree(SCHEMA.folder, folder / "migrations")
    script = NEXT.format(revision="9999", before=SCHEMA.head, more=more)
    (folder / "migrations" / "versions" / "r9999_later.py").write_text(script)
    return Schema(folder=folder / "migrations", revisions=(*SCHEMA.revisions, "9999"))


def fill(path: Path) -> None:
    """A store with something in it."""
    with Store.open(path, target="sandbox") as store:
        store.begin_run(a_run())
        store.upsert_stack(a_stack())
        store.add_set_aside("daynight", a_mark())


def columns_of_runs(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {row[1] for row in connection.execute("PRAGMA table_info(runs)")}


def revision_in(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(revision)


def test_the_listed_revisions_are_those_of_the_scripts() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCHEMA.folder))
    scripts = ScriptDirectory.from_config(config)
    listed = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(listed)) == SCHEMA.revisions


def test_migrations_make_exactly_the_tables(any_store: Store) -> None:
    with any_store._reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        found = inspect(connection)
        for table in METADATA.sorted_tables:
            key = found.get_pk_constraint(table.name)["constrained_columns"]
            assert key == [column.name for column in table.primary_key]


@pytest.mark.parametrize("revision", SCHEMA.revisions)
def test_a_store_of_each_revision_is_upgraded_after_a_copy(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    known = SCHEMA.revisions[: SCHEMA.revisions.index(revision) + 1]
    monkeypatch.setattr(schema, "SCHEMA", Schema(folder=SCHEMA.folder, revisions=known))
    fill(path)
    monkeypatch.setattr(schema, "SCHEMA", later(tmp_path))
    with Store.open(path, target="sandbox") as store:
        assert store.last_run("daynight") == a_run()
        assert store.stacks("daynight") == (a_stack(),)
        assert store.load_memory("daynight", NOON).set_asides == (a_mark(),)
    assert revision_in(path) == "9999"
    assert "note" in columns_of_runs(path)
    copy = path.with_name(f"store.sqlite.{revision}.bak")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert revision_in(copy) == revision
    assert "note" not in columns_of_runs(copy)
    assert not list(path.parent.glob("*.part"))


def test_the_copy_is_a_store_that_can_be_put_back(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "SCHEMA", later(tmp_path))
        Store.open(path, target="sandbox").close()
    path.with_name(f"store.sqlite.{SCHEMA.head}.bak").replace(path)
    with Store.open(path, target="sandbox") as store:
        assert store.stacks("daynight") == (a_stack(),)


def test_a_reader_of_an_older_store_leaves_it_as_it_is(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    before = path.read_bytes()
    monkeypatch.setattr(schema, "SCHEMA", later(tmp_path))
    reader = Store.open(path, target="sandbox", create=False)
    assert reader is not None
    with reader:
        assert reader.stacks("daynight") == (a_stack(),)
        assert reader.load_memory("daynight", NOON).set_asides == (a_mark(),)
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.bak"))


@pytest.mark.parametrize("create", [True, False])
def test_a_newer_store_is_refused_and_left_alone(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, create: bool
) -> None:
    with monkeypatch.context() as newer:
        newer.setattr(schema, "SCHEMA", later(tmp_path))
        fill(path)
    before = path.read_bytes()
    with pytest.raises(GuardrailError, match=r"newer multicloud \(revision 9999\)") as caught:
        Store.open(path, target="sandbox", create=create)
    assert caught.value.exit_code is ExitCode.BLOCKED
    assert path.read_bytes() == before


def test_an_upgrade_that_fails_leaves_the_older_store(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    broken = later(tmp_path, more='op.execute("INSERT INTO nowhere VALUES (1)")')
    monkeypatch.setattr(schema, "SCHEMA", broken)
    with pytest.raises(StoreError, match="no such table: nowhere"):
        Store.open(path, target="sandbox")
    assert revision_in(path) == SCHEMA.head
    assert "note" not in columns_of_runs(path)


@pytest.mark.parametrize("create", [True, False])
def test_a_database_of_something_else_is_refused(path: Path, *, create: bool) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="no store of multicloud"):
        Store.open(path, target="sandbox", create=create)
    assert path.read_bytes() == before


def test_alembic_is_not_loaded_for_a_store_of_the_newest_revision(path: Path) -> None:
    fill(path)
    script = (
        "import sys; from multicloud.store.store import Store; "
        "Store.open(sys.argv[1], target='sandbox').close(); sys.exit('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(path)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
