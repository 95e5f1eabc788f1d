"""Zones of placements: how nodes are dealt out, and which offer a running group is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.offer import OfferKey

if TYPE_CHECKING:
    from multicloud.models.placement import Slot


def split_by_zone(nodes: int, zones: int) -> tuple[int, ...]:
    """Nodes per zone, as even as can be; the first (cheapest) zones get the odd ones."""
    each, odd = divmod(nodes, zones)
    return tuple(each + (position < odd) for position in range(zones))


def offer_keys(slot: Slot) -> tuple[OfferKey, ...]:
    """Offers that a group in these zones may be of: its one zone's, else the whole region's."""
    zones = (slot.zones[0], "") if len(slot.zones) == 1 else ("",)
    return tuple(
        OfferKey(slot.cloud, slot.region, zone, slot.instance_type, slot.capacity_type)
        for zone in zones
    )
