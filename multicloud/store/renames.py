"""A pool's rows under its new name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, or_, select, update

from multicloud.store.tables import MEMORY, OVERRIDES, STACKS, USAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """Give all that is `old`'s to `new`; what was decided and done stays under the old name.

    So does a stack, with what is paid for it now, where `new` has one of its own in that place.
    """
    for table in _ONE_EACH:
        has_one = select(table.c.pool).where(*_named(table, target, policy, new))
        if connection.execute(has_one).first():
            connection.execute(delete(table).where(*_named(table, target, policy, old)))
    for table in _ONE_EACH:
        connection.execute(
            update(table).where(*_named(table, target, policy, old)).values(pool=new)
        )
    stacks = _stacks(connection, target, policy, old)
    taken = stacks.keys() & _stacks(connection, target, policy, new).keys()
    given = [key for place, key in stacks.items() if place not in taken]
    connection.execute(update(STACKS).where(STACKS.c.key.in_(given)).values(pool=new))
    connection.execute(
        update(USAGE)
        .where(
            *_named(USAGE, target, policy, old),
            or_(USAGE.c.end_at.is_not(None), USAGE.c.place.not_in(taken)),
        )
        .values(pool=new)
    )


def _stacks(connection: Connection, target: str, policy: str, pool: str) -> Mapping[str, str]:
    """Keys of a pool's stacks by the digest of their place, in which a key ends."""
    keys = connection.execute(select(STACKS.c.key).where(*_named(STACKS, target, policy, pool)))
    return {key.rsplit("-", 1)[1]: key for key in keys.scalars()}


def _named(table: Table, target: str, policy: str, pool: str) -> tuple:  # type: ignore[type-arg]
    return (table.c.target == target, table.c.policy == policy, table.c.pool == pool)
