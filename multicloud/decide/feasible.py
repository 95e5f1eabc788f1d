"""What becomes of an offer in a tier: a row to be ranked, or the reason why it lost.

Only what holds for every pool with the same tier is judged here: shape, place, capacity type
and whether there is a price at all. Caps, set-asides and quotas differ from pool to pool and
are applied to the sorted rows (see `rank`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from multicloud.catalog.clouds import CLOUDS, matches_place
from multicloud.catalog.fit import shape_fault
from multicloud.models.decision import Reject
from multicloud.models.offer import CapacityType, OfferKey

if TYPE_CHECKING:
    from decimal import Decimal

    from multicloud.catalog.market import Priced
    from multicloud.decide.book import Book
    from multicloud.models.need import Wish
    from multicloud.models.offer import Cloud, Offer, Shape
    from multicloud.models.place import Place
    from multicloud.models.placement import ReservationKind
    from multicloud.models.pool import Tier


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a tier asks of an offer, but for amounts and caps; equal ones share their rows."""

    wish: Wish
    places: tuple[Place, ...]
    not_in: tuple[Place, ...]
    only_in: tuple[Place, ...]
    capacity: tuple[CapacityType, ...]
    instance_types: tuple[str, ...]
    min_discount: Decimal | None
    reservation: ReservationKind | None = None


def criteria_of(tier: Tier, wish: Wish, only_in: tuple[Place, ...]) -> Criteria:
    """A tier's criteria for one kind of node."""
    return Criteria(
        wish=replace(wish, gpus=0, nodes=0),
        places=tier.places,
        not_in=tier.not_in,
        only_in=only_in,
        capacity=tier.capacity,
        instance_types=tier.instance_types,
        min_discount=tier.min_discount,
        reservation=tier.reservation.kind if tier.reservation else None,
    )


class Row(NamedTuple):
    """An offer that a tier may use; a tuple, since a market has tens of thousands of them.

    `zones` are the ids that its group may span, sorted.
    `position` is where the tier's lists name it: `in`, `capacity`, `instance_types`.
    `is_dear` marks spot that is not `min_discount` below on-demand.
    """

    key: OfferKey
    priced: Priced
    zones: tuple[str, ...]
    position: tuple[int, int, int]
    is_dear: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """What the places of a tier say of a region or zone: allowed zones and list position."""

    zones: tuple[str, ...]
    position: int


class Judge:
    """Judges the offers of one tier; remembers what it found out about places and shapes."""

    def __init__(self, criteria: Criteria, book: Book) -> None:
        self._criteria = criteria
        self._book = book
        self._places: dict[tuple[Cloud, str, str | None], Spot | Reject] = {}
        self._shapes: dict[int, tuple[Reject | None, Shape]] = {}
        self._ways = {way: i for i, way in enumerate(criteria.capacity)}
        self._types = tuple(name.casefold() for name in criteria.instance_types)

    def judge(self, priced: Priced) -> Row | Reject:
        """The offer's row, or the first reason (in the order of `Reject`) why it lost.

        An offer without a price is judged by everything else first.
        """
        row = self.place(priced)
        if isinstance(row, Reject):
            return row
        if priced.price.usd is None:
            return Reject.NO_RATE if priced.no_rate else Reject.NO_PRICE
        return row

    def place(self, priced: Priced) -> Row | Reject:
        """As `judge`, but whatever the price is."""
        offer, key = priced.offer, priced.key
        fault = self._shape(offer.shape)
        if fault is not None:
            return fault
        spot = self._spot(offer)
        if isinstance(spot, Reject):
            return spot
        if offer.reservation_only:
            # A reservation's id comes with a tier of its own (`capacity: reserved`).
            return self._wrong_way(offer) or Reject.NEEDS_RESERVATION
        wrong = self._wrong_way(offer)
        if wrong is not None:
            return wrong
        kind = self._types.index(key.instance_type.casefold()) if self._types else 0
        position = (spot.position, self._ways[offer.capacity_type], kind)
        is_dear = self._criteria.min_discount is not None and self._is_dear(priced)
        return Row(key, priced, spot.zones, position, is_dear)

    def _shape(self, shape: Shape) -> Reject | None:
        known = self._shapes.get(id(shape))
        if known is None:
            known = self._shapes[id(shape)] = (shape_fault(self._criteria.wish, shape), shape)
        return known[0]

    def _wrong_way(self, offer: Offer) -> Reject | None:
        """Whether the tier does not buy this way, or not this type."""
        if offer.capacity_type not in self._ways:
            return Reject.WRONG_CAPACITY
        if self._types and offer.shape.instance_type.casefold() not in self._types:
            return Reject.WRONG_TYPE
        return None

    def _spot(self, offer: Offer) -> Spot | Reject:
        key = (offer.cloud, offer.region, offer.zone)
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._find_spot(*key)
        return found

    def _find_spot(self, cloud: Cloud, region: str, zone: str | None) -> Spot | Reject:
        """The zones of an offer's place that the boundary and the tier allow."""
        wanted = self._criteria
        facts = CLOUDS[cloud].regions.get(region)
        zones: tuple[str | None, ...] = (zone,)
        if zone is None and facts is not None and facts.zones:
            zones = facts.zones

        def fits(place: Place, one: str | None) -> bool:
            return matches_place(place, cloud, region, one)

        inside = [
            one for one in zones if not wanted.only_in or any(fits(p, one) for p in wanted.only_in)
        ]
        if not inside:
            return Reject.OUTSIDE_BOUNDARY
        allowed: list[str] = []
        positions: list[int] = []
        for one in inside:
            if any(fits(place, one) for place in wanted.not_in):
                continue
            first = next((i for i, p in enumerate(wanted.places) if fits(p, one)), None)
            if first is not None:
                positions.append(first)
                allowed.extend(() if one is None else (one,))
        if not positions:
            return Reject.OUTSIDE_TIER
        return Spot(tuple(sorted(allowed)), min(positions))

    def _is_dear(self, priced: Priced) -> bool:
        """Whether spot is not known to be `min_discount` below on-demand at the same place."""
        least, usd = self._criteria.min_discount, priced.price.usd
        if least is None or usd is None or priced.offer.capacity_type is not CapacityType.SPOT:
            return False
        on_demand = on_demand_usd(priced.key, self._book)
        return on_demand is None or usd > on_demand * (1 - least)


def on_demand_usd(key: OfferKey, book: Book) -> Decimal | None:
    """USD per node-hour of the same type on demand, in the zone or else in its region."""
    for zone in dict.fromkeys((key.zone, "")):
        other = OfferKey(key.cloud, key.region, zone, key.instance_type, CapacityType.ON_DEMAND)
        price = book.price(other)
        if price is not None and price.usd is not None:
            return price.usd
    return None
