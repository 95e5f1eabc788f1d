"""What to remember of a decision that is carried out, and of one that a guard blocked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.decide.situation import before_of, sizes
from multicloud.models.decision import Cause
from multicloud.models.memory import LastDecision

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.decide.book import TierIndex
    from multicloud.decide.choice import Resolved
    from multicloud.decide.conditions import Verdicts
    from multicloud.decide.settle import Settled
    from multicloud.decide.situation import Situation
    from multicloud.models.memory import Override, PoolMemory
    from multicloud.models.offer import OfferKey

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Everything that the memory of one pool is made of."""

    sit: Situation
    found: Resolved
    verdicts: Verdicts
    settled: Settled
    policy_hash: str
    override: Override | None

    @property
    def is_change(self) -> bool:
        """Whether nodes come or go."""
        has = sizes(before_of(self.sit.running))
        return self.settled.cause is not None and sizes(self.settled.after) != has


def remember(facts: Facts) -> PoolMemory:
    """The pool's memory once the decision is carried out."""
    sit, settled = facts.sit, facts.settled
    before = sit.memory
    moves = tuple(at for at in before.price_moves if at > sit.now - DAY)
    if facts.is_change and (settled.moved_for_price or settled.cause is Cause.PRICE):
        moves = (*moves, sit.now)
    return replace(
        _observed(facts),
        last=_last(facts),
        changed_at=sit.now if facts.is_change else before.changed_at,
        price_moves=moves,
        fell_back_at=_fell_back_at(facts),
    )


def remember_blocked(facts: Facts) -> PoolMemory:
    """The pool's memory when nothing was done: what was seen, and the last decision as it was."""
    last = facts.sit.memory.last
    kept = None if last is None else replace(last, held=True)
    return replace(_observed(facts), last=kept)


def _observed(facts: Facts) -> PoolMemory:
    """What a run sees, whatever it does."""
    sit = facts.sit
    before = sit.memory
    missing = any(r.missing and not r.is_evicted for r in sit.running)
    since, key = None, ""
    if facts.settled.signal is not None:
        key, since = facts.settled.signal
    return replace(
        before,
        truths=facts.verdicts.truths,
        signal_since=since,
        signal_key=key,
        tier_waits=_waits(facts.found),
        degraded_since=(before.degraded_since or sit.now) if missing else None,
        override=facts.override,
    )


def _waits(found: Resolved) -> Mapping[str, datetime]:
    waits: dict[str, datetime] = {}
    for one in (*found.passed, found):
        if one.best is not None:
            waits.update(one.best.waits)
    return waits


def _fell_back_at(facts: Facts) -> datetime | None:
    """When the pool last went to a lower tier; None as soon as it is in the first."""
    before = facts.sit.memory.fell_back_at
    filling = facts.settled.filling
    if not facts.settled.after:
        return None
    if filling is None:
        return before
    if filling.tier == 0:
        return None
    there = {r.placement.slot for r in facts.sit.running if r.alive}
    is_new = any(p.slot not in there for p in facts.settled.after)
    return facts.sit.now if facts.is_change and is_new else before


def _last(facts: Facts) -> LastDecision:
    """The decision on record.

    While a cheaper place is only watched, quotes and truths stay those under which what runs
    was the best choice: put back, they tell that the price is behind the change.
    """
    sit, settled = facts.sit, facts.settled
    before = sit.memory.last
    cause = settled.cause or (before.cause if before else Cause.CLOCK)
    if before is not None and not settled.is_settled:
        is_flip = settled.is_held and before.rule != facts.found.rule
        return replace(
            before,
            at=sit.now,
            cause=cause,
            after=settled.after,
            policy_hash=facts.policy_hash,
            held=settled.is_held,
            rule=before.rule if is_flip else facts.found.rule,
        )
    return LastDecision(
        at=sit.now,
        cause=cause,
        policy_hash=facts.policy_hash,
        after=settled.after,
        quotes=_quotes(facts) if settled.is_settled else {},
        truths=facts.verdicts.truths,
        held=settled.is_held,
        rule=facts.found.rule,
        waiting=_is_waiting(facts.found),
    )


def _is_waiting(found: Resolved) -> bool:
    """Whether stock, quotas or a wait keep the pool from nodes that it wants."""
    filling = found.stay.filling if found.stay else found.best
    return filling is not None and bool(filling.missing) and filling.lacks_capacity


def _quotes(facts: Facts) -> Mapping[OfferKey, Decimal | None]:
    """Prices of the candidates of every rule that was asked, without those set aside."""
    sit = facts.sit
    indexes = tuple(
        index for one in (*facts.found.passed, facts.found) for index in indexes_of(sit, one)
    )
    quotes = sit.book.quotes(indexes)
    if not sit.ledgers.barred:
        return quotes
    rows = {key: row for index in indexes for key, row in index.by_key.items()}
    barred = sit.ledgers.barred
    return {
        key: usd
        for key, usd in quotes.items()
        if barred.zones_left(key, rows[key].zones)[1] is None
    }


def indexes_of(sit: Situation, found: Resolved) -> tuple[TierIndex, ...]:
    """The rows of every tier and wish of a rule."""
    return tuple(
        sit.book.of_tier(tier, wish, sit.pool.only_in)
        for tier in found.tiers
        for wish in found.need.wishes
    )
