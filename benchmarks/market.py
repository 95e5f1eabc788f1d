"""A made-up market of any size: deterministic, shaped like the bundled one."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from multicloud.catalog.snapshot import Snapshot, bundled_snapshot
from multicloud.models.offer import CapacityType, Offer
from multicloud.models.quote import Quote

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def made_up_snapshot(count: int, *, seed: int = 1) -> Snapshot:
    """`count` offers with fresh prices: bundled shapes and regions, in made-up zones."""
    random_ = random.Random(seed)  # noqa: S311 - a repeatable market, no secret
    bundled = bundled_snapshot().offers
    base = sorted({(o.cloud, o.region, o.shape.instance_type): o for o in bundled}.items())
    offers: list[Offer] = []
    zone = 0
    while len(offers) < count:
        zone += 1
        for _, offer in base:
            offers += [
                _priced(offer, f"{offer.region}-{zone}", capacity, random_)
                for capacity in (CapacityType.SPOT, CapacityType.ON_DEMAND)
            ]
    random_.shuffle(offers)
    return Snapshot(offers=tuple(offers[:count]), source="made up")


def _priced(offer: Offer, zone: str, capacity: CapacityType, random_: random.Random) -> Offer:
    per_gpu = Decimal(random_.randrange(20, 1200)) / 100
    gpus = offer.shape.gpus or Fraction(1)
    quote = Quote(
        amount=per_gpu * gpus.numerator / gpus.denominator,
        currency="USD",
        observed_at=NOW - timedelta(minutes=random_.randrange(240)),
        source="made up",
    )
    return replace(offer, zone=zone, capacity_type=capacity, quotes=(quote,))
