"""The price rows that come with the package, as offers."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

from multicloud.catalog.regions import all_regions
from multicloud.catalog.shapes import shapes
from multicloud.catalog.tables import read_table, sources
from multicloud.models.offer import CapacityType, Cloud, Offer
from multicloud.models.quote import Quote

# Regions that a row with a group stands for: one price list for all of them.
MAINLAND = "*mainland"
COMMERCIAL = "*commercial"


def bundled_offers() -> tuple[Offer, ...]:
    """Every bundled offer, in the order of the table; an offer without a price has no quote.

    Source: `catalog/data/offers.csv`; `tools/build_catalog.py` writes it, `docs/catalogue.md`
    says where its rows come from.
    """
    known = shapes()
    found: dict[tuple[str, ...], Offer] = {}
    for row in read_table("offers.csv"):
        cloud_name, region, zone, instance_type, capacity, *_ = row
        cloud = _CLOUDS[cloud_name]
        shape = known[cloud, instance_type]
        quotes = _quotes(row)
        for name in _regions_of(cloud, region):
            key = (cloud_name, name, zone, instance_type, capacity)
            twin = found.get(key)
            found[key] = Offer(
                cloud=cloud,
                region=name,
                zone=zone or None,
                shape=shape,
                capacity_type=_CAPACITY[capacity],
                quotes=_in_order(twin.quotes + quotes) if twin else quotes,
            )
    return tuple(found.values())


_CLOUDS = {cloud.value: cloud for cloud in Cloud}
_CAPACITY = {capacity.value: capacity for capacity in CapacityType}


def _quotes(row: list[str]) -> tuple[Quote, ...]:
    """The price of one row; none where the amount is blank."""
    *_, amount, currency, observed_at, source, site, estimate = row
    if not amount:
        return ()
    return (
        Quote(
            amount=Decimal(amount),
            currency=currency,
            observed_at=_instant(observed_at),
            source=_title(source),
            estimate=estimate == "1",
            site=site,
        ),
    )


def _in_order(quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Quotes of several rows, oldest first."""
    return tuple(sorted(quotes, key=lambda quote: quote.observed_at))


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
