"""What the clock will do, stretch by stretch, and what that adds up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.decide.call import Call
from multicloud.decide.choice import resolve, target
from multicloud.decide.conditions import matches_at
from multicloud.decide.decide import PoolDecider, decide_all
from multicloud.decide.reasons import Story, cost_of, unmet
from multicloud.decide.settle import Settled
from multicloud.decide.timeline import Ahead, running_as, turns
from multicloud.models.decision import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime, timedelta

    from multicloud.catalog.snapshot import Snapshot
    from multicloud.decide.choice import Resolved
    from multicloud.decide.situation import Situation
    from multicloud.models.decision import Decision, Unmet
    from multicloud.models.memory import Actual, Memory
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy

NOTHING_AHEAD = Ahead(None, None)
HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Hours in which a pool has nodes, and their cost in USD (None: a price is unknown)."""

    hours: Decimal
    usd: Decimal | None


def schedule(
    policy: Policy,
    start: datetime,
    end: datetime,
    snapshot: Snapshot,
    actual: Actual,
    memory: Memory,
) -> tuple[Stretch, ...]:
    """Every pool's stretches in `[start, end)`, pools in file order; pure, like `decide`.

    Prices, condition truths and capacity stay as they are at `start`, and timers do not run: a
    tier's wait counts as over after the first turn. An override ends when it ends.
    """
    call = Call(policy, start, snapshot, actual, memory)
    deciders, decisions = decide_all(call)
    return tuple(
        stretch
        for decider, decision in zip(deciders, decisions, strict=False)
        for stretch in _stretches(decider, decision, end)
    )


def totals(stretches: Iterable[Stretch]) -> Mapping[str, Total]:
    """Hours and cost by pool, in order of first appearance."""
    found: dict[str, Total] = {}
    for stretch in stretches:
        known = found.get(stretch.pool, Total(hours=Decimal(0), usd=Decimal(0)))
        hours = hours_of(stretch.end - stretch.start)
        cost = None if stretch.usd_per_hour is None else stretch.usd_per_hour * hours
        found[stretch.pool] = Total(
            hours=known.hours + (hours if stretch.placements else 0),
            usd=None if known.usd is None or cost is None else known.usd + cost,
        )
    return found


def hours_of(span: timedelta) -> Decimal:
    """A duration in hours, exact to the second."""
    return Decimal(int(span.total_seconds())) / HOUR


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """From an instant on, a rule and what the pool then has."""

    at: datetime
    sit: Situation
    found: Resolved
    placements: tuple[Placement, ...]


def _stretches(decider: PoolDecider, decision: Decision, end: datetime) -> Iterator[Stretch]:
    steps = list(_steps(decider, decision, end))
    ends = [step.at for step in steps[1:]]
    for step, until in zip(steps, [*ends, end], strict=True):
        yield Stretch(
            pool=decision.pool,
            start=step.at,
            end=until,
            rule=step.found.rule,
            placements=step.placements,
            usd_per_hour=cost_of(step.placements),
            unmet=decision.unmet if step is steps[0] else _unmet(decider, step),
        )


def _steps(decider: PoolDecider, decision: Decision, end: datetime) -> Iterator[_Step]:
    sit, found, has = decider.sit, decider.found, decision.after
    clockwork, truths = decider.call.clockwork, decider.verdicts.truths
    yield _Step(sit.now, sit, found, has)
    override = decider.override
    if override is not None:
        if override.until is None or override.until >= end:
            return
        matches = matches_at(sit.pool, override.until, clockwork=clockwork, truths=truths)
        sit = replace(
            sit,
            now=override.until,
            matches=matches,
            running=running_as(has),
            memory=replace(sit.memory, override=None),
            forecast=True,
        )
        found = resolve(sit)
        has = target(sit, found)
        yield _Step(sit.now, sit, found, has)
    else:
        waited = _after_wait(decider, has, end)
        if waited is not None:
            sit, found, has = waited
            yield _Step(sit.now, sit, found, has)
    coming = turns(sit, clockwork=clockwork, truths=truths, rule=found.rule, after=has, until=end)
    for turn in coming:
        if turn.at < end:
            yield _Step(turn.at, sit, turn.found, turn.placements)


def _after_wait(
    decider: PoolDecider, has: tuple[Placement, ...], end: datetime
) -> tuple[Situation, Resolved, tuple[Placement, ...]] | None:
    """What follows when a tier's wait is over, unless the clock turns before."""
    sit, best = decider.sit, decider.found.best
    until = best.wait_until if best is not None else None
    if until is None or not sit.now < until < end:
        return None
    coming = turns(
        sit,
        clockwork=decider.call.clockwork,
        truths=decider.verdicts.truths,
        rule=decider.found.rule,
        after=has,
        until=until,
    )
    if next(iter(coming), None) is not None:
        return None
    later = replace(sit, now=until, running=running_as(has), forecast=True)
    found = resolve(later)
    return later, found, target(later, found)


def _unmet(decider: PoolDecider, step: _Step) -> Unmet | None:
    settled = Settled(after=step.placements, wanted=step.placements, cause=None)
    call = decider.call
    story = Story(step.sit, step.found, settled, NOTHING_AHEAD, call.policy, call.snapshot.source)
    return unmet(story)
