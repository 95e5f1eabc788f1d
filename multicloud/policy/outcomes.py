"""Outcomes: off, hold, or tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.need import Need, Spread
from multicloud.models.offer import CapacityType
from multicloud.models.pool import Fixed, Outcome, Tier
from multicloud.policy import kinds as k
from multicloud.policy.check import join
from multicloud.policy.conditions import plain
from multicloud.policy.reader import Reader, parsed
from multicloud.policy.reservations import compile_reservation
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from multicloud.policy.context import Context


def compile_outcome(node: Node, path: str, context: Context, need: Need) -> Outcome:
    """`off`, `hold`, a tier or a list of tiers."""
    match node:
        case Scalar():
            return parsed(node, k.FIXED) or Fixed.OFF
        case Mapping():
            return (_tier(Reader(node, path, context.problems), context, need),)
        case Sequence(items=items):
            return tuple(
                _tier(Reader(item, f"{path}[{index}]", context.problems), context, need)
                for index, item in enumerate(items)
            )


def _tier(tier: Reader, context: Context, need: Need) -> Tier:
    capacity = tier.many("capacity", k.CAPACITY) or (CapacityType.ON_DEMAND,)
    cap = tier.value("max_price", k.PRICE)
    if cap is not None:
        cap = context.price(cap, tier.where("max_price"), join(tier.path, "max_price"))
    if "min_discount" in tier and CapacityType.SPOT not in capacity:
        tier.fault("min_discount", "counts for spot only, which this tier does not take.")
    if "max_gpus" in tier and need.spread is not Spread.PLACES:
        tier.fault(
            "max_gpus",
            "needs a pool that may be split over tiers.",
            detail="Expected spread: places in the need.",
        )
    for key, values in (
        ("in", tier.many("in", k.PLACE)),
        ("capacity", capacity),
        ("instance_types", tier.many("instance_types", k.TEXT)),
    ):
        if len(set(values)) < len(values):
            tier.fault(key, "names something twice.", detail="Expected each once.")
    return Tier(
        places=tier.many("in", k.PLACE),
        not_in=tier.many("not_in", k.PLACE),
        capacity=capacity,
        max_price=cap,
        instance_types=tier.many("instance_types", k.TEXT),
        wait=tier.value("wait", k.DURATION),
        max_gpus=tier.value("max_gpus", k.POSITIVE_COUNT),
        min_discount=tier.value("min_discount", k.SHARE),
        reservation=compile_reservation(tier, capacity, context, need),
    )


def scope_text(outcome: Outcome, need: Need) -> str:
    """The tiers without their caps, in a normal form; "" when there are none."""
    if isinstance(outcome, Fixed):
        return ""
    tiers = []
    for tier in outcome:
        words = [" ".join(place.text for place in tier.places), " ".join(tier.capacity)]
        if tier.not_in:
            words.append("not " + " ".join(place.text for place in tier.not_in))
        if tier.instance_types:
            words.append("types " + " ".join(tier.instance_types))
        if tier.min_discount is not None:
            words.append(f"discount {plain(tier.min_discount)}")
        tiers.append(" ".join(words))
    return f"{', '.join(tiers)} for {need.text}"
