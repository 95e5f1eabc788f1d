"""What a feed may not say: prices of places, types or currencies that nobody can mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.columns import LARGEST_AMOUNT, near_miss
from multicloud.catalog.shapes import find_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicloud.models.feed import PricePoint
    from multicloud.models.offer import OfferKey


def vet_points(points: Iterable[PricePoint]) -> tuple[tuple[PricePoint, ...], tuple[str, ...]]:
    """The points that can be used, and a sentence for each kind of fault among the others.

    A region is its canonical id or nothing: a display name is never guessed at. Types without
    GPU facts are left out silently, since feeds tell of everything that a cloud sells. Pure.
    """
    good: list[PricePoint] = []
    faults: dict[str, None] = {}
    for point in points:
        fault = _fault(point)
        if fault is not None:
            faults[fault] = None
        elif find_shape(point.key.cloud, point.key.instance_type) is not None:
            good.append(point)
    return tuple(good), tuple(faults)


def _fault(point: PricePoint) -> str | None:
    key, facts = point.key, CLOUDS[point.key.cloud]
    if key.region not in facts.regions:
        near = near_miss(key.region, facts.regions)
        return f'region "{key.region}" is no region id of {key.cloud}.{near}'
    amount = point.amount
    if not amount.is_finite() or amount <= 0 or amount > LARGEST_AMOUNT:
        return f"{_shown(key)}: price {amount} is treated as unknown."
    if point.site and point.site not in facts.currencies:
        return f'{_shown(key)}: {key.cloud} has no site "{point.site}".'
    expected = facts.currency(point.site)
    if point.currency != expected:
        return f"{_shown(key)}: a price in {point.currency}, where {expected} is billed."
    return None


def _shown(key: OfferKey) -> str:
    place = "/".join(part for part in (key.cloud, key.region, key.zone) if part)
    return f"{place} {key.instance_type} {key.capacity_type}"
