"""Writing one row, whatever was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, and_, delete, insert, update
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection, Table

    Row = Mapping[str, object]


def put(connection: Connection, table: Table, key: Row, values: Row) -> None:
    """Change the row with `key`, or make it."""
    changed = connection.execute(update(table).where(matches(table, key)).values(**values))
    if changed.rowcount == 0:
        connection.execute(insert(table).values(**key, **values))


def add_missing(connection: Connection, table: Table, rows: Iterable[Row]) -> int:
    """Add the rows whose key is not there; how many were added. Safe for two at once."""
    values = list(rows)
    if not values:
        return 0
    if connection.dialect.name == "sqlite":
        statement = sqlite.insert(table).on_conflict_do_nothing()
        return max(connection.execute(statement, values).rowcount, 0)
    # Returning something is what lets SQLAlchemy send many rows in one statement, and count them.
    (first, *_) = table.primary_key
    added = postgresql.insert(table).on_conflict_do_nothing().returning(first)
    return len(connection.execute(added, values).all())


def remove(connection: Connection, table: Table, key: Row) -> bool:
    """Delete the rows with `key`; tells whether there was one."""
    return connection.execute(delete(table).where(matches(table, key))).rowcount > 0


def matches(table: Table, key: Row) -> ColumnElement[bool]:
    """The condition that every column of `key` has its value."""
    return and_(*(table.c[name] == value for name, value in key.items()))
