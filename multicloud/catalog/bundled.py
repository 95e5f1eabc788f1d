"""The price rows that come with the package, as offers."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from multicloud.catalog.regions import all_regions
from multicloud.catalog.shapes import shapes
from multicloud.catalog.tables import read_table, sources
from multicloud.models.offer import CapacityType, Cloud, Offer
from multicloud.models.quote import Quote

if TYPE_CHECKING:
    from collections.abc import Iterator

# Regions that a row with a group stands for: one price list for all of them.
MAINLAND = "*mainland"
COMMERCIAL = "*commercial"


def bundled_offers() -> tuple[Offer, ...]:
    """Every bundled offer, in the order of the table; an offer without a price has no quote.

    Source: `catalog/data/offers.csv`; `tools/build_catalog.py` writes it, `docs/catalogue.md`
    says where its rows come from.
    """
    found: dict[tuple[str, ...], Offer] = {}
    for row in read_table("offers.csv"):
        for offer in _offers(row):
            key = offer.key
            known = found.get(key)
            found[key] = offer if known is None else _joined(known, offer)
    return tuple(found.values())


def _offers(row: list[str]) -> Iterator[Offer]:
    """The offer of one row, once per region that the row stands for."""
    cloud_name, region, zone, instance_type, capacity, amount, currency, at, source, site, est = row
    cloud = Cloud(cloud_name)
    quotes: tuple[Quote, ...] = ()
    if amount:
        quotes = (
            Quote(
                amount=Decimal(amount),
                currency=currency,
                observed_at=_instant(at),
                source=_title(source),
                estimate=est == "1",
                site=site,
            ),
        )
    shape = shapes()[cloud, instance_type]
    capacity_type = _CAPACITY[capacity]
    for name in _regions_of(cloud, region):
        yield Offer(
            cloud=cloud,
            region=name,
            zone=zone or None,
            shape=shape,
            capacity_type=capacity_type,
            quotes=quotes,
        )


_CAPACITY = {capacity.value: capacity for capacity in CapacityType}


@cache
def _regions_of(cloud: Cloud, region: str) -> tuple[str, ...]:
    """The regions that a row's region stands for."""
    regions = all_regions()[cloud]
    if region == MAINLAND:
        return tuple(name for name, facts in regions.items() if facts.country == "CN")
    if region == COMMERCIAL:
        return tuple(regions)
    return (region,)


@cache
def _instant(text: str) -> datetime:
    """A date or an instant of the table, in UTC."""
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


@cache
def _title(source: str) -> str:
    """What people read as a quote's source."""
    return sources()[source].title


def _joined(one: Offer, other: Offer) -> Offer:
    """One offer with the quotes of two rows, oldest first."""
    quotes = sorted((*one.quotes, *other.quotes), key=lambda quote: quote.observed_at)
    return Offer(
        cloud=one.cloud,
        region=one.region,
        zone=one.zone,
        shape=one.shape,
        capacity_type=one.capacity_type,
        quotes=tuple(quotes),
    )
