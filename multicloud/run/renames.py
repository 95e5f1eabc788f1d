"""Pools that have another name than when their stacks were made: whose is what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.decide.call import NEVER_SEEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from multicloud.models.memory import Memory
    from multicloud.models.pool import Policy
    from multicloud.models.run import RecordedStack, Usage
    from multicloud.store.store import Store


def renames_of(policy: Policy) -> Mapping[str, str]:
    """Present names of pools by what the policy says that they were."""
    return {pool.was: pool.name for pool in policy.pools if pool.was is not None}


def renamed_stacks(
    stacks: Iterable[RecordedStack], renames: Mapping[str, str]
) -> tuple[RecordedStack, ...]:
    """The stacks as their pools' own by their present names.

    Where the pool has a stack under its present name in the same place, the older one stays what
    it was: left over, to be taken down.
    """
    known = tuple(stacks)
    taken = {(stack.key.owner, stack.key.digest) for stack in known}
    return tuple(
        replace(stack, key=replace(stack.key, renamed=renames[stack.key.owner]))
        if stack.key.owner in renames and (renames[stack.key.owner], stack.key.digest) not in taken
        else stack
        for stack in known
    )


def usage_of(store: Store, policy: Policy, start: datetime, end: datetime) -> tuple[Usage, ...]:
    """What was paid for within `[start, end)` by present names, whether or not a run wrote them.

    What is paid for now where both names have nodes stays under the older one, as its stack does.
    Raises: StoreError.
    """
    rows, renames = store.usage(policy.name, start, end), renames_of(policy)
    taken = {(row.pool, row.placement.slot.digest) for row in rows if row.end is None}
    return tuple(
        replace(row, pool=renames[row.pool])
        if row.pool in renames
        and (row.end or (renames[row.pool], row.placement.slot.digest) not in taken)
        else row
        for row in rows
    )


def renamed_memory(memory: Memory, renames: Mapping[str, str]) -> Memory:
    """The memory by present names; what a pool has under its present name stands."""
    pools = dict(memory.pools)
    for old, new in renames.items():
        former = pools.pop(old, None)
        if former is not None:
            own = pools.get(new, NEVER_SEEN)
            override = own.override or former.override
            is_new = replace(own, override=None) == NEVER_SEEN
            pools[new] = replace(former if is_new else own, override=override)
    return replace(memory, pools=pools)


def write_renames(store: Store, policies: Sequence[Policy]) -> None:
    """Let the store know the present names, so that `was` may then leave the policy."""
    for policy in policies:
        for old, new in renames_of(policy).items():
            store.rename_pool(policy.name, old, new)
