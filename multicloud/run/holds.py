"""Overrides: what a person wants against the rules, for a while."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.decide.decide import decide
from multicloud.models.memory import Override, OverrideKind
from multicloud.run.desk import who
from multicloud.run.inputs import load_snapshot
from multicloud.run.inventories import Inventories
from multicloud.run.layout import Layout
from multicloud.run.recall import recall_from
from multicloud.run.renames import write_renames
from multicloud.run.stored import store_place
from multicloud.store.location import has_store
from multicloud.store.locks import policy_locks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta

    from multicloud.models.decision import Decision
    from multicloud.run.records import Records
    from multicloud.store.store import Store

Named = tuple[str, str]  # policy and pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A pool and its override from now on; None when it was released.

    `next` is what a run would now decide; None for a pool whose policy's text is not at hand.
    """

    policy: str
    pool: str
    override: Override | None
    next: Decision | None


def hold(records: Records, kind: OverrideKind, span: timedelta) -> tuple[Held, ...]:
    """Override the selected pools for `span`; the next run acts on it.

    Raises:
        GuardrailError: a run holds a policy's lock.
    """
    now = records.now
    override = Override(kind=kind, since=now, until=now + span, by=who())
    with _locked_store(records, run="hold") as store:
        selected = _selected(records)
        for policy, pool in selected:
            store.set_override(policy, pool, override)
        return _held(records, store, selected, override)


def release(records: Records) -> tuple[Held, ...]:
    """Take the selected pools' overrides back; those that had none are left out.

    Raises:
        GuardrailError: a run holds a policy's lock.
    """
    if not has_store(store_place(records.project, Layout(records.root))):
        return ()
    with _locked_store(records, run="release") as store:
        freed = [(p, pool) for p, pool in _selected(records) if store.clear_override(p, pool)]
        return _held(records, store, freed, None)


@contextmanager
def _locked_store(records: Records, *, run: str) -> Iterator[Store]:
    """The store under the policies' locks; steps that a killed run left are not touched."""
    layout = Layout(records.root)
    layout.prepare()
    place = store_place(records.project, layout)
    names = {policy for policy, _ in _selected(records)}
    with policy_locks(place, names, run=run, at=clock.utcnow(), who=who()):
        from multicloud.store.store import Store

        with Store.open(place, target=records.project.target) as store:
            write_renames(store, [p for p in records.policies if p.name in names])
            yield store


def _selected(records: Records) -> tuple[Named, ...]:
    written = {
        (policy.name, pool.name)
        for policy in records.policies
        for pool in policy.pools
        if pool.name in records.pools
    }
    running = {(stack.key.policy, stack.key.owner) for stack in records.stacks}
    return tuple(sorted(written | running))


def _held(
    records: Records, store: Store, pools: Sequence[Named], override: Override | None
) -> tuple[Held, ...]:
    after = _decided(records, store, {policy for policy, _ in pools})
    return tuple(
        Held(policy=policy, pool=pool, override=override, next=after.get((policy, pool)))
        for policy, pool in pools
    )


def _decided(records: Records, store: Store, names: set[str]) -> dict[Named, Decision]:
    """What a run would do with the policies' pools as things stand."""
    policies = [p for p in records.policies if p.name in names & records.written]
    if not policies:
        return {}
    now = records.now
    snapshot, _ = load_snapshot(None, records.project, root=records.root, now=now)
    inventories = Inventories(records.project, Layout(records.root), now=lambda: now)
    recalled = recall_from(store, policies, inventories, now=now)
    return {
        (policy.name, decision.pool): decision
        for policy in policies
        for decision in decide(
            policy,
            now,
            snapshot,
            recalled[policy.name].observed.actual,
            recalled[policy.name].memory,
        )
    }
