"""A rule's tiers, tried in order until the need is filled (POLICY meanings 3 and 9)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from multicloud.decide.amounts import total_gpus
from multicloud.decide.parts import ALL, NONE, Part, merge, shares_of, trimmed
from multicloud.decide.query import Query, tally
from multicloud.decide.rank import Candidate, best
from multicloud.decide.reserve import is_in_dates
from multicloud.models.decision import Reject, TierTrace
from multicloud.models.need import Spread

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from fractions import Fraction

    from multicloud.decide.situation import Situation
    from multicloud.models.need import Need
    from multicloud.models.offer import OfferKey
    from multicloud.models.placement import Placement, Slot
    from multicloud.models.pool import Tier

FOR_CAPACITY = frozenset({Reject.SET_ASIDE, Reject.EVICTED, Reject.QUOTA})


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """What is asked of a rule's tiers: a share of a need, and what to leave out.

    `used` are shares that running nodes already take from tiers.
    """

    name: str
    need: Need
    tiers: tuple[Tier, ...]
    share: Fraction = ALL
    kept: Mapping[OfferKey, tuple[str, ...]] | None = None
    without: frozenset[OfferKey] = frozenset()
    fresh_only: bool = False
    used: Mapping[int, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Filling:
    """What the tiers came to. `parts` say which tier gives which `placements`.

    `shares` is the part of the need that each tier gives, without surplus; `missing` the part
    that none gave. `fallbacks` are alternatives to the first new placement. `waits` are the
    tiers that could not give, with the instant since when; `wait_until` is set when one of them
    must be tried longer before the next.
    """

    parts: tuple[Part, ...]
    shares: tuple[Fraction, ...]
    missing: Fraction
    fallbacks: tuple[Placement, ...] = ()
    traces: tuple[TierTrace, ...] = ()
    waits: Mapping[str, datetime] = field(default_factory=dict)
    wait_until: datetime | None = None

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """All nodes, one placement for each place."""
        return merge(part.placement for part in self.parts)

    @property
    def tier(self) -> int:
        """The first tier that gives anything; 0 when none does."""
        return next((i for i, share in enumerate(self.shares) if share), 0)

    @property
    def rejections(self) -> Counter[Reject]:
        """Counts of all tiers that were looked at; an offer counts once in each."""
        return sum((Counter(trace.rejections) for trace in self.traces), Counter())

    @property
    def lacks_capacity(self) -> bool:
        """Whether stock, quotas or a wait kept the tiers from giving (more)."""
        return self.wait_until is not None or bool(FOR_CAPACITY & self.rejections.keys())


def wait_key(rule: str, position: int) -> str:
    """The name under which the wait of a rule's tier is remembered."""
    return f"{rule}#{position + 1}"


class Filler:
    """Fills one ask from its tiers; used once."""

    def __init__(self, sit: Situation, ask: Ask) -> None:
        self._sit = sit
        self._ask = ask
        self._left = ask.share
        self._taken: list[Part] = []
        self._tiers_taken = 0
        self._others: list[Placement] = []
        self._traces: list[TierTrace] = []
        self._waits: dict[str, datetime] = {}
        self._wait_until: datetime | None = None

    def fill(self) -> Filling:
        """Walk the tiers: give what can be given, note what was lost, gather fallbacks."""
        for position in range(len(self._ask.tiers)):
            if not self._try(position):
                break
        parts = tuple(self._taken)
        if self._tiers_taken > 1:
            # A large node of a lower tier may make up for smaller ones above it.
            parts = trimmed(parts, self._ask.share)
        return Filling(
            parts=parts,
            shares=shares_of(parts, len(self._ask.tiers), self._ask.share),
            missing=self._left,
            fallbacks=self._fallbacks(),
            traces=tuple(self._traces),
            waits=self._waits,
            wait_until=self._wait_until,
        )

    def _try(self, position: int) -> bool:
        """Try one tier; False when the tiers after it are not to be looked at."""
        if self._is_done():
            if not is_in_dates(self._ask.tiers[position].reservation, self._sit.now):
                return True
            if len(self._others) >= self._most:
                return False
            found = best(self._query(position, self._ask.share), self._most + 1)
            self._others.extend(p for one in found for p in one.placements[:1])
            return not self._is_waiting(position)
        if not is_in_dates(self._ask.tiers[position].reservation, self._sit.now):
            self._out_of_dates(position)
            return True
        query = self._query(position, self._left)
        found = best(query, self._most + 1)
        self._trace(position, query, found)
        if found:
            self._take(position, found)
            return not (self._is_done() and self._is_waiting(position))
        if not self._is_waiting(position):
            return True
        self._wait_until = self._wait_end(position)
        return False

    @property
    def _most(self) -> int:
        """Fallbacks to look for: with the first choice they make `max_attempts`."""
        return 0 if self._sit.forecast else self._sit.pool.retry.max_attempts - 1

    def _is_done(self) -> bool:
        """Whether no tier after this one may add to what was taken."""
        spread = self._ask.need.spread
        return bool(self._taken) and (not self._left or spread is not Spread.PLACES)

    def _query(self, position: int, share: Fraction) -> Query:
        ask = self._ask
        return Query(
            book=self._sit.book,
            ledgers=self._sit.ledgers,
            pool=self._sit.pool,
            need=ask.need,
            tier=_less_used(ask, position),
            share=share,
            kept=ask.kept,
            without=ask.without,
            fresh_only=ask.fresh_only,
        )

    def _take(self, position: int, found: tuple[Candidate, ...]) -> None:
        chosen = found[0]
        if not self._taken:
            self._others.extend(p for one in found[1:] for p in one.placements[:1])
        self._taken.extend(Part(p, position, chosen.per_node) for p in chosen.placements)
        self._tiers_taken += 1
        self._left = max(NONE, self._left - chosen.share)

    def _is_waiting(self, position: int) -> bool:
        """Whether the tier must be tried for longer before the next may be.

        A tier that has nothing starts its wait, or goes on with it.
        """
        end = self._wait_end(position)
        if end is None:
            return False
        if not self._is_done():
            key = wait_key(self._ask.name, position)
            self._waits[key] = self._sit.memory.tier_waits.get(key, self._sit.now)
        return self._sit.now < end

    def _wait_end(self, position: int) -> datetime | None:
        wait = self._ask.tiers[position].wait
        if wait is None or self._sit.forecast:
            return None
        key = wait_key(self._ask.name, position)
        return self._sit.memory.tier_waits.get(key, self._sit.now) + wait

    def _trace(self, position: int, query: Query, found: tuple[Candidate, ...]) -> None:
        fits, lost = tally(query)
        text = ""
        if found:
            first = found[0].placements[0]
            text = f"{first.slot.instance_type} {first.slot.capacity_type} {first.slot.region}"
        self._traces.append(
            TierTrace(
                rule=self._ask.name,
                index=position,
                of=len(self._ask.tiers),
                feasible=fits,
                rejections=lost,
                detail=text,
            )
        )

    def _out_of_dates(self, position: int) -> None:
        """A tier whose reservation has not begun, or has ended, has nothing to give."""
        tier = self._ask.tiers[position]
        book, only_in = self._sit.book, self._sit.pool.only_in
        rows = sum(len(book.of_tier(tier, wish, only_in).by_key) for wish in self._ask.need.wishes)
        self._traces.append(
            TierTrace(
                rule=self._ask.name,
                index=position,
                of=len(self._ask.tiers),
                feasible=0,
                rejections=Counter({Reject.OUT_OF_DATES: max(rows, 1)}),
                detail="",
            )
        )

    def _fallbacks(self) -> tuple[Placement, ...]:
        if self._ask.need.spread is Spread.ZONES:
            # One zone's share has no stand-in elsewhere: the pool is one region's as a whole.
            return ()
        taken = {part.placement.slot for part in self._taken}
        found: dict[Slot, Placement] = {}
        for placement in self._others:
            if placement.slot not in taken:
                found.setdefault(placement.slot, placement)
        return tuple(found.values())[: self._most]


def _less_used(ask: Ask, position: int) -> Tier:
    """The tier, giving only what running nodes do not take of its `max_gpus`."""
    tier, used = ask.tiers[position], ask.used.get(position, NONE)
    if tier.max_gpus is None or not used:
        return tier
    taken = used * max(total_gpus(wish, ALL) for wish in ask.need.wishes)
    return replace(tier, max_gpus=max(0, int(tier.max_gpus - taken)))


def fill(sit: Situation, ask: Ask) -> Filling:
    """What a rule's tiers have for the ask, best first, without regard to what runs."""
    return Filler(sit, ask).fill()
