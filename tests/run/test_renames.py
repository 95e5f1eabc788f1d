"""Whose is what after a pool was renamed, before and after the store knows of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from multicloud.models.memory import Memory, Override, OverrideKind, PoolMemory
from multicloud.run.renames import renamed_memory, renamed_stacks
from tests.builders import NOON
from tests.cli.prepared import a_store, record_stack

if TYPE_CHECKING:
    from pathlib import Path

RENAMES = {"old": "new"}
HOLD = Override(kind=OverrideKind.HOLD, since=NOON, until=None, by="me")
OFF = replace(HOLD, kind=OverrideKind.OFF)
KNOWN = PoolMemory(truths={"price": True})
OTHER = PoolMemory(truths={"price": False})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (replace(KNOWN, override=HOLD), None),
        (replace(KNOWN, override=HOLD), replace(OTHER, override=OFF)),
        (replace(KNOWN, override=HOLD), OTHER),
        (KNOWN, PoolMemory(override=OFF)),
        (PoolMemory(override=HOLD), KNOWN),
        (None, KNOWN),
    ],
)
def test_the_store_keeps_what_was_read_by_both_names(
    tmp_path: Path, old: PoolMemory | None, new: PoolMemory | None
) -> None:
    """A plan sees the same before the store is told as the run that follows sees after it."""
    with a_store(tmp_path) as store:
        for name, memory in (("old", old), ("new", new)):
            if memory is not None:
                if replace(memory, override=None) != PoolMemory():
                    store.save_pool_memory("p", name, memory)
                if memory.override is not None:
                    store.set_override("p", name, memory.override)
        read = renamed_memory(store.load_memory("p", NOON), RENAMES)
        store.rename_pool("p", "old", "new")
        assert store.load_memory("p", NOON) == read
    assert set(read.pools) == {"new"}


def test_nothing_is_renamed_that_is_not_there() -> None:
    assert renamed_memory(Memory(pools={"a": KNOWN}), RENAMES).pools == {"a": KNOWN}


@pytest.mark.parametrize("has_own", [False, True])
def test_a_stack_goes_with_the_name_where_there_is_none_of_that_name(
    tmp_path: Path, *, has_own: bool
) -> None:
    old = record_stack(tmp_path, "old")
    if has_own:
        record_stack(tmp_path, "new")
    with a_store(tmp_path) as store:
        store.open_usage("p", "old", old.placement, nodes=2, usd_per_node_hour=None, at=NOON)
        read = renamed_stacks(store.stacks("p"), RENAMES)
        store.rename_pool("p", "old", "new")
        assert [stack.key.owner for stack in store.stacks("p")] == [s.key.owner for s in read]
        (paid,) = store.usage("p", NOON, NOON.replace(hour=13))
    owners = {stack.key.pool: stack.key.owner for stack in read}
    assert owners["old"] == ("old" if has_own else "new")
    assert paid.pool == owners["old"]
