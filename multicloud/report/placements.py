"""Placements as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.report.scalars import number, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from multicloud.models.placement import Placement


def place_name(placement: Placement) -> str:
    """`aws/us-east-1`, with the zone when there is just one."""
    slot = placement.slot
    zone = f"/{slot.zones[0]}" if len(slot.zones) == 1 else ""
    return f"{slot.cloud}/{slot.region}{zone}"


def size_text(placement: Placement, seen: Mapping[str, int] | None = None) -> str:
    """Nodes; `1-4` where somebody else decides, and how many there are where they were seen."""
    if placement.least is None:
        return str(placement.nodes)
    now = (seen or {}).get(placement.slot.digest)
    text = f"{placement.floor}-{placement.nodes}"
    return text if now is None else f"{text} (now {now})"


def placements_text(placements: Sequence[Placement], seen: Mapping[str, int] | None = None) -> str:
    """`4 x g4dn.xlarge spot aws/us-east-1 + ...`; empty for none."""
    return " + ".join(
        f"{size_text(p, seen)} x {p.slot.instance_type} {p.slot.capacity_type} {place_name(p)}"
        for p in placements
    )


def placement_body(
    placement: Placement, seen: Mapping[str, int] | None = None
) -> dict[str, object]:
    """One placement; each figure says in its name per what it is.

    Where somebody else decides the size `nodes` is the most, `min_nodes` the least and
    `nodes_now` what is seen; both are null where we decide it.
    """
    slot, price = placement.slot, placement.price
    return {
        "cloud": str(slot.cloud),
        "region": slot.region,
        "zone": slot.zones[0] if len(slot.zones) == 1 else None,
        "zones": list(slot.zones),
        "instance_type": slot.instance_type,
        "capacity_type": str(slot.capacity_type),
        "nodes": placement.nodes,
        "min_nodes": None if placement.least is None else placement.floor,
        "nodes_now": (seen or {}).get(slot.digest),
        "gpu": placement.gpu,
        "gpus": float(placement.gpus) if placement.gpus % 1 else int(placement.gpus),
        "usd_per_node_hour": number(price.usd),
        "usd_per_gpu_hour": number(usd_per_gpu_hour(placement)),
        "usd_per_hour": number(placement.usd_per_hour),
        "max_price_per_node_hour": number(placement.bid),
        "discount": float(price.discount),
        "price_observed_at": stamp(price.observed_at),
        "price_source": price.source or None,
        "price_state": str(price.state),
    }


def usd_per_gpu_hour(placement: Placement) -> Decimal | None:
    """The node's price over its GPUs; None when the price is unknown."""
    per_node = placement.gpus_per_node
    if placement.price.usd is None or not per_node:
        return None
    return placement.price.usd * per_node.denominator / per_node.numerator
