"""Every offer that meets a need, anywhere, ranked by what the whole of it costs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import matches_place
from multicloud.catalog.fit import nodes_for, shape_fault
from multicloud.models.offer import CapacityType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from multicloud.catalog.market import Market, Priced
    from multicloud.models.need import Need, Wish
    from multicloud.models.offer import Offer, OfferKey
    from multicloud.models.place import Place
    from multicloud.models.placement import NodePrice

# Equal cost: capacity that cannot be taken away comes first (POLICY meaning 4).
_FIRMNESS = {CapacityType.RESERVED: 0, CapacityType.ON_DEMAND: 1, CapacityType.SPOT: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRow:
    """One offer with what it takes of it to meet the need, and what that costs.

    `alternative` is the place in the need of the wish that it meets, from 0. `gpus` counts all
    nodes together; `surplus` of them nobody asked for. Costs are USD per hour, None when
    `price` is unknown; the one per GPU divides by the node's GPUs.
    """

    offer: Offer
    price: NodePrice
    no_rate: bool
    alternative: int
    nodes: int
    gpus: Fraction
    surplus: Fraction
    usd_per_hour: Decimal | None
    usd_per_gpu_hour: Decimal | None

    @property
    def key(self) -> OfferKey:
        """The offer's identity."""
        return self.offer.key


def find_offers(
    market: Market,
    need: Need,
    *,
    places: Sequence[Place] = (),
    capacity: Sequence[CapacityType] = (),
) -> tuple[OfferRow, ...]:
    """Offers that meet the need, cheapest whole placement first, those without a price last.

    `places` and `capacity` narrow it down; empty means all. An offer stands once: for the
    first of the need's alternatives that it meets. Equal cost is decided by the need's order,
    then reserved, on-demand, spot, then fewer nodes, then names.
    """
    found: dict[OfferKey, OfferRow] = {}
    for index, wish in enumerate(need.wishes):
        for priced in market.candidates(wish):
            offer = priced.offer
            if priced.key in found or shape_fault(wish, offer.shape) is not None:
                continue
            if capacity and offer.capacity_type not in capacity:
                continue
            if places and not _is_in(places, offer):
                continue
            found[priced.key] = _row(priced, wish, index)
    return tuple(sorted(found.values(), key=_rank))


def _is_in(places: Sequence[Place], offer: Offer) -> bool:
    """Whether any of the places takes the offer."""
    return any(matches_place(place, offer.cloud, offer.region, offer.zone) for place in places)


def _row(priced: Priced, wish: Wish, index: int) -> OfferRow:
    """What it takes of the offer."""
    shape, usd = priced.offer.shape, priced.price.usd
    nodes = nodes_for(wish, shape)
    wanted = shape.gpus * nodes if wish.instance_type is not None else wish.gpus
    per_node = Decimal(shape.gpus.numerator) / shape.gpus.denominator
    return OfferRow(
        offer=priced.offer,
        price=priced.price,
        no_rate=priced.no_rate,
        alternative=index,
        nodes=nodes,
        gpus=shape.gpus * nodes,
        surplus=shape.gpus * nodes - wanted,
        usd_per_hour=None if usd is None else usd * nodes,
        usd_per_gpu_hour=None if usd is None else usd / per_node,
    )


def _rank(row: OfferRow) -> tuple[bool, Decimal, int, int, int, OfferKey]:
    """A total order: no two offers have the same key."""
    return (
        row.usd_per_hour is None,
        row.usd_per_hour or Decimal(0),
        row.alternative,
        _FIRMNESS[row.offer.capacity_type],
        row.nodes,
        row.key,
    )
