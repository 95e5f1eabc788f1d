"""Caps held against the prices that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.catalog.clouds import matches_place
from multicloud.models.offer import CapacityType
from multicloud.models.pool import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal
    from fractions import Fraction

    from multicloud.catalog.market import Market, Priced
    from multicloud.errors import Where
    from multicloud.models.need import Wish
    from multicloud.models.pool import Pool, Rule, Tier
    from multicloud.models.quote import Price


def cap_warnings(
    pool: Pool, fx: Mapping[str, Decimal], market: Market
) -> Iterator[tuple[Where, str, str]]:
    """Caps under every known price of their tier, and spot caps over all on-demand prices."""
    for rule in pool.rules:
        if isinstance(rule.outcome, Fixed):
            continue
        for index, tier in enumerate(rule.outcome, start=1):
            if tier.max_price is not None:
                yield from _judge(pool, rule, tier, index, fx, market)


def _judge(
    pool: Pool, rule: Rule, tier: Tier, index: int, fx: Mapping[str, Decimal], market: Market
) -> Iterator[tuple[Where, str, str]]:
    cap = tier.max_price
    if cap is None:
        return
    limit = _usd(cap, fx)
    own: list[Decimal] = []
    on_demand: list[Decimal] = []
    for wish in rule.need.wishes:
        for offer in market.candidates(wish):
            if not _fits(pool, tier, wish, offer):
                continue
            price = _unit_price(offer, cap)
            if price is None:
                continue
            if offer.offer.capacity_type in tier.capacity:
                own.append(price)
            if offer.offer.capacity_type is CapacityType.ON_DEMAND:
                on_demand.append(price)
    name = f'the cap of {cap.text} in tier {index} of rule "{rule.name}"'
    if own and min(own) > limit:
        yield (
            rule.where,
            "cap-too-low",
            f"{name} is under every known price; the lowest is {min(own):.2f} USD.",
        )
    elif CapacityType.SPOT in tier.capacity and on_demand and limit > max(on_demand):
        yield (
            rule.where,
            "cap-too-high",
            f"{name} is over every on-demand price; the highest is {max(on_demand):.2f} USD.",
        )


def _usd(cap: Price, fx: Mapping[str, Decimal]) -> Decimal:
    return cap.amount if cap.currency == "USD" else cap.amount / fx[cap.currency]


def _fits(pool: Pool, tier: Tier, wish: Wish, priced: Priced) -> bool:
    offer = priced.offer
    place = (offer.cloud, offer.region, offer.zone)
    if tier.instance_types and offer.shape.instance_type not in tier.instance_types:
        return False
    if wish.per_node is not None and offer.shape.gpus != wish.per_node:
        return False
    inside = any(matches_place(pattern, *place) for pattern in tier.places)
    barred = any(matches_place(pattern, *place) for pattern in tier.not_in)
    bound = not pool.only_in or any(matches_place(pattern, *place) for pattern in pool.only_in)
    return inside and bound and not barred


def _unit_price(priced: Priced, cap: Price) -> Decimal | None:
    """USD per hour in the cap's unit, per GPU of the node or per node."""
    usd = priced.price.usd
    gpus: Fraction = priced.offer.shape.gpus
    if usd is None or gpus == 0:
        return None
    return usd * gpus.denominator / gpus.numerator if cap.per_gpu else usd
