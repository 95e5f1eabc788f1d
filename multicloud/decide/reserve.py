"""Offers that come out of a reservation (POLICY meanings 10 and 11), and when there are any."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.offer import CapacityType
from multicloud.models.placement import NodePrice, ReservationKind
from multicloud.models.pool import Fixed
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from multicloud.catalog.market import Priced
    from multicloud.models.offer import OfferKey
    from multicloud.models.placement import Reservation
    from multicloud.models.pool import Outcome, Pool, Tier

RESERVED = CapacityType.RESERVED
PREPAID = NodePrice(usd=Decimal(0), state=PriceState.PREPAID, observed_at=None, source="prepaid")
"""What a node costs that is paid for already: nothing more, and never a price to be compared."""


def as_reserved(priced: Priced, kind: ReservationKind | None) -> Priced | None:
    """The on-demand offer as one out of a reservation; None for what no reservation is for.

    Capacity that is kept on demand costs its list price, used or not; without a known one, and
    for a block that was bought, it is prepaid.
    """
    if priced.key.capacity_type is not CapacityType.ON_DEMAND:
        return None
    has_price = priced.price.usd is not None and kind is not ReservationKind.CAPACITY_BLOCK
    return replace(
        priced,
        offer=replace(priced.offer, capacity_type=RESERVED, reservation_only=False),
        key=priced.key._replace(capacity_type=RESERVED),
        price=priced.price if has_price else PREPAID,
        no_rate=False,
        doubted=None,
    )


def as_remembered(priced: Priced, past: Mapping[OfferKey, Decimal | None]) -> Priced:
    """The reserved offer at the price that the last decision had for it."""
    usd = past.get(priced.key)
    if usd is None:
        return priced
    state = priced.price.state if usd == priced.price.usd else PriceState.FRESH
    return replace(priced, price=replace(priced.price, usd=usd, state=state))


def is_in_dates(reservation: Reservation | None, at: datetime) -> bool:
    """Whether the reservation, if there is one, is there at an instant; its end is exclusive."""
    if reservation is None:
        return True
    begun = reservation.start is None or reservation.start <= at
    return begun and (reservation.until is None or at < reservation.until)


def instants(pool: Pool, after: datetime, until: datetime) -> frozenset[datetime]:
    """When the pool expires, and reservations of its tiers begin and end: `(after, until]`."""
    found = {pool.expires} | {
        at
        for tier in _tiers(pool)
        if tier.reservation is not None
        for at in (tier.reservation.start, tier.reservation.until)
    }
    return frozenset(at for at in found if at is not None and after < at <= until)


def _tiers(pool: Pool) -> Iterator[Tier]:
    outcomes: list[Outcome] = [rule.outcome for rule in pool.rules]
    if pool.otherwise is not None:
        outcomes.append(pool.otherwise)
    for outcome in outcomes:
        if not isinstance(outcome, Fixed):
            yield from outcome
