"""AWS's price list: on-demand prices and reserved instances of GPU types.

docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html; a product
is JSON text with its attributes and its terms.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from multicloud.clouds.aws import session as sessions
from multicloud.models.feed import PricePoint, Rate, Upfront
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ENDPOINT_REGION = "us-east-1"
"""One of the three regions that have the price list: us-east-1, eu-central-1, ap-south-1."""
SOURCE = "aws price list"
_UPFRONTS: Mapping[str, Upfront] = {
    "No Upfront": Upfront.NONE,
    "Partial Upfront": Upfront.PARTIAL,
    "All Upfront": Upfront.ALL,
}
_MONTHS: Mapping[str, int] = {"1yr": 12, "3yr": 36}


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A type's ordinary Linux nodes in one region, with its terms as they were told."""

    instance_type: str
    terms: Mapping[str, Any]


def products(session: Any, region: str, offered: Sequence[str]) -> tuple[Product, ...]:  # noqa: ANN401 - boto3 has no static types
    """Products of the types offered. Raises: whatever botocore does, ValueError for no JSON."""
    client = sessions.client(session, "pricing", ENDPOINT_REGION)
    wanted = {
        "regionCode": region,
        "instanceFamily": "GPU instance",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
    }
    filters = [
        {"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in wanted.items()
    ]
    pages = client.get_paginator("get_products").paginate(ServiceCode="AmazonEC2", Filters=filters)
    found = []
    for page in pages:
        for text in page["PriceList"]:
            told = json.loads(text)
            attributes = told["product"]["attributes"]
            kind = attributes["instanceType"]
            if kind in offered and attributes.get("regionCode", region) == region:
                found.append(Product(instance_type=kind, terms=told.get("terms") or {}))
    return tuple(found)


def on_demand(
    told: Sequence[Product], region: str, now: datetime, rejected: list[str]
) -> Iterator[PricePoint]:
    """What a node costs per hour, from the date on which that began."""
    for product in told:
        for term in (product.terms.get("OnDemand") or {}).values():
            since = datetime.fromisoformat(term["effectiveDate"]).astimezone(UTC)
            for dimension in term["priceDimensions"].values():
                name = f"{region} {product.instance_type}"
                money = _money(dimension, "Hrs", name, rejected)
                if money is not None and since <= now:
                    key = OfferKey(
                        Cloud.AWS, region, "", product.instance_type, CapacityType.ON_DEMAND
                    )
                    yield PricePoint(
                        key=key,
                        amount=money[0],
                        currency=money[1],
                        observed_at=since,
                        source=SOURCE,
                    )


def reserved(
    told: Sequence[Product], region: str, now: datetime, rejected: list[str]
) -> Iterator[Rate]:
    """Standard reserved instances; convertible ones are another kind of promise."""
    for product in told:
        for term in (product.terms.get("Reserved") or {}).values():
            how = term["termAttributes"]
            months = _MONTHS.get(how.get("LeaseContractLength", ""))
            upfront = _UPFRONTS.get(how.get("PurchaseOption", ""))
            if how.get("OfferingClass") != "standard" or months is None or upfront is None:
                continue
            rate = _rate(term, f"{region} {product.instance_type}", rejected)
            if rate is not None:
                per_hour, at_start, currency = rate
                yield Rate(
                    cloud=Cloud.AWS,
                    region=region,
                    instance_type=product.instance_type,
                    kind="reserved",
                    months=months,
                    upfront=upfront,
                    per_hour=per_hour,
                    at_start=at_start,
                    currency=currency,
                    observed_at=now,
                    source=SOURCE,
                )


def _rate(
    term: Mapping[str, Any], name: str, rejected: list[str]
) -> tuple[Decimal, Decimal, str] | None:
    """Per hour, at the start, and in which currency; None where a figure cannot be read."""
    per_hour, at_start, currency = Decimal(0), Decimal(0), ""
    for dimension in term["priceDimensions"].values():
        is_start = dimension.get("unit") == "Quantity"
        money = _money(dimension, "Quantity" if is_start else "Hrs", name, rejected, zero=True)
        if money is None or currency not in ("", money[1]):
            return None
        currency = money[1]
        if is_start:
            at_start += money[0]
        else:
            per_hour += money[0]
    return (per_hour, at_start, currency) if per_hour or at_start else None


def _money(
    dimension: Mapping[str, Any], unit: str, name: str, rejected: list[str], *, zero: bool = False
) -> tuple[Decimal, str] | None:
    """Amount and currency of a dimension in the unit expected; reservations list some at 0."""
    if dimension.get("unit") != unit:
        rejected.append(f'{name}: sold by "{dimension.get("unit")}", where "{unit}" was expected.')
        return None
    prices = dimension.get("pricePerUnit") or {}
    if len(prices) != 1:
        rejected.append(f"{name}: a price in {len(prices)} currencies.")
        return None
    ((currency, text),) = prices.items()
    try:
        amount = Decimal(text)
    except (InvalidOperation, TypeError):
        rejected.append(f'{name}: "{text}" is no price.')
        return None
    if not amount and not zero:
        # Types that are had by reservation only are listed at nought.
        return None
    return amount, currency
