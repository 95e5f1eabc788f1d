"""Rows of stacks: what runs made, and how they left it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from multicloud.models.change import StackKey
from multicloud.models.placement import Placement
from multicloud.models.run import RecordedStack, StackStatus
from multicloud.store.codec import decode, dumps, loads
from multicloud.store.failures import UnreadableError
from multicloud.store.rows import matches, put, remove
from multicloud.store.tables import STACKS

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row


def upsert(connection: Connection, stack: RecordedStack) -> None:
    """Put all that is known of a stack in place of what was."""
    key = stack.key
    values = {
        "target": key.target,
        "policy": key.policy,
        "pool": key.owner,
        "placement_json": dumps(stack.placement),
        "status": stack.status.value,
        "text_digest": stack.text_digest,
        "engine": stack.engine,
        "engine_version": stack.engine_version,
        "lock_digest": stack.lock_digest,
        "applied_at": stack.applied_at,
        "image": stack.image,
    }
    put(connection, STACKS, {"key": str(key)}, values)


def forget(connection: Connection, key: StackKey) -> bool:
    """Delete a stack's row; tells whether there was one."""
    return remove(connection, STACKS, {"key": str(key)})


def of_policy(connection: Connection, target: str, policy: str) -> tuple[RecordedStack, ...]:
    """A policy's stacks in the order of their keys."""
    found = matches(STACKS, {"target": target, "policy": policy})
    rows = connection.execute(select(STACKS).where(found).order_by(STACKS.c.key))
    return tuple(_stack(row) for row in rows)


def policies(connection: Connection, target: str) -> tuple[str, ...]:
    """Names of the policies that have stacks, sorted."""
    found = select(STACKS.c.policy).where(STACKS.c.target == target).distinct()
    return tuple(connection.execute(found.order_by(STACKS.c.policy)).scalars())


def parse_key(text: str) -> StackKey:
    """The key that `str` wrote: no part has a slash, no cloud and no digest a dash.

    Raises: UnreadableError.
    """
    try:
        target, policy, pool, place = text.split("/")
        cloud, rest = place.split("-", 1)
        region, digest = rest.rsplit("-", 1)
    except ValueError as error:
        raise UnreadableError(f"not the key of a stack: {text!r}") from error
    return StackKey(
        target=target, policy=policy, pool=pool, cloud=cloud, region=region, digest=digest
    )


def _owned(key: StackKey, pool: str) -> StackKey:
    return key if key.pool == pool else replace(key, renamed=pool)


def _stack(row: Row[tuple[object, ...]]) -> RecordedStack:
    return RecordedStack(
        key=_owned(parse_key(row.key), row.pool),
        placement=loads(Placement, row.placement_json),
        status=decode(StackStatus, row.status),
        text_digest=row.text_digest,
        engine=row.engine,
        engine_version=row.engine_version,
        lock_digest=row.lock_digest,
        applied_at=row.applied_at,
        image=row.image,
    )
