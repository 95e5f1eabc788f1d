"""PostgreSQL: engines with bounded waits, and the store made or upgraded under one lock."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from multicloud.store import schema
from multicloud.store.failures import StoreError
from multicloud.store.told import told

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from multicloud.store.location import PostgresDatabase

CONNECT_S = 5
STATEMENT_S = 30
"""Seconds that one statement may take before the server ends it."""
# Kept by the session that makes or upgrades tables; any number would do that is ours alone.
_UPGRADE_LOCK = 0x6D63_7570
_DRIVER = "postgresql+psycopg"


def connect(location: PostgresDatabase, *, read_only: bool = False, keep: bool = True) -> Engine:
    """An engine on the database; nothing is asked yet. Without `keep` connections are not pooled.

    Raises: StoreError when the driver is not installed.
    """
    try:
        import psycopg  # noqa: F401 - SQLAlchemy would say less clearly that it is missing
    except ImportError as error:
        raise StoreError(
            f"the store {location} needs psycopg, which is not installed ({error.name}).",
            hint="Run: pip install 'multicloud[postgres]'",
        ) from error
    parts = urlsplit(location.url)
    settings = {
        "statement_timeout": f"{STATEMENT_S}s",
        "default_transaction_read_only": "on" if read_only else "off",
        "timezone": "UTC",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return create_engine(
        parts._replace(scheme=_DRIVER).geturl(),
        connect_args={
            "connect_timeout": CONNECT_S,
            "application_name": "multicloud",
            "options": options,
        },
        pool_pre_ping=keep,
        **({} if keep else {"poolclass": NullPool}),
    )


def open_to_write(location: PostgresDatabase) -> Engine:
    """An engine on a store of the newest revision, made or upgraded in one transaction if need be.

    Two at once take turns. Raises: StoreError, GuardrailError.
    """
    engine = connect(location)
    try:
        with told(location):
            if _revision(engine, location) == schema.SCHEMA.head:
                return engine
            with engine.begin() as connection:
                connection.execute(text(f"select pg_advisory_xact_lock({_UPGRADE_LOCK})"))
                known = schema.revision_of(connection, str(location), schema.SCHEMA)
                if known != schema.SCHEMA.head:
                    schema.upgrade(connection, schema.SCHEMA)
    except BaseException:
        engine.dispose()
        raise
    return engine


def open_to_read(location: PostgresDatabase) -> Engine | None:
    """An engine that cannot write, None where there is no store yet.

    Raises: StoreError, also for an older store: only a run that writes upgrades it.
    """
    engine = connect(location, read_only=True)
    try:
        with told(location):
            revision = _revision(engine, location)
    except BaseException:
        engine.dispose()
        raise
    if revision == schema.SCHEMA.head:
        return engine
    engine.dispose()
    if revision is None:
        return None
    raise StoreError(
        f"the store {location} is of an older version (revision {revision}).",
        hint="A run that writes brings it up to date: multicloud rebalance",
    )


def _revision(engine: Engine, location: PostgresDatabase) -> str | None:
    with engine.connect() as connection:
        return schema.revision_of(connection, str(location), schema.SCHEMA)
