"""Whether what runs may stay in a rule's tiers, and since when it is over a cap."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from multicloud.catalog.gpus import resolve_gpu
from multicloud.catalog.market import Priced
from multicloud.decide.bid import cap_usd
from multicloud.decide.feasible import Judge, Row, criteria_of
from multicloud.decide.reserve import is_in_dates
from multicloud.decide.zones import offer_keys
from multicloud.models.offer import Offer, Shape
from multicloud.models.placement import UNPRICED
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from multicloud.decide.situation import Running, Situation
    from multicloud.models.need import Need, Wish
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Tier

CAP_SIGNAL = "cap"


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A running group's place in a rule: the tier that keeps it, the wish it serves, its row.

    `over_since` is set when fresh prices are above the tier's cap; at `leaves_at` it must go.
    """

    tier: int
    wish: Wish
    row: Row
    over_since: datetime | None = None
    leaves_at: datetime | None = None


def standing(
    sit: Situation, running: Running, need: Need, tiers: tuple[Tier, ...]
) -> Standing | None:
    """Where the group may stay; None when the rule does not allow it any more.

    The first tier that keeps it within its cap, else the first that keeps it for as long as
    `moves.signal_for` lasts (POLICY meaning 5). An old price or none sends nobody away.
    """
    over: Standing | None = None
    for position, tier, wish, row in _rows(sit, running.placement, need, tiers):
        if not _is_over(sit, tier, row):
            return Standing(position, wish, row)
        over = over or Standing(position, wish, row)
    if over is None or sit.forecast:
        return None
    memory = sit.memory
    began = memory.signal_since if memory.signal_key == CAP_SIGNAL else None
    since = began or sit.now
    leaves_at = since + sit.pool.moves.signal_for
    if sit.now >= leaves_at:
        return None
    return Standing(over.tier, over.wish, over.row, since, leaves_at)


def _rows(
    sit: Situation, placement: Placement, need: Need, tiers: tuple[Tier, ...]
) -> Iterator[tuple[int, Tier, Wish, Row]]:
    """The group's rows in the rule, tier by tier and wish by wish."""
    for position, tier in enumerate(tiers):
        if not is_in_dates(tier.reservation, sit.now):
            continue
        for wish in need.wishes:
            row = _row(sit, placement, tier, wish)
            if row is not None and _spans(row, placement):
                yield position, tier, wish, row


def _row(sit: Situation, placement: Placement, tier: Tier, wish: Wish) -> Row | None:
    """The group's row in a tier's index; judged by what it is if nobody offers it now."""
    known = sit.book.of_tier(tier, wish, sit.pool.only_in).by_key
    keys = offer_keys(placement.slot)
    for key in keys:
        if key in known:
            return known[key]
    if any(sit.book.market.get(key) is not None for key in keys):
        return None
    if not _is_meant(wish, placement):
        return None
    criteria = criteria_of(tier, wish, sit.pool.only_in)
    row = Judge(criteria, sit.book).place(_vanished(placement, wish))
    return row if isinstance(row, Row) else None


def _spans(row: Row, placement: Placement) -> bool:
    """Whether the tier still allows every zone of the group."""
    return not row.zones or set(placement.slot.zones) <= set(row.zones)


def _is_over(sit: Situation, tier: Tier, row: Row) -> bool:
    """Whether a fresh price is above the tier's cap, or too near to on-demand."""
    price = row.priced.price
    if price.usd is None or price.state is not PriceState.FRESH:
        return False
    if row.is_dear:
        return True
    if tier.max_price is None:
        return False
    limit = cap_usd(tier.max_price, row.priced.offer.shape.gpus, sit.ledgers.fx)
    return limit is not None and price.usd > limit


def _is_meant(wish: Wish, placement: Placement) -> bool:
    """Whether nodes that nobody offers any more are of the kind that the wish means."""
    if wish.instance_type is not None:
        return wish.instance_type.casefold() == placement.slot.instance_type.casefold()
    return placement.gpu in resolve_gpu(wish.gpu or "")


def _vanished(placement: Placement, wish: Wish) -> Priced:
    """An offer made up for a running group without one: it met the wish's minima once."""
    slot = placement.slot
    shape = Shape(
        cloud=slot.cloud,
        instance_type=slot.instance_type,
        gpu=placement.gpu,
        gpus=Fraction(placement.gpus_per_node),
        gpu_memory_gib=wish.gpu_memory_gib or Decimal(0),
        vcpus=wish.vcpus or 0,
        memory_gib=wish.memory_gib or Decimal(0),
        arch=wish.arch,
        gpu_link="nvlink",
        fabric="as running",
        source="as running",
    )
    offer = Offer(
        cloud=slot.cloud,
        region=slot.region,
        zone=slot.zones[0] if len(slot.zones) == 1 else None,
        shape=shape,
        capacity_type=slot.capacity_type,
        quotes=(),
    )
    return Priced(offer=offer, key=offer.key, price=UNPRICED)
