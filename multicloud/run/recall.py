"""What earlier runs left: memory and recorded stacks, held against the inventory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.models.memory import Actual, Memory
from multicloud.run.inventories import Inventories
from multicloud.run.layout import Layout
from multicloud.run.observe import Observed, observe, regions_of
from multicloud.run.renames import renamed_memory, renamed_stacks, renames_of
from multicloud.run.spending import spent_of
from multicloud.run.stored import open_to_read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from multicloud.models.inventory import Reading
    from multicloud.models.pool import Policy
    from multicloud.models.project import Project
    from multicloud.models.run import RecordedStack
    from multicloud.store.store import Store

NOTHING = Observed(actual=Actual(), stacks=(), readings=(), strangers=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One policy's memory and what it has."""

    memory: Memory
    observed: Observed


def recall(
    policies: Sequence[Policy],
    project: Project,
    root: Path,
    *,
    now: datetime,
) -> Mapping[str, Recalled]:
    """Read the store, if there is one, without changing it; by policy."""
    with open_to_read(project, root) as store:
        if store is not None:
            inventories = Inventories(project, Layout(root), now=lambda: now)
            return recall_from(store, policies, inventories, now=now)
    empty = Recalled(memory=Memory(), observed=NOTHING)
    return dict.fromkeys((policy.name for policy in policies), empty)


def recall_from(
    store: Store, policies: Sequence[Policy], inventories: Inventories, *, now: datetime
) -> Mapping[str, Recalled]:
    """The same from an open store; each region is read once for all policies."""
    renames = {policy.name: renames_of(policy) for policy in policies}
    by_name = {policy.name: policy for policy in policies}
    stacks = {
        name: renamed_stacks(store.stacks(name), changed) for name, changed in renames.items()
    }
    readings = inventories.read(
        place for recorded in stacks.values() for place in regions_of(recorded)
    )
    return {
        policy: Recalled(
            memory=replace(
                renamed_memory(store.load_memory(policy, now), renames[policy]),
                spent=spent_of(store, by_name[policy], now),
            ),
            observed=observe(
                policy,
                stacks[policy],
                _of(readings, stacks[policy]),
                tuple(sorted({str(step.stack) for step in store.open_steps(policy)})),
            ),
        )
        for policy in renames
    }


def _of(readings: Sequence[Reading], stacks: Sequence[RecordedStack]) -> list[Reading]:
    places = set(regions_of(stacks))
    return [reading for reading in readings if (reading.cloud, reading.region) in places]
