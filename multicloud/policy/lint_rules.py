"""Rules and tiers that can never be reached, overlaps that only order decides, short gaps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS, matches_place
from multicloud.models.condition import Always, DailyWindow, Truth
from multicloud.models.pool import Fixed, IfNone
from multicloud.policy.evaluate import evaluate
from multicloud.policy.window import edges, market_parts, time_parts
from multicloud.policy.zones import load_zone

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from zoneinfo import ZoneInfo

    from multicloud.errors import Where
    from multicloud.models.offer import Cloud
    from multicloud.models.place import Place
    from multicloud.models.pool import Outcome, Pool, Rule, Tier
    from multicloud.policy.calendar import Calendar

Finding = tuple["Where", str, str]

# Plain weekly windows repeat after a fortnight; dates and holidays after a year.
_WEEKLY = timedelta(days=15)
_YEARLY = timedelta(days=400)
# A pool that is off for less than this has hardly drained before it boots again.
_SHORT_GAP = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """An instant and what each rule comes to from then on, prices left open."""

    start: datetime
    truths: tuple[Truth, ...]


def rule_warnings(pool: Pool, now: datetime, calendar: Calendar) -> Iterator[Finding]:
    """Unreachable rules, overlaps and short gaps, over the time ahead of `now`."""
    horizon = _YEARLY if any(_is_irregular(rule) for rule in pool.rules) else _WEEKLY
    stretches = _stretches(pool.rules, now, now + horizon, calendar)
    for index in range(len(pool.rules)):
        yield from _unreachable(pool.rules, index, stretches, now + horizon)
        yield from _overlaps(pool.rules, index, stretches)
    if pool.otherwise is not None:
        yield from _otherwise(pool, pool.otherwise, stretches)


def _is_irregular(rule: Rule) -> bool:
    return any(
        part.dates is not None
        or part.skip
        or any(isinstance(window, DailyWindow) and window.kinds for window in part.windows)
        for part in time_parts(rule.when)
    )


def _stretches(
    rules: Sequence[Rule], now: datetime, until: datetime, calendar: Calendar
) -> tuple[_Stretch, ...]:
    instants = {now}
    for rule in rules:
        instants.update(edges(rule.when, now, calendar=calendar, until=until))

    def truth(rule: Rule, at: datetime) -> Truth:
        found = evaluate(rule.when, at, calendar=calendar, measure=lambda _: None, remembered={})
        return found.truth

    return tuple(_Stretch(at, tuple(truth(rule, at) for rule in rules)) for at in sorted(instants))


def _unreachable(
    rules: Sequence[Rule], index: int, stretches: Sequence[_Stretch], until: datetime
) -> Iterator[Finding]:
    rule = rules[index]
    possible = [stretch for stretch in stretches if stretch.truths[index] is not Truth.NO]
    if not possible:
        if not _has_dates_after(rule, until):
            yield rule.where, "rule-never", f'rule "{rule.name}" ({rule.when_text}) never holds.'
        return
    blockers = [
        next(
            (
                earlier.name
                for earlier, truth in zip(rules[:index], stretch.truths, strict=False)
                if truth is Truth.YES and earlier.if_none is IfNone.WAIT
            ),
            None,
        )
        for stretch in possible
    ]
    if all(blockers):
        names = ", ".join(dict.fromkeys(f'"{name}"' for name in blockers))
        yield (
            rule.where,
            "rule-unreachable",
            f'rule "{rule.name}" is never reached: whenever it could hold, {names} holds first.',
        )


def _has_dates_after(rule: Rule, until: datetime) -> bool:
    return any(
        dates.last >= until.date() for part in time_parts(rule.when) for dates in part.dates or ()
    )


def _overlaps(
    rules: Sequence[Rule], index: int, stretches: Sequence[_Stretch]
) -> Iterator[Finding]:
    later = rules[index]
    if not _is_clock(later):
        return
    for other, earlier in enumerate(rules[:index]):
        if not _is_clock(earlier) or earlier.outcome == later.outcome:
            continue
        both = [s for s in stretches if s.truths[index] is s.truths[other] is Truth.YES]
        alone = [s for s in stretches if s.truths[index] is Truth.YES is not s.truths[other]]
        if both and alone:
            at = both[0].start.astimezone(_zone(later))
            yield (
                later.where,
                "rules-overlap",
                (
                    f'rules "{earlier.name}" and "{later.name}" both hold at '
                    f'{at:%a %Y-%m-%d %H:%M}; only their order lets "{earlier.name}" win.'
                ),
            )


def _is_clock(rule: Rule) -> bool:
    """Whether the clock alone decides the rule; a rule without `when` is a catch-all."""
    return not isinstance(rule.when, Always) and not any(market_parts(rule.when))


def _zone(rule: Rule) -> ZoneInfo:
    return load_zone(next((part.zone for part in time_parts(rule.when) if part.zone), "UTC"))


def _otherwise(pool: Pool, outcome: Outcome, stretches: Sequence[_Stretch]) -> Iterator[Finding]:
    if any(isinstance(r.when, Always) and r.if_none is IfNone.WAIT for r in pool.rules):
        yield (
            pool.where,
            "rule-unreachable",
            "otherwise is never reached: a rule without when always holds.",
        )
        return
    if outcome is not Fixed.OFF or not all(_is_clock(rule) for rule in pool.rules):
        return
    # The first stretch began before the look ahead did: its length is not known.
    for gap, after in pairwise(stretches[1:]):
        length = after.start - gap.start
        if Truth.YES not in gap.truths and length < _SHORT_GAP:
            local = gap.start.astimezone(_zone(pool.rules[0]))
            yield (
                pool.where,
                "short-gap",
                (
                    f"no rule holds for {length // timedelta(minutes=1)} minutes from "
                    f"{local:%a %H:%M}: the pool goes off and comes back."
                ),
            )
            return


def tier_warnings(pool: Pool) -> Iterator[Finding]:
    """Tiers without any place, and tiers that an earlier one of their list makes idle."""
    named = [(rule.where, f'rule "{rule.name}"', rule.outcome) for rule in pool.rules]
    if pool.otherwise is not None:
        named.append((pool.where, "otherwise", pool.otherwise))
    for where, name, outcome in named:
        if isinstance(outcome, Fixed):
            continue
        regions = [_regions(tier, pool.only_in) for tier in outcome]
        for index, tier in enumerate(outcome):
            which = f"tier {index + 1} of {name}"
            if not regions[index]:
                reason = (
                    "excludes all its own places" if not pool.only_in else "lies outside only_in"
                )
                yield where, "tier-unreachable", f"{which} can never be had: it {reason}."
            for earlier in range(index):
                if regions[index] <= regions[earlier] and _covers(outcome[earlier], tier):
                    yield (
                        where,
                        "tier-unreachable",
                        f"{which} is never reached: tier {earlier + 1} takes all that it could.",
                    )
                    break


def _regions(tier: Tier, only_in: tuple[Place, ...]) -> frozenset[tuple[Cloud, str]]:
    return frozenset(
        (cloud, region)
        for cloud, facts in CLOUDS.items()
        for region in facts.regions
        if any(matches_place(place, cloud, region, None) for place in tier.places)
        and not any(
            place.zone == "*" and matches_place(place, cloud, region, None) for place in tier.not_in
        )
        and (not only_in or any(matches_place(p, cloud, region, None) for p in only_in))
    )


def _covers(earlier: Tier, later: Tier) -> bool:
    """Whether the earlier tier takes every offer of the later one in the same region."""
    zonal = any(place.zone != "*" for place in (*earlier.places, *earlier.not_in))
    if zonal and (earlier.places, earlier.not_in) != (later.places, later.not_in):
        return False
    if not set(later.capacity) <= set(earlier.capacity):
        return False
    if earlier.instance_types and not (
        later.instance_types and set(later.instance_types) <= set(earlier.instance_types)
    ):
        return False
    if earlier.min_discount is not None or earlier.max_gpus is not None:
        return False
    if earlier.max_price is None:
        return True
    one, other = earlier.max_price, later.max_price
    return (
        other is not None
        and (one.currency, one.per_gpu) == (other.currency, other.per_gpu)
        and one.amount >= other.amount
    )
