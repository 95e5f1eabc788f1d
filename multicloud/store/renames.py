"""A pool's rows under its new name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select, update

from multicloud.store.tables import MEMORY, OVERRIDES, STACKS, USAGE

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

_OWNED = (STACKS, USAGE)
"""Any number of rows per pool; a stack's key stays, since states and clouds know it by that."""
_ONE_EACH = (MEMORY, OVERRIDES)
"""A row per pool: one that the new name has already stands."""


def is_known(connection: Connection, target: str, policy: str, pool: str) -> bool:
    """Whether anything but history is kept under a name."""
    return any(
        connection.execute(
            select(exists().where(*_named(table, target, policy, pool)))
        ).scalar_one()
        for table in (*_OWNED, *_ONE_EACH)
    )


def rename(connection: Connection, target: str, policy: str, old: str, new: str) -> None:
    """Give all that is `old`'s to `new`; what was decided and done stays under the old name."""
    for table in _ONE_EACH:
        has_one = select(table.c.pool).where(*_named(table, target, policy, new))
        if connection.execute(has_one).first():
            connection.execute(delete(table).where(*_named(table, target, policy, old)))
    for table in (*_OWNED, *_ONE_EACH):
        connection.execute(
            update(table).where(*_named(table, target, policy, old)).values(pool=new)
        )


def _named(table: Table, target: str, policy: str, pool: str) -> tuple:  # type: ignore[type-arg]
    return (table.c.target == target, table.c.policy == policy, table.c.pool == pool)
