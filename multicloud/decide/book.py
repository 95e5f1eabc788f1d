"""Rows of tiers, sorted once and shared by every pool that asks for the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from multicloud.decide.feasible import Criteria, Judge, Row, criteria_of
from multicloud.decide.reserve import as_remembered, as_reserved
from multicloud.models.decision import Reject
from multicloud.models.offer import CapacityType
from multicloud.models.placement import UNPRICED
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal
    from fractions import Fraction

    from multicloud.catalog.market import Market, Priced
    from multicloud.models.need import Wish
    from multicloud.models.offer import OfferKey
    from multicloud.models.place import Place
    from multicloud.models.placement import NodePrice, ReservationKind
    from multicloud.models.pool import Tier
    from multicloud.models.quote import Quote


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Rows whose nodes are alike in GPUs, cheapest first, then as the tier lists them.

    `prices` are the rows' USD per node-hour. `dear` and `dear_prices` are rows that miss the
    tier's `min_discount`. `fresh_usd` is the lowest price that is fresh.
    """

    gpu: str
    gpus: Fraction
    rows: tuple[Row, ...]
    prices: tuple[Decimal, ...]
    dear: tuple[Row, ...]
    dear_prices: tuple[Decimal, ...]
    fresh_usd: Decimal | None


@dataclass(frozen=True, eq=False)
class TierIndex:
    """Everything a tier's places and types have to say about a wish, whatever its amount.

    `rejected` counts offers lost for good; `unpriced` are rows that lack only a price.
    """

    criteria: Criteria
    groups: tuple[Group, ...]
    rejected: Mapping[Reject, int]
    unpriced: tuple[Row, ...]
    size: int

    @cached_property
    def by_key(self) -> Mapping[OfferKey, Row]:
        """Every row, priced or not, by its offer."""
        found = {row.key: row for row in self.unpriced}
        for group in self.groups:
            for row in (*group.dear, *group.rows):
                found[row.key] = row
        return found

    @cached_property
    def quotes(self) -> Mapping[OfferKey, Decimal | None]:
        """USD per node-hour of every row: what a decision remembers."""
        return {key: row.priced.price.usd for key, row in self.by_key.items()}

    @cached_property
    def silent_regions(self) -> Mapping[str, int]:
        """Regions in which the tier has offers but none with a price, and how many it has."""
        priced = {row.key.region for group in self.groups for row in (*group.rows, *group.dear)}
        found = Counter(row.key.region for row in self.unpriced)
        return {region: found[region] for region in sorted(found) if region not in priced}

    @cached_property
    def doubted(self) -> tuple[tuple[Row, Quote], ...]:
        """Rows with their newest quote where that is in quarantine, in order of key."""
        rows = (
            (row, row.priced.doubted) for _, row in sorted(self.by_key.items(), key=itemgetter(0))
        )
        return tuple((row, quote) for row, quote in rows if quote is not None)

    @cached_property
    def oldest_fresh(self) -> Mapping[CapacityType, datetime]:
        """When the oldest quote that is still fresh was observed, by capacity type."""
        found: dict[CapacityType, datetime] = {}
        for key, row in self.by_key.items():
            price = row.priced.price
            if price.state is PriceState.FRESH and price.observed_at is not None:
                known = found.get(key.capacity_type, price.observed_at)
                found[key.capacity_type] = min(known, price.observed_at)
        return found


class Book:
    """One market's rows by tier, for one call of deciding.

    With `past` the given prices (USD per node-hour, None unknown) stand in for the market's;
    `closed` makes every offer that is not in it unknown.
    """

    def __init__(
        self,
        market: Market,
        past: Mapping[OfferKey, Decimal | None] | None = None,
        *,
        closed: bool = False,
    ) -> None:
        self.market = market
        self._past = past
        self._closed = closed
        self._indexes: dict[Criteria, TierIndex] = {}
        # By identity, since hashing a tier's places for each question costs more than ranking;
        # the tier and the wish are kept, so that no other object can take their place.
        self._by_tier: dict[tuple[int, int, int], tuple[TierIndex, object]] = {}
        self._quotes: dict[tuple[int, ...], Mapping[OfferKey, Decimal | None]] = {}

    def of_tier(self, tier: Tier, wish: Wish, only_in: tuple[Place, ...]) -> TierIndex:
        """The rows of a policy's tier for one of its need's wishes."""
        key = (id(tier), id(wish), id(only_in))
        found = self._by_tier.get(key)
        if found is None:
            index = self.index(criteria_of(tier, wish, only_in))
            found = self._by_tier[key] = (index, (tier, wish, only_in))
        return found[0]

    def index(self, criteria: Criteria) -> TierIndex:
        """The rows of a tier; built at the first call."""
        found = self._indexes.get(criteria)
        if found is None:
            found = self._indexes[criteria] = self._build(criteria)
        return found

    def quotes(self, indexes: tuple[TierIndex, ...]) -> Mapping[OfferKey, Decimal | None]:
        """USD per node-hour of all rows of some tiers; one shared mapping for equal questions."""
        key = tuple(dict.fromkeys(id(index) for index in indexes))
        found = self._quotes.get(key)
        if found is None:
            found = {}
            for index in indexes:
                found.update(index.quotes)
            self._quotes[key] = found
        return found

    def price(self, key: OfferKey, kind: ReservationKind | None = None) -> NodePrice | None:
        """What a node costs; None for an offer that nobody knows. `kind` is its reservation's."""
        if key.capacity_type is CapacityType.RESERVED:
            return self._reserved_price(key, kind)
        priced = self.market.get(key)
        return None if priced is None else self._priced(priced).price

    def _reserved_price(self, key: OfferKey, kind: ReservationKind | None) -> NodePrice | None:
        """Prepaid, or as the list of on-demand nodes says."""
        priced = self.market.get(key._replace(capacity_type=CapacityType.ON_DEMAND))
        found = None if priced is None else as_reserved(priced, kind)
        if found is None:
            return None
        return (found if self._past is None else as_remembered(found, self._past)).price

    def candidates(self, criteria: Criteria) -> tuple[Priced, ...]:
        """Every offer that the criteria's wish may mean, with its price, in order of key."""
        found = self.market.candidates(criteria.wish)
        if criteria.reservation is not None:
            reserved = (as_reserved(one, criteria.reservation) for one in found)
            kept = tuple(one for one in reserved if one is not None)
            past = self._past
            return kept if past is None else tuple(as_remembered(one, past) for one in kept)
        return found if self._past is None else tuple(self._priced(one) for one in found)

    def _priced(self, priced: Priced) -> Priced:
        past = self._past
        if past is None:
            return priced
        if priced.key not in past:
            return replace(priced, price=UNPRICED) if self._closed else priced
        usd = past[priced.key]
        state = PriceState.UNKNOWN if usd is None else PriceState.FRESH
        return replace(priced, price=replace(priced.price, usd=usd, state=state), no_rate=False)

    def _build(self, criteria: Criteria) -> TierIndex:
        judge = Judge(criteria, self)
        rejected: Counter[Reject] = Counter()
        unpriced: list[Row] = []
        found: dict[tuple[str, Fraction], list[Row]] = {}
        candidates = self.candidates(criteria)
        for priced in candidates:
            row = judge.place(priced)
            if isinstance(row, Reject):
                rejected[row] += 1
            elif priced.price.usd is None:
                rejected[Reject.NO_RATE if priced.no_rate else Reject.NO_PRICE] += 1
                unpriced.append(row)
            else:
                shape = priced.offer.shape
                found.setdefault((shape.gpu, shape.gpus), []).append(row)
        groups = tuple(_group(*key, found[key]) for key in sorted(found))
        return TierIndex(criteria, groups, rejected, tuple(unpriced), len(candidates))


def _group(gpu: str, gpus: Fraction, rows: list[Row]) -> Group:
    rows.sort(key=_order)
    good = tuple(row for row in rows if not row.is_dear)
    dear = tuple(row for row in rows if row.is_dear)
    fresh = (row for row in good if row.priced.price.state is PriceState.FRESH)
    first = next(fresh, None)
    return Group(
        gpu=gpu,
        gpus=gpus,
        rows=good,
        prices=tuple(usd_of(row) for row in good),
        dear=dear,
        dear_prices=tuple(usd_of(row) for row in dear),
        fresh_usd=None if first is None else usd_of(first),
    )


def usd_of(row: Row) -> Decimal:
    """USD per node-hour of a row that is known to have a price."""
    usd = row.priced.price.usd
    if usd is None:
        raise AssertionError(row.key)
    return usd


# Ways of buying in the order in which they win ties; `CapacityType` itself is in another.
CAPACITY_RANK = {"reserved": 0, "on_demand": 1, "spot": 2}


def _order(row: Row) -> tuple[Decimal, tuple[int, int, int], int, OfferKey]:
    """Order within a group: nodes are alike, so the price of one decides for any number."""
    return usd_of(row), row.position, CAPACITY_RANK[row.key.capacity_type], row.key
