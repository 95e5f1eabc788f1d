"""SQLite files: made private, opened with the settings that the store relies on, copied."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy import URL, create_engine, event
from sqlalchemy.pool import StaticPool

from multicloud.store.failures import StoreError
from multicloud.store.location import FILE_MODE, FOLDER_MODE

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection, Engine
    from sqlalchemy.pool import ConnectionPoolEntry

BUSY_TIMEOUT_S = 10.0
"""Writes of several policies into one store take turns; each takes milliseconds."""


def make_file(path: Path) -> None:
    """Make an empty store file (0600) in its folder (made 0700), or take one that is there.

    A file that others may read is made private; a folder that is there is left as it is.

    Raises: StoreError when it cannot be made, or is a link.
    """
    try:
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
        try:
            if os.fstat(descriptor).st_mode & 0o077:
                os.fchmod(descriptor, FILE_MODE)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StoreError(
            f"cannot make the store {path}: {error.strerror}.",
            hint="Name another place with `store:` in the project file.",
        ) from error


def check_file(path: Path) -> None:
    """Raises: StoreError when there is something else than a plain file at `path`."""
    if path.is_symlink() or not path.is_file():
        kind = "a link" if path.is_symlink() else "not a file"
        raise StoreError(
            f"the store {path} is {kind}.",
            hint="Name the file itself with `store:` in the project file.",
        )


def connect(path: Path, *, read_only: bool = False, foreign_keys: bool = True) -> Engine:
    """An engine on the file at `path`; call `enable_wal` once when the store is made.

    Transactions of connections with the execution option `writes` take the write lock when
    they begin, so that none fails half-way for want of it; a commit is on the disk when it
    returns.
    """
    engine = create_engine(
        URL.create("sqlite", database=os.fspath(path)),
        connect_args={"timeout": BUSY_TIMEOUT_S},
    )
    settings = (
        f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}",
        "PRAGMA synchronous=FULL",
        f"PRAGMA query_only={'ON' if read_only else 'OFF'}",
    )
    _own_transactions(engine, settings)
    return engine


def connect_copy(path: Path) -> Engine:
    """An engine on a copy in memory of the file at `path`; the file is only read."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    _own_transactions(engine, ())
    raw = engine.raw_connection()
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as source:
            source.execute("PRAGMA query_only=ON")
            source.backup(_driver(raw.dbapi_connection))
    finally:
        raw.close()
    return engine


def back_up(path: Path, copy: Path) -> None:
    """Copy the store at `path` to `copy` (0600), whole or not at all; an older one goes."""
    half = copy.with_name(f"{copy.name}.part")
    half.unlink(missing_ok=True)
    os.close(os.open(half, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    with (
        closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as source,
        closing(sqlite3.connect(half)) as target,
    ):
        source.backup(target)
    half.replace(copy)


def enable_wal(path: Path) -> None:
    """Let readers go on while one writes; the file remembers it."""
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def _own_transactions(engine: Engine, settings: tuple[str, ...]) -> None:
    """Begin transactions ourselves: the driver would begin them late, at the first write."""

    @event.listens_for(engine, "connect")
    def prepare(connection: object, _entry: ConnectionPoolEntry) -> None:
        driver = _driver(connection)
        driver.isolation_level = None
        for setting in settings:
            driver.execute(setting)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _driver(connection: object) -> sqlite3.Connection:
    if not isinstance(connection, sqlite3.Connection):
        raise TypeError(f"not a connection of sqlite3: {connection!r}")
    return connection
