"""What a run that acts holds: the policies' locks, the open store, the clock and the inventory."""

from __future__ import annotations

import getpass
import socket
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud import clock as real
from multicloud.models.memory import SetAside, SetAsideReason
from multicloud.models.project import Target
from multicloud.models.run import StepOutcome
from multicloud.run.inventories import Inventories
from multicloud.run.layout import Layout
from multicloud.run.outlived import await_engines
from multicloud.run.recall import recall_from
from multicloud.run.renames import write_renames
from multicloud.run.stored import store_place
from multicloud.run.ticking import RealClock, ScriptedClock
from multicloud.store.locks import policy_locks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from multicloud.models.project import Project
    from multicloud.run.inputs import Inputs
    from multicloud.run.recall import Recalled
    from multicloud.run.ticking import Ticking
    from multicloud.store.locks import Locks
    from multicloud.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """An open store with the policies' locks held, and what tells time and nodes."""

    store: Store
    locks: Locks
    inventories: Inventories
    clock: Ticking
    notes: tuple[str, ...]


@contextmanager
def open_desk(
    root: Path,
    project: Project,
    policies: Sequence[str],
    *,
    run: str,
    now: datetime,
) -> Iterator[Desk]:
    """Take the policies' locks and open the store; steps that a killed run left are taken over.

    Raises:
        GuardrailError: another run holds a lock, or left an engine that is still at work.
    """
    layout = Layout(root)
    layout.prepare()
    place = store_place(project, layout)
    is_sandbox = project.target is Target.SANDBOX
    clock = ScriptedClock(now) if is_sandbox else RealClock()
    inventories = Inventories(project, layout, now=clock.now)
    with policy_locks(place, policies, run=run, at=real.utcnow(), who=who()) as locks:
        from multicloud.store.store import Store

        with Store.open(place, target=project.target) as store:
            notes = end_open_steps(store, policies, clock)
            yield Desk(store=store, locks=locks, inventories=inventories, clock=clock, notes=notes)


def who() -> str:
    """User and host, as the next run's refusal names them."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"


def refreshed(inputs: Inputs, desk: Desk) -> Inputs:
    """The inputs with memory and actual state read anew, now that nobody else changes them."""
    write_renames(desk.store, inputs.policies)
    recalled = recall_from(desk.store, inputs.policies, desk.inventories, now=inputs.now)
    if _note_evictions(inputs, recalled, desk):
        recalled = recall_from(desk.store, inputs.policies, desk.inventories, now=inputs.now)
    return replace(inputs, recalled=recalled)


def _note_evictions(inputs: Inputs, recalled: Mapping[str, Recalled], desk: Desk) -> int:
    """Set aside, for `evicted_zone`, what a cloud took nodes back from; how many marks."""
    marks = 0
    for policy in inputs.policies:
        pools = {pool.name: pool for pool in policy.pools}
        observed = recalled[policy.name].observed
        owners = {stack.key.pool: stack.key.owner for stack in observed.stacks}
        for reading in observed.readings:
            for event in reading.interruptions:
                pool = pools.get(owners.get(event.pool, event.pool))
                if event.policy != policy.name or pool is None:
                    continue
                until = event.at + pool.retry.evicted_zone
                if not event.at <= inputs.now < until:
                    continue
                mark = SetAside(
                    cloud=event.cloud,
                    region=event.region,
                    zone=event.zone,
                    instance_type=event.instance_type,
                    capacity_type=event.capacity_type,
                    reason=SetAsideReason.EVICTED,
                    since=event.at,
                    until=until,
                )
                desk.store.add_set_aside(policy.name, mark)
                marks += 1
    return marks


def end_open_steps(store: Store, policies: Sequence[str], clock: Ticking) -> tuple[str, ...]:
    """Take over steps that a killed run left open; returns one sentence per run that left some.

    Raises:
        GuardrailError: an engine of such a run is still at work.
    """
    told: dict[str, None] = {}
    for policy in policies:
        await_engines(store.open_steps(policy))
        for step in store.open_steps(policy):
            store.end_step(step.id, StepOutcome.ABANDONED, clock.now(), note="taken over")
            told[f"run {step.run} did not end; what it left is looked at and taken over"] = None
    return tuple(told)
