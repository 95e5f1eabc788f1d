"""Taking pools down for good: every stack they have, whatever their policy says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.catalog.snapshot import Snapshot
from multicloud.errors import EngineError, GuardrailError
from multicloud.models.decision import Cause
from multicloud.models.memory import Override, OverrideKind, PoolMemory
from multicloud.models.run import Purpose
from multicloud.run.desk import open_desk, refreshed, who
from multicloud.run.execute import ExecuteRequest, RunReport, execute
from multicloud.run.inputs import Inputs
from multicloud.run.jobs import Renderer
from multicloud.run.layout import new_run_id
from multicloud.run.outcome import Ending
from multicloud.run.removal import Removal, removal_decision, removal_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from multicloud.models.decision import Decision
    from multicloud.models.pool import Policy
    from multicloud.run.desk import Desk
    from multicloud.run.records import Records


def destroy(records: Records, request: ExecuteRequest, environ: Mapping[str, str]) -> RunReport:
    """Take every recorded stack of the selected pools down, and keep cron from bringing them back.

    They get an `off` override until `release`, but for pools that left their policy's text and
    those that were blocked: of these nothing was changed.

    Raises:
        GuardrailError: another run holds a lock, or something forbids the whole run.
        EngineError: no engine could be started.
    """
    named = {stack.key.policy for stack in records.stacks}
    policies = tuple(p for p in records.policies if p.name in named or p.name in records.written)
    run = new_run_id(records.now)
    with open_desk(
        records.root,
        records.project,
        [policy.name for policy in policies],
        run=run,
        now=records.now,
    ) as desk:
        inputs = _inputs(records, policies, desk, environ)
        # Written before anything goes: a run that is killed halfway stays wanted.
        off = _switch_off(records, policies, desk)
        removals = tuple(_removals(inputs, records))
        try:
            report = execute(request, removal_run(run, removals, inputs), inputs, desk)
        except (GuardrailError, EngineError):
            _put_back(off, inputs, desk)
            raise
        blocked = {
            (outcome.decision.policy, outcome.decision.pool)
            for outcome in report.outcomes
            if outcome.ending is Ending.BLOCKED
        }
        _put_back(off & blocked, inputs, desk)
        return replace(report, notes=(*report.notes, *_told(off - blocked)))


def _inputs(
    records: Records, policies: tuple[Policy, ...], desk: Desk, environ: Mapping[str, str]
) -> Inputs:
    inputs = Inputs(
        root=records.root,
        project=records.project,
        policies=policies,
        snapshot=Snapshot(offers=(), source="none"),
        now=records.now,
        is_at_given=False,
        recalled={},
        environ=environ,
    )
    return refreshed(inputs, desk)


def _switch_off(
    records: Records, policies: tuple[Policy, ...], desk: Desk
) -> frozenset[tuple[str, str]]:
    """Write the overrides; returns policy and pool of each."""
    off = Override(kind=OverrideKind.OFF, since=records.now, until=None, by=who())
    written: set[tuple[str, str]] = set()
    for policy in policies:
        # A pool that left its policy's text needs no override; where no text is at hand the
        # pool may well stand in one.
        asked = {pool.name for pool in policy.pools}
        running = {s.key.owner for s in records.stacks if s.key.policy == policy.name}
        names = asked if policy.name in records.written else running
        for name in sorted(names & records.pools):
            desk.store.set_override(policy.name, name, off)
            written.add((policy.name, name))
    return frozenset(written)


def _put_back(pools: Iterable[tuple[str, str]], inputs: Inputs, desk: Desk) -> None:
    """Give pools the override back that they had before, or none."""
    for policy, pool in pools:
        known = inputs.recalled[policy].memory.pools.get(pool, PoolMemory())
        if known.override is None:
            desk.store.clear_override(policy, pool)
        else:
            desk.store.set_override(policy, pool, known.override)


def _told(pools: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    names = sorted({pool for _, pool in pools})
    if not names:
        return ()
    verb = "stays" if len(names) == 1 else "stay"
    return (f"{', '.join(names)} {verb} off until: multicloud release {' '.join(names)}",)


def _removals(inputs: Inputs, records: Records) -> Iterator[Removal]:
    """Each pool's stacks, those that stand empty included."""
    for policy in inputs.policies:
        recorded = inputs.recalled[policy.name].observed.stacks
        renderer = Renderer(policy, inputs.project, recorded)
        own = [stack for stack in recorded if stack.key.owner in records.pools]
        if own:
            names = sorted({stack.key.owner for stack in own})
            yield Removal(
                policy=policy,
                decisions=tuple(_decision(policy, name, inputs) for name in names),
                jobs=tuple(renderer.job(s.placement, s.key.owner, Purpose.REMOVE) for s in own),
            )


def _decision(policy: Policy, pool: str, inputs: Inputs) -> Decision:
    recalled = inputs.recalled[policy.name]
    before = recalled.observed.actual.of(pool).placements
    known = recalled.memory.pools.get(pool, PoolMemory())
    last = known.last and replace(
        known.last, at=inputs.now, cause=Cause.OVERRIDE, after=(), quotes={}
    )
    return removal_decision(
        (policy.name, pool),
        before,
        at=inputs.now,
        cause=Cause.OVERRIDE,
        reason="destroy was asked for.",
        memory=replace(known, last=last, changed_at=inputs.now),
    )
