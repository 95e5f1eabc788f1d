"""Opening a store: to write, made or brought up to date first; to read, left untouched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.store import schema, sqlite
from multicloud.store.location import SqliteFile, has_store
from multicloud.store.lock import opening_lock
from multicloud.store.told import told

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

    from multicloud.store.location import Location

OPENING_WAIT_S = 10.0


def open_to_write(location: Location) -> Engine:
    """An engine on a store of the newest revision, which is made or upgraded if need be.

    Raises: StoreError, GuardrailError.
    """
    if isinstance(location, SqliteFile):
        return _open_file(location.path)
    from multicloud.store import postgres

    return postgres.open_to_write(location)


def open_to_read(location: Location) -> Engine | None:
    """An engine that cannot write, or None without a store.

    Raises: StoreError, GuardrailError.
    """
    if isinstance(location, SqliteFile):
        return _read_file(location.path)
    from multicloud.store import postgres

    return postgres.open_to_read(location)


def _open_file(path: Path) -> Engine:
    """An engine on a store of the newest revision, which is made or upgraded if need be.

    An older store is copied to `<path>.<revision>.bak` first. All or nothing: who is killed
    in between leaves the old store.

    Raises: StoreError, GuardrailError.
    """
    if has_store(path):
        sqlite.check_file(path)
        engine = sqlite.connect(path)
        if _revision(engine, path) == schema.SCHEMA.head:
            sqlite.make_file(path)
            return engine
        engine.dispose()
    with opening_lock(path, wait_s=OPENING_WAIT_S):
        sqlite.make_file(path)
        with told(SqliteFile(path)):
            sqlite.enable_wal(path)
            _migrate(path)
    return sqlite.connect(path)


def _read_file(path: Path) -> Engine | None:
    """An engine that cannot write, or None without a store.

    An older store is read through an upgraded copy in memory.

    Raises: StoreError, GuardrailError.
    """
    if not has_store(path):
        return None
    sqlite.check_file(path)
    engine = sqlite.connect(path, read_only=True)
    revision = _revision(engine, path)
    if revision == schema.SCHEMA.head:
        return engine
    engine.dispose()
    if revision is None:
        return None
    with told(SqliteFile(path)):
        copy = sqlite.connect_copy(path)
        with copy.begin() as connection:
            schema.upgrade(connection, schema.SCHEMA)
    return copy


def _revision(engine: Engine, path: Path) -> str | None:
    try:
        with told(SqliteFile(path)), engine.connect() as connection:
            return schema.revision_of(connection, str(path), schema.SCHEMA)
    except BaseException:
        engine.dispose()
        raise


def _migrate(path: Path) -> None:
    """Foreign keys are off meanwhile, since SQLite changes tables by making them anew."""
    engine = sqlite.connect(path, foreign_keys=False)
    try:
        with engine.execution_options(writes=True).begin() as connection:
            revision = schema.revision_of(connection, str(path), schema.SCHEMA)
            if revision == schema.SCHEMA.head:
                return
            if revision is not None:
                sqlite.back_up(path, path.with_name(f"{path.name}.{revision}.bak"))
            schema.upgrade(connection, schema.SCHEMA)
    finally:
        engine.dispose()
