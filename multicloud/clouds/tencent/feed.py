"""Tencent Cloud's prices and stock, which one call tells for every zone of a region.

cloud.tencent.com/document/api/213/17378 (DescribeZoneInstanceConfigInfos).
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape, types_of
from multicloud.clouds.failures import unreadable
from multicloud.clouds.tencent.session import call
from multicloud.models.feed import Batch, Look, PricePoint, Stock
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from multicloud.models.project import CloudSettings

SOURCE = "tencent DescribeZoneInstanceConfigInfos"
CHARGES: Mapping[str, CapacityType] = {
    "POSTPAID_BY_HOUR": CapacityType.ON_DEMAND,
    "SPOTPAID": CapacityType.SPOT,
}
STOCKS: Mapping[str, Stock] = {
    "EnoughStock": Stock.HIGH,
    "NormalStock": Stock.SOME,
    "UnderStock": Stock.LOW,
    "WithoutStock": Stock.NONE,
}
# On demand the list price, since a policy's discounts are of list prices; spot as it is now.
# Where a type's price falls with the hours that it runs, this is that of the first 96.
AMOUNTS: Mapping[CapacityType, str] = {
    CapacityType.ON_DEMAND: "UnitPrice",
    CapacityType.SPOT: "UnitPriceDiscount",
}
_UNIT = "HOUR"


class TencentFeed:
    """One part per region. The answer names no currency: the account's site decides it."""

    cloud = Cloud.TENCENT

    def __init__(self, settings: CloudSettings, regions: tuple[str, ...] = ()) -> None:
        facts = CLOUDS[Cloud.TENCENT]
        self._settings = settings
        self._site = facts.site(settings.site or "")
        self._currency = facts.currency(self._site)
        self._regions = tuple(sorted(regions or facts.regions))

    def parts(self) -> tuple[str, ...]:
        """Regions."""
        return self._regions

    def read(self, part: str) -> Batch:
        """Price and stock of every GPU type in every zone of a region. Raises: CloudError."""
        looked_at = clock.utcnow()
        filters = [
            {"Name": "instance-charge-type", "Values": list(CHARGES)},
            {"Name": "instance-type", "Values": list(types_of(Cloud.TENCENT))},
        ]
        action = "DescribeZoneInstanceConfigInfos"
        told = call(self._settings, "cvm", "2017-03-12", part, action, {"Filters": filters}).get(
            "InstanceTypeQuotaSet"
        )
        if told is None:
            raise unreadable(Cloud.TENCENT, KeyError("InstanceTypeQuotaSet"))
        points, looks, rejected = [], [], []
        if not isinstance(told, list) or not all(isinstance(entry, dict) for entry in told):
            raise unreadable(Cloud.TENCENT, TypeError("InstanceTypeQuotaSet"))
        for entry in told:
            if find_shape(Cloud.TENCENT, str(entry.get("InstanceType"))) is None:
                continue
            try:
                key = _key(part, entry)
                if key is None:
                    continue
                looks.append(self._look(key, entry, looked_at))
                points.append(self._point(key, entry, looked_at))
            except (KeyError, TypeError, ValueError, ArithmeticError) as error:
                name = f"{entry.get('Zone')} {entry.get('InstanceType')}"
                rejected.append(f"{name} {entry.get('InstanceChargeType')}: {_why(error)}.")
        return Batch(
            looked_at=looked_at,
            points=tuple(points),
            looks=tuple(looks),
            rejected=tuple(rejected),
        )

    def _look(self, key: OfferKey, entry: Mapping[str, Any], looked_at: datetime) -> Look:
        # The word of stock is missing in some regions; whether it sells is always told.
        sold_out = entry["Status"] == "SOLD_OUT"
        stock = Stock.NONE if sold_out else STOCKS.get(entry.get("StatusCategory", ""), Stock.SOME)
        return Look(key=key, looked_at=looked_at, stock=stock, source=SOURCE, site=self._site)

    def _point(self, key: OfferKey, entry: Mapping[str, Any], looked_at: datetime) -> PricePoint:
        price = entry["Price"]
        if price is None:
            raise ValueError("no price is told")
        if price["ChargeUnit"] != _UNIT:
            raise ValueError(f'sold by "{price["ChargeUnit"]}", where "{_UNIT}" was expected')
        return PricePoint(
            key=key,
            # The SDK reads numbers as floats; their shortest text is what the cloud wrote.
            amount=Decimal(repr(price[AMOUNTS[key.capacity_type]])),
            currency=self._currency,
            observed_at=looked_at,
            source=SOURCE,
            site=self._site,
        )


def _key(region: str, entry: Mapping[str, Any]) -> OfferKey | None:
    """Which offer an entry is of; None for other ways of buying."""
    capacity = CHARGES.get(entry["InstanceChargeType"])
    if capacity is None:
        return None
    return OfferKey(Cloud.TENCENT, region, entry["Zone"], entry["InstanceType"], capacity)


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"no {error}, or none that is a number"
