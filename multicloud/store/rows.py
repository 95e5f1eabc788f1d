"""Writing one row, whatever was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, delete, insert, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Table
    from sqlalchemy.engine import Dialect

    Row = Mapping[str, object]


MANY = 200
"""More rows than this go to PostgreSQL by COPY."""


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
    if len(values) > MANY:
        return _copied(connection, table, values)
    # Returning something is what lets SQLAlchemy send many rows in one statement, and count them.
    (first, *_) = table.primary_key
    added = postgresql.insert(table).on_conflict_do_nothing().returning(first)
    return len(connection.execute(added, values).all())


def _copied(connection: Connection, table: Table, values: Sequence[Row]) -> int:
    """The same by PostgreSQL's COPY, into a table of the transaction's own: many times as fast."""
    import psycopg
    from psycopg.sql import SQL, Identifier

    driver: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]  # PostgreSQL has this one
    bind = _binder(table, tuple(values[0]), connection.dialect)
    names = {
        "table": Identifier(table.name),
        "incoming": Identifier(f"incoming_{table.name}"),
        "columns": SQL(", ").join(map(Identifier, values[0])),
    }
    make = SQL(
        "create temp table if not exists {incoming} on commit drop"
        " as select {columns} from {table} with no data"
    )
    keep = SQL(
        "insert into {table} ({columns}) select {columns} from {incoming} on conflict do nothing"
    )
    try:
        with driver.cursor() as cursor:
            cursor.execute(make.format(**names))
            with cursor.copy(SQL("copy {incoming} ({columns}) from stdin").format(**names)) as copy:
                for row in values:
                    copy.write_row(bind(row))
            added = cursor.execute(keep.format(**names)).rowcount
            cursor.execute(SQL("truncate {incoming}").format(**names))
    except psycopg.Error as error:
        raise DBAPIError(f"copy {table.name}", None, error) from error
    return max(added, 0)


def _binder(
    table: Table, names: tuple[str, ...], dialect: Dialect
) -> Callable[[Row], list[object]]:
    """What a row's values are in the database, by the types of its columns."""
    processors = [table.c[name].type.bind_processor(dialect) for name in names]

    def bind(row: Row) -> list[object]:
        bound = zip(processors, row.values(), strict=True)
        return [value if process is None else process(value) for process, value in bound]

    return bind


def remove(connection: Connection, table: Table, key: Row) -> bool:
    """Delete the rows with `key`; tells whether there was one."""
    return connection.execute(delete(table).where(matches(table, key))).rowcount > 0


def matches(table: Table, key: Row) -> ColumnElement[bool]:
    """The condition that every column of `key` has its value."""
    return and_(*(table.c[name] == value for name, value in key.items()))
