"""What the clock alone will change, prices, truths and capacity staying as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from multicloud.decide.choice import resolve, target
from multicloud.decide.clockwork import HORIZON, MOST_EDGES
from multicloud.decide.conditions import matches_at
from multicloud.decide.reserve import instants
from multicloud.decide.situation import Running, sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from multicloud.decide.choice import Resolved
    from multicloud.decide.clockwork import Clockwork
    from multicloud.decide.situation import Situation
    from multicloud.models.placement import Placement


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """An instant at which another rule decides, and what the pool then has."""

    at: datetime
    found: Resolved
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """When the deciding rule ends, and the next change of what the pool has; None: not soon."""

    rule_until: datetime | None
    change: Turn | None


def turns(
    sit: Situation,
    *,
    clockwork: Clockwork,
    truths: Mapping[str, bool],
    rule: str | None,
    after: tuple[Placement, ...],
    until: datetime,
) -> Iterator[Turn]:
    """Every change of rule after `sit.now`, up to `until`, in order; `rule` decides before.

    What the pool has at one turn runs at the next, so that ties do not move it.
    """
    has, matches = after, sit.matches
    dated = instants(sit.pool, sit.now, until)
    for edge in clockwork.edges(sit.pool, sit.now, until):
        found_matches = matches_at(sit.pool, edge, clockwork=clockwork, truths=truths)
        if found_matches == matches and edge not in dated:
            continue
        matches = found_matches
        there = _at(sit, edge, has, matches)
        found = resolve(there)
        then = target(there, found)
        if found.rule != rule or (edge in dated and sizes(then) != sizes(has)):
            rule, has = found.rule, then
            yield Turn(edge, found, has)


def look_ahead(
    sit: Situation,
    *,
    clockwork: Clockwork,
    truths: Mapping[str, bool],
    rule: str | None,
    after: tuple[Placement, ...],
) -> Ahead:
    """The end of the present rule, and the first turn at which the pool's nodes change."""
    until = None
    coming = turns(
        sit,
        clockwork=clockwork,
        truths=truths,
        rule=rule,
        after=after,
        until=sit.now + HORIZON,
    )
    for turn in islice(coming, MOST_EDGES):
        until = until or turn.at
        if sizes(turn.placements) != sizes(after):
            return Ahead(until, turn)
    return Ahead(until, None)


def running_as(placements: tuple[Placement, ...]) -> tuple[Running, ...]:
    """Placements as if they ran, every node alive."""
    return tuple(Running(p, p.nodes) for p in placements if p.nodes)


def _at(
    sit: Situation, at: datetime, has: tuple[Placement, ...], matches: tuple[int, ...]
) -> Situation:
    return replace(sit, now=at, running=running_as(has), matches=matches, forecast=True)
