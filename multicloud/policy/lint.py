"""Warnings: what is allowed and yet seldom meant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from multicloud.catalog.shapes import shapes
from multicloud.errors import Where
from multicloud.models.condition import DailyWindow, PriceCondition
from multicloud.models.offer import CapacityType
from multicloud.models.pool import Fixed
from multicloud.policy.calendar import calendar_for
from multicloud.policy.conditions import plain
from multicloud.policy.lint_prices import cap_warnings
from multicloud.policy.lint_rules import rule_warnings, tier_warnings
from multicloud.policy.near import did_you_mean
from multicloud.policy.window import clock_changes, market_parts, time_parts
from multicloud.policy.zones import is_fixed, load_zone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.catalog.market import Market
    from multicloud.models.condition import Window
    from multicloud.models.pool import Policy, Pool, Rule

# From so many GPUs on, one GPU per node is seldom what somebody had in mind.
_MANY_GPUS = 8
# Decisions are shown for so long ahead: doubts about the calendar beyond are for later.
_AHEAD = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class LintWarning:
    """One warning. `code` is stable; `pool` is "" for the policy as a whole."""

    code: str
    message: str
    where: Where
    pool: str = ""


def lint(policy: Policy, *, now: datetime, market: Market | None = None) -> tuple[LintWarning, ...]:
    """Everything worth a warning, in file order, each once.

    Without a market nothing is said about prices. Pure.
    """
    found = {
        *(LintWarning(*pair, Where(file=policy.file)) for pair in _facts(policy, now)),
        *(warning for pool in policy.pools for warning in _pool(policy, pool, now, market)),
    }
    return tuple(sorted(found, key=lambda w: (w.where, w.pool, w.code, w.message)))


def _facts(policy: Policy, now: datetime) -> Iterator[tuple[str, str]]:
    if policy.timezone and is_fixed(policy.timezone):
        yield "fixed-zone", _fixed_zone(policy.timezone)
    for discount in policy.discounts:
        if discount.until is not None and discount.until < now.astimezone(UTC).date():
            places = ", ".join(place.text for place in discount.places)
            yield "expired", f"the discount in {places} ended on {discount.until}."
    for commitment in policy.commitments:
        if commitment.until is not None and commitment.until <= now:
            places = ", ".join(place.text for place in commitment.places)
            yield (
                "expired",
                (
                    f"the commitment ({commitment.kind}) in {places} ended on "
                    f"{commitment.until:%Y-%m-%d}."
                ),
            )
    for doubt in calendar_doubts(policy, now):
        yield "calendar", doubt


def calendar_doubts(policy: Policy, now: datetime) -> Iterator[str]:
    """What is not certain of the policy's calendar in the month after `now`."""
    if policy.calendar is None or not _uses_calendar(policy):
        return
    calendar = calendar_for(policy.calendar)
    for year in sorted({now.year, (now + _AHEAD).year}):
        doubt = calendar.doubt(year)
        if doubt:
            yield f"{doubt} Add days of your own under dates: if they matter."


def _unknown_types(pool: Pool) -> Iterator[str]:
    """Instance types, or globs of them, that no cloud of the catalogue has."""
    known = {shape.instance_type.casefold() for shape in shapes().values()}
    named = [wish.instance_type for rule in pool.rules for wish in rule.need.wishes]
    for rule in pool.rules:
        if not isinstance(rule.outcome, Fixed):
            named += [name for tier in rule.outcome for name in tier.instance_types]
    for name in dict.fromkeys(named):
        if name and not any(fnmatchcase(one, name.casefold()) for one in known):
            near = did_you_mean(name.casefold(), sorted(known))
            yield f'no cloud of the catalogue has the instance type "{name}". {near}'.strip()


def _uses_calendar(policy: Policy) -> bool:
    return any(
        isinstance(window, DailyWindow) and window.kinds
        for pool in policy.pools
        for rule in pool.rules
        for window in _windows(rule)
    )


def _windows(rule: Rule) -> Iterator[Window]:
    for part in time_parts(rule.when):
        yield from part.windows


def _pool(
    policy: Policy, pool: Pool, now: datetime, market: Market | None
) -> Iterator[LintWarning]:
    calendar = calendar_for(policy.calendar)
    for where, code, message in (
        *_of_rules(pool, now.year),
        *((pool.where, "unknown-type", text) for text in _unknown_types(pool)),
        *_of_need(pool),
        *_of_backstop(pool),
        *_of_reservations(pool, now),
        *rule_warnings(pool, now, calendar),
        *tier_warnings(pool),
        *(cap_warnings(pool, policy.fx, market) if market is not None else ()),
    ):
        yield LintWarning(code, message, where, pool.name)


def _of_rules(pool: Pool, year: int) -> Iterator[tuple[Where, str, str]]:
    for rule in pool.rules:
        for window in _windows(rule):
            if is_fixed(window.zone):
                yield rule.where, "fixed-zone", _fixed_zone(window.zone)
            if window.end == 23 * 60 + 59:
                yield (
                    rule.where,
                    "ends-23-59",
                    f'"{window.text}" leaves out the last minute of the day: write 24:00.',
                )
            if isinstance(window, DailyWindow):
                for gap in _gaps_around(window, year):
                    yield (
                        rule.where,
                        "in-clock-gap",
                        (
                            f'"{window.text}" has no minutes on {gap}: the clocks of {window.zone} '
                            "skip them."
                        ),
                    )
        for condition in market_parts(rule.when):
            if isinstance(condition, PriceCondition):
                yield from _zero_band(rule, condition)


def _zero_band(rule: Rule, condition: PriceCondition) -> Iterator[tuple[Where, str, str]]:
    if condition.until == condition.threshold.amount:
        yield (
            rule.where,
            "zero-price-band",
            (
                f'rule "{rule.name}" begins and ends at {plain(condition.until)}: the pool may '
                "flap. Set until: farther off."
            ),
        )


def _fixed_zone(zone: str) -> str:
    return f"{zone} is a bare offset and never has summer time: name a place if you mean one."


def _gaps_around(window: DailyWindow, year: int) -> Iterator[date]:
    """Dates this year and next on which the clocks skip the whole of a window."""
    if window.end <= window.start:
        return
    zone = load_zone(window.zone)
    for change in (*clock_changes(window.zone, year), *clock_changes(window.zone, year + 1)):
        before = (change - timedelta(seconds=1)).astimezone(zone).replace(tzinfo=None)
        before += timedelta(seconds=1)
        after = change.astimezone(zone).replace(tzinfo=None)
        midnight = before.replace(hour=0, minute=0, second=0)
        start = midnight + timedelta(minutes=window.start)
        end = midnight + timedelta(minutes=window.end)
        named = not window.weekdays or before.weekday() in window.weekdays
        if before <= start and end <= after and named:
            yield before.date()


def _of_need(pool: Pool) -> Iterator[tuple[Where, str, str]]:
    needs = {id(need): need for need in (pool.need, *(rule.need for rule in pool.rules))}
    for need in needs.values():
        for wish in need.wishes:
            if wish.gpu and wish.per_node is None and wish.gpus >= _MANY_GPUS:
                yield (
                    pool.where,
                    "per-node",
                    f'"{need.text}" may become {wish.gpus} one-GPU nodes: say per_node.',
                )
    shares = any(wish.vgpu for need in needs.values() for wish in need.wishes)
    if shares and pool.node.image is None:
        yield (
            pool.where,
            "vgpu-image",
            (
                "shares of a GPU need the vGPU (GRID) driver, which the images looked up "
                "do not have: say node.image."
            ),
        )
    if pool.checkpoint is None and _takes_spot(pool):
        yield (
            pool.where,
            "spot-no-checkpoint",
            "spot nodes can be taken away at any time, and the pool has no checkpoint.",
        )


def _of_reservations(pool: Pool, now: datetime) -> Iterator[tuple[Where, str, str]]:
    """Reservations that are over, or that end while their rule may still hold (CASES B107)."""
    for rule in pool.rules:
        tiers = () if isinstance(rule.outcome, Fixed) else rule.outcome
        for tier in tiers:
            kept = tier.reservation
            if kept is None or kept.until is None:
                continue
            if kept.until <= now:
                text = f"reservation {kept.id} ended on {kept.until:%Y-%m-%d %H:%M}Z."
                yield rule.where, "expired", text
            elif kept.until <= now + _AHEAD and len(tiers) == 1:
                text = (
                    f"reservation {kept.id} ends on {kept.until:%Y-%m-%d %H:%M}Z, and rule"
                    f' "{rule.name}" has nothing after it.'
                )
                yield rule.where, "reservation-ends", text


def _of_backstop(pool: Pool) -> Iterator[tuple[Where, str, str]]:
    if pool.backstop is not None and not pool.backstops:
        yield (
            pool.where,
            "idle-backstop",
            "backstop has no effect: the pool is never sure to be off so long after a window.",
        )


def _takes_spot(pool: Pool) -> bool:
    outcomes = [rule.outcome for rule in pool.rules]
    outcomes += [] if pool.otherwise is None else [pool.otherwise]
    return any(
        CapacityType.SPOT in tier.capacity
        for outcome in outcomes
        if not isinstance(outcome, Fixed)
        for tier in outcome
    )
