"""A policy's lock on PostgreSQL: a session's advisory lock, which ends with its session.

Nothing expires and nothing is stolen: when the holder dies or loses its connection the server
frees the lock. The table `lock_holders` only says who has it since when.
"""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, text
from sqlalchemy.exc import SQLAlchemyError

from multicloud.store import postgres
from multicloud.store.failures import StoreError
from multicloud.store.lock import Holder, busy
from multicloud.store.rows import put
from multicloud.store.tables import LOCK_HOLDERS
from multicloud.store.told import told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from sqlalchemy import Connection

    from multicloud.store.location import PostgresDatabase

_HELD = text(
    "select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 1"
    " and database = (select oid from pg_database where datname = current_database())"
    " and classid = :high and objid = :low"
)


def key_of(policy: str) -> int:
    """The 64-bit number, signed as PostgreSQL wants it, that stands for a policy."""
    digest = hashlib.sha256(f"multicloud:policy:{policy}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)


class AdvisoryLock:
    """Locks held on one connection of their own; `ensure` says whether they still are."""

    def __init__(self, location: PostgresDatabase, connection: Connection) -> None:
        self._location = location
        self._connection = connection
        self._one_at_a_time = threading.Lock()

    def ensure(self) -> None:
        """Raises: StoreError when the connection, and with it every lock, is lost."""
        try:
            with self._one_at_a_time, told(self._location):
                self._connection.execute(text("select 1"))
        except StoreError as error:
            raise StoreError(
                f"the connection to {self._location} was lost, and with it the policies' locks.",
                detail="The step in progress was finished; no other was begun.",
                hint="Run again when the database can be reached.",
            ) from error


@contextmanager
def advisory_locks(
    location: PostgresDatabase, policies: Iterable[str], *, run: str, at: datetime, who: str
) -> Iterator[AdvisoryLock]:
    """Hold the locks of all policies, taken in the order of their names, or of none.

    Raises: GuardrailError (exit 4) naming who has one; StoreError.
    """
    postgres.open_to_write(location).dispose()
    engine = postgres.connect(location, keep=False).execution_options(isolation_level="AUTOCOMMIT")
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        with told(location):
            connection = stack.enter_context(engine.connect())
            taken: list[str] = []
            stack.callback(_sign_off, connection, taken)
            for policy in sorted(set(policies)):
                _take(connection, policy, Holder(run=run, since=at, who=who, pid=os.getpid()))
                taken.append(policy)
        yield AdvisoryLock(location, connection)


def holders(location: PostgresDatabase, policies: Iterable[str]) -> dict[str, Holder]:
    """Who holds the locks of policies; what nobody holds is left out. Raises: StoreError."""
    engine = postgres.connect(location, read_only=True, keep=False)
    try:
        with told(location), engine.connect() as connection:
            found = {policy: _holder(connection, policy) for policy in policies}
    finally:
        engine.dispose()
    return {policy: said for policy, said in found.items() if said is not None}


def _take(connection: Connection, policy: str, said: Holder) -> None:
    query = text("select pg_try_advisory_lock(:key)")
    if not connection.execute(query, {"key": key_of(policy)}).scalar():
        raise busy(policy, _holder(connection, policy))
    values = {"run": said.run, "since": said.since, "who": said.who, "pid": said.pid}
    put(connection, LOCK_HOLDERS, {"policy": policy}, values)


def _holder(connection: Connection, policy: str) -> Holder | None:
    high, low = divmod(key_of(policy) % (1 << 64), 1 << 32)
    if connection.execute(_HELD, {"high": high, "low": low}).first() is None:
        return None
    row = connection.execute(select(LOCK_HOLDERS).where(LOCK_HOLDERS.c.policy == policy)).first()
    return None if row is None else Holder(run=row.run, since=row.since, who=row.who, pid=row.pid)


def _sign_off(connection: Connection, policies: list[str]) -> None:
    """Best effort: who holds a lock is the server's word, the table only adds to it."""
    with suppress(SQLAlchemyError):
        connection.execute(delete(LOCK_HOLDERS).where(LOCK_HOLDERS.c.policy.in_(policies)))
