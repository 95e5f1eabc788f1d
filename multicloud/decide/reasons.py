"""The sentences in which a decision tells people why."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from multicloud.catalog.fx import from_usd
from multicloud.decide.amounts import nodes_for, total_gpus
from multicloud.decide.bid import cap_note
from multicloud.decide.choice import OTHERWISE
from multicloud.decide.query import Query, lost_to
from multicloud.decide.remember import indexes_of
from multicloud.decide.text import counts, duration, money, plural, when
from multicloud.models.decision import Unmet
from multicloud.models.offer import CapacityType
from multicloud.models.placement import total_usd
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.decide.choice import Resolved
    from multicloud.decide.settle import Settled
    from multicloud.decide.situation import Situation
    from multicloud.decide.tiers import Filling
    from multicloud.decide.timeline import Ahead
    from multicloud.models.decision import TierTrace
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy

# More than this of one kind is counted, not named.
MOST_NAMED = 3
UNTRUSTED = (PriceState.STALE, PriceState.QUARANTINED, PriceState.ESTIMATE, PriceState.UNKNOWN)


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """One pool's decision, as data for sentences."""

    sit: Situation
    found: Resolved
    settled: Settled
    ahead: Ahead
    policy: Policy
    source: str
    seen: Mapping[str, int] = field(default_factory=dict)


def reasons(story: Story) -> tuple[str, ...]:
    """Whole sentences, in the order of thought: rule, tier, losses, timers."""
    return (
        *_passed(story),
        _rule(story),
        *_tier(story),
        *_size(story),
        *_losses(story),
        *story.settled.reasons,
    )


def _passed(story: Story) -> Iterator[str]:
    for one in story.found.passed:
        yield f"{one.rule} holds but has nothing, and lets the next rule go on."


def _rule(story: Story) -> str:
    """Which rule holds and until when; of `otherwise`, what comes next."""
    found, ahead = story.found, story.ahead
    expires = story.sit.pool.expires
    if expires is not None and expires <= story.sit.now:
        return f"The pool expired at {expires:%Y-%m-%d %H:%M}Z: off for good."
    outcome = f": {found.fixed}" if found.fixed else ""
    if found.rule is None or found.rule == OTHERWISE:
        tail = f"otherwise{outcome}" if found.fixed else "otherwise: a place"
        if ahead.change is not None and ahead.change.found.rule not in (None, OTHERWISE):
            begins = _at(story, ahead.change.at)
            return f"{ahead.change.found.rule} begins at {begins}; {tail}."
        return f"No rule holds; {tail}."
    rule = next(r for r in story.sit.pool.rules if r.name == found.rule)
    text = f" ({rule.when_text})" if rule.when_text else ""
    until = ahead.rule_until
    end = f" until {_at(story, until)}" if until is not None else ""
    if all(wish.is_empty for wish in found.need.wishes):
        outcome = ": a size of 0"
    return f"{found.rule}{text} holds{end}{outcome}."


def _at(story: Story, at: datetime) -> str:
    return when(at, story.sit.now, story.policy.timezone)


def _tier(story: Story) -> Iterator[str]:
    """Which tier gives the place and what is to be said of its cap and its silent regions."""
    settled, found = story.settled, story.found
    filling = settled.filling
    if filling is None or not settled.after or not found.tiers or filling.tier >= len(found.tiers):
        return
    tier = found.tiers[filling.tier]
    regions = ", ".join(dict.fromkeys(p.slot.region for p in settled.after))
    many = len({p.slot.region for p in settled.after}) > 1
    if tier.max_price is not None:
        verb = "fit" if many else "fits"
        parts = [f"{regions} {verb} under the cap of {tier.max_price.text}"]
    else:
        per = story.sit.pool.prefer_precision
        measure = f" per {per} TFLOPS" if per is not None else ""
        parts = [f"{regions} {'are' if many else 'is'} the cheapest{measure}"]
    parts.extend(_silent(story, filling.tier))
    many_tiers = len(found.tiers) > 1
    head = f"Tier {filling.tier + 1} of {len(found.tiers)}" if many_tiers else "Its place"
    yield f"{head}: {'; '.join(parts)}."
    if tier.max_price is not None:
        spot = (p for p in settled.after if p.slot.capacity_type is CapacityType.SPOT)
        for cloud in dict.fromkeys(p.slot.cloud for p in spot):
            if cap_note(cloud):
                yield f"On {cloud} the cap is {cap_note(cloud)}."


def _silent(story: Story, position: int) -> Iterator[str]:
    """Regions of the tier without any price, when they are few enough to be named."""
    found, sit = story.found, story.sit
    where = " in the bundled catalogue" if story.source == "bundled" else ""
    silent: dict[str, int] = {}
    for wish in found.need.wishes:
        index = sit.book.of_tier(found.tiers[position], wish, sit.pool.only_in)
        for region, count in index.silent_regions.items():
            silent[region] = silent.get(region, 0) + count
    if len(silent) <= MOST_NAMED:
        for region, count in silent.items():
            yield f"{region} has no price{where} ({plural(count, 'offer')})"
    else:
        yield f"{len(silent)} regions have no price{where}"


def _size(story: Story) -> Iterator[str]:
    """Of a size that is somebody else's: its bounds, and what is counted as its cost."""
    for placement in story.settled.after:
        if placement.least is not None:
            now = story.seen.get(placement.slot.digest)
            yield (
                f"Somebody else decides its size, {placement.floor}-{placement.nodes} nodes"
                f"{'' if now is None else f' (now {now})'}: costs and limits are those of "
                f"{placement.nodes}."
            )


def _losses(story: Story) -> Iterator[str]:
    for running in story.sit.running:
        if running.missing:
            wished = running.placement.nodes
            how = "evicted" if running.is_evicted else "missing"
            region = running.placement.slot.region
            yield (
                f"Degraded {running.alive}/{wished} in {region}: "
                f"{plural(running.missing, 'node')} {how}."
            )


def unmet(story: Story) -> Unmet | None:
    """GPUs that are wanted and not to be had, with a count per reason for each tier."""
    found = story.found
    if found.fixed is not None:
        return None
    filling = story.settled.filling or (found.stay.filling if found.stay else found.best)
    if filling is None or not filling.missing or _is_enough(story, filling):
        return None
    lines = [_tier_counts(found, trace) for trace in filling.traces]
    lines.extend(islice(_barred(story), MOST_NAMED))
    if filling.wait_until is not None:
        until = _at(story, filling.wait_until)
        lines.append(f"tier {len(filling.traces)} is tried until {until} before the next")
    gpus = _wanted_gpus(story) * filling.missing
    return Unmet(gpus=-int(-gpus // 1), reasons=tuple(lines) or ("the group cannot grow",))


def _is_enough(story: Story, filling: Filling) -> bool:
    least = story.found.need.min_gpus
    return least is not None and (1 - filling.missing) * _wanted_gpus(story) >= least


def _wanted_gpus(story: Story) -> Fraction:
    wish = story.found.need.wishes[0]
    if wish.instance_type is None:
        return Fraction(wish.gpus)
    for index in indexes_of(story.sit, story.found):
        for group in index.groups:
            return total_gpus(wish, group.gpus)
    return Fraction(wish.nodes)


def _tier_counts(found: Resolved, trace: TierTrace) -> str:
    """`tier 1 of 2: 37 offers: 20 over cap 2.50/gpu-h, 12 outside only_in, 5 no price`."""
    cap = found.tiers[trace.index].max_price
    total = trace.feasible + sum(trace.rejections.values())
    lost = counts(trace.rejections, cap.text if cap else "")
    head = f"tier {trace.index + 1} of {trace.of}: " if trace.of > 1 else ""
    return f"{head}{plural(total, 'offer')}{': ' if lost else ''}{lost}"


def _barred(story: Story) -> Iterator[str]:
    """What is set aside or short of quota among the rule's offers, in words."""
    sit, found = story.sit, story.found
    seen: set[str] = set()
    for tier in found.tiers:
        query = Query(book=sit.book, ledgers=sit.ledgers, pool=sit.pool, need=found.need, tier=tier)
        for wish in found.need.wishes:
            index = sit.book.of_tier(tier, wish, sit.pool.only_in)
            for group in index.groups:
                nodes = nodes_for(wish, group.gpus)
                for row in group.rows:
                    lost = lost_to(query, row, nodes)
                    if lost is not None and lost[1] not in seen:
                        seen.add(lost[1])
                        yield lost[1]


def next_change(story: Story) -> str:
    """`20:00 off`, `20:00 on, 4.82/h`; empty when the clock changes nothing."""
    change = story.ahead.change
    if change is None:
        return ""
    at = _at(story, change.at)
    after, before = change.placements, story.settled.after
    if not after:
        return f"{at} {'off' if change.found.fixed else 'unmet'}"
    cost = f"{money(shown(cost_of(after), story.policy))}/h"
    if not before:
        return f"{at} on, {cost}"
    if {p.slot for p in after} == {p.slot for p in before}:
        return f"{at} {plural(sum(p.nodes for p in after), 'node')}, {cost}"
    where = " + ".join(dict.fromkeys(f"{p.slot.cloud}/{p.slot.region}" for p in after))
    return f"{at} to {where}, {cost}"


def warnings(story: Story) -> tuple[str, ...]:
    """What people should know of prices: those too old to move what runs, and those in doubt."""
    return tuple(dict.fromkeys((*_old(story), *_doubted(story))))


def _old(story: Story) -> Iterator[str]:
    if not story.sit.running or story.found.fixed is not None:
        return
    trust, now = story.sit.pool.trust, story.sit.now
    for placement in story.settled.after:
        price, slot = placement.price, placement.slot
        if price.state not in UNTRUSTED:
            continue
        name = f"{slot.capacity_type} {slot.instance_type} {slot.cloud}/{slot.region}"
        if price.observed_at is None:
            yield f"{story.sit.pool.name}: the price of {name} is unknown: it moves nothing."
            continue
        is_spot = slot.capacity_type is CapacityType.SPOT
        limit = trust.max_age_spot if is_spot else trust.max_age_on_demand
        age = duration(now - price.observed_at)
        yield (
            f"{story.sit.pool.name}: the {price.state} price of {name} is {age} old "
            f"(max_price_age {duration(limit)}): it moves nothing."
        )


def _doubted(story: Story) -> Iterator[str]:
    rows = [pair for index in indexes_of(story.sit, story.found) for pair in index.doubted]
    for row, quote in rows[:MOST_NAMED]:
        price = row.priced.price
        name = f"{row.key.instance_type} {row.key.capacity_type} {row.key.region}"
        yield (
            f"{name}: {quote.amount} {quote.currency} is too far from the last good price, "
            f"{price.amount} {price.currency}: not believed until a later look agrees."
        )
    if len(rows) > MOST_NAMED:
        yield f"{len(rows) - MOST_NAMED} more prices are not believed until a later look agrees."


def shown(usd: Decimal | None, policy: Policy) -> Decimal | None:
    """An amount in the policy's currency, or in USD where it has no rate."""
    if usd is None:
        return None
    converted = from_usd(usd, policy.currency, policy.fx)
    return usd if converted is None else converted


def cost_of(placements: tuple[Placement, ...]) -> Decimal | None:
    """USD per hour of all; None when any is unknown, exactly 0 for none."""
    return total_usd(placement.usd_per_hour for placement in placements)
