"""Every offer that meets a need, anywhere, ranked by what the whole of it costs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from multicloud.catalog.clouds import matches_place
from multicloud.catalog.fit import nodes_for, shape_fault
from multicloud.models.offer import CapacityType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from multicloud.catalog.market import Market, Priced
    from multicloud.models.need import Need, Wish
    from multicloud.models.offer import Offer, OfferKey, Shape
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
    key: OfferKey
    price: NodePrice
    no_rate: bool
    alternative: int
    nodes: int
    gpus: Fraction
    surplus: Fraction
    usd_per_hour: Decimal | None
    usd_per_gpu_hour: Decimal | None


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
        amounts: dict[int, _Amount | None] = {}
        for priced in market.candidates(wish):
            offer = priced.offer
            shape = id(offer.shape)
            if shape not in amounts:
                amounts[shape] = _amount(wish, offer.shape)
            amount = amounts[shape]
            if amount is None or priced.key in found:
                continue
            if capacity and offer.capacity_type not in capacity:
                continue
            if places and not _is_in(places, offer):
                continue
            found[priced.key] = _row(priced, amount, index)
    return tuple(sorted(found.values(), key=_rank))


class _Amount(NamedTuple):
    """What a wish takes of a shape."""

    nodes: int
    gpus: Fraction
    surplus: Fraction
    per_node: Decimal


def _amount(wish: Wish, shape: Shape) -> _Amount | None:
    """Nodes and GPUs of a shape that meet the wish; None when it does not suit."""
    if shape_fault(wish, shape) is not None:
        return None
    nodes = nodes_for(wish, shape)
    gpus = shape.gpus * nodes
    return _Amount(
        nodes=nodes,
        gpus=gpus,
        surplus=gpus - (gpus if wish.instance_type is not None else wish.gpus),
        per_node=Decimal(shape.gpus.numerator) / shape.gpus.denominator,
    )


def _is_in(places: Sequence[Place], offer: Offer) -> bool:
    """Whether any of the places takes the offer."""
    return any(matches_place(place, offer.cloud, offer.region, offer.zone) for place in places)


def _row(priced: Priced, amount: _Amount, alternative: int) -> OfferRow:
    """What it takes of the offer."""
    usd = priced.price.usd
    return OfferRow(
        offer=priced.offer,
        key=priced.key,
        price=priced.price,
        no_rate=priced.no_rate,
        alternative=alternative,
        nodes=amount.nodes,
        gpus=amount.gpus,
        surplus=amount.surplus,
        usd_per_hour=None if usd is None else usd * amount.nodes,
        usd_per_gpu_hour=None if usd is None else usd / amount.per_node,
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
