"""Overrides: what a person wants against the rules, for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.models.memory import Override, OverrideKind
from multicloud.run.desk import open_desk, who

if TYPE_CHECKING:
    from datetime import timedelta

    from multicloud.run.records import Records


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A pool and its override from now on; None when it was released."""

    policy: str
    pool: str
    override: Override | None


def hold(records: Records, kind: OverrideKind, span: timedelta) -> tuple[Held, ...]:
    """Override the selected pools for `span`; the next run acts on it.

    Raises:
        GuardrailError: a run holds a policy's lock.
    """
    now = records.now
    override = Override(kind=kind, since=now, until=now + span, by=who())
    return _write(records, override)


def release(records: Records) -> tuple[Held, ...]:
    """Take the selected pools' overrides back; those that had none are left out.

    Raises:
        GuardrailError: a run holds a policy's lock.
    """
    return _write(records, None)


def _write(records: Records, override: Override | None) -> tuple[Held, ...]:
    selected = _selected(records)
    names = sorted({policy for policy, _ in selected})
    kind = "hold" if override else "release"
    with open_desk(records.root, records.project, names, run=kind, now=records.now) as desk:
        held = []
        for policy, pool in selected:
            if override is not None:
                desk.store.set_override(policy, pool, override)
            elif not desk.store.clear_override(policy, pool):
                continue
            held.append(Held(policy=policy, pool=pool, override=override))
        return tuple(held)


def _selected(records: Records) -> tuple[tuple[str, str], ...]:
    written = {
        (policy.name, pool.name)
        for policy in records.policies
        for pool in policy.pools
        if pool.name in records.pools
    }
    running = {(stack.key.policy, stack.key.pool) for stack in records.stacks}
    return tuple(sorted(written | running))
