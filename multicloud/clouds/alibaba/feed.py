"""Alibaba Cloud's prices, stock and interruption rates by ECS.

api.aliyun.com/document/Ecs/2014-05-26: DescribeAvailableResource says which types a region has
and whether in stock, DescribePrice and DescribeSpotPriceHistory what they cost,
DescribeSpotAdvice how often they are taken back.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape
from multicloud.clouds.alibaba import session as sessions
from multicloud.clouds.alibaba.wire import Ecs
from multicloud.clouds.failures import failure, unreadable
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, InterruptionRate, Look, PricePoint, Stock
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from multicloud.models.project import CloudSettings

STOCKS: Mapping[str, Stock] = {
    "WithStock": Stock.HIGH,
    "ClosedWithStock": Stock.LOW,
    "WithoutStock": Stock.NONE,
    "ClosedWithoutStock": Stock.NONE,
}
LOOK_BACK = timedelta(hours=3)
"""Spot prices are on record for every hour, whether they changed or not."""
# Codes of DescribePrice that are about the one type, of which the others are told all the same.
OF_A_TYPE = (
    "PriceNotFound",
    "InstanceType.Offline",
    "InvalidInstanceType",
    "InvalidSystemDiskCategory",
    "InvalidDiskCategory",
)
_BAND = re.compile(r"(?P<low>\d+)-(?P<high>\d+)%")


class AlibabaFeed:
    """One part per region."""

    cloud = Cloud.ALIBABA

    def __init__(self, settings: CloudSettings, regions: tuple[str, ...] = ()) -> None:
        facts = CLOUDS[Cloud.ALIBABA]
        self._settings = settings
        self._site = facts.site(settings.site or "")
        self._regions = tuple(sorted(regions or facts.regions))

    def parts(self) -> tuple[str, ...]:
        """Regions."""
        return self._regions

    def read(self, part: str) -> Batch:
        """Everything of a region. Raises: CloudError, but not where only the advice fails."""
        ecs = Ecs(sessions.credential(self._settings), part)
        reader = _Region(ecs, part, self._site)
        try:
            reader.read()
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise unreadable(Cloud.ALIBABA, error) from error
        return reader.batch()


class _Region:
    """What is found out of one region, step by step."""

    def __init__(self, ecs: Ecs, region: str, site: str) -> None:
        self._ecs = ecs
        self._region = region
        self._site = site
        self._at = clock.utcnow()
        self._points: list[PricePoint] = []
        self._looks: list[Look] = []
        self._rates: list[InterruptionRate] = []
        self._rejected: list[str] = []

    def batch(self) -> Batch:
        return Batch(
            looked_at=self._at,
            points=tuple(self._points),
            looks=tuple(self._looks),
            interruptions=tuple(self._rates),
            rejected=tuple(self._rejected),
        )

    def read(self) -> None:
        """Stock first: only what the region has is asked for its price."""
        for kind in sorted(self._stock(CapacityType.ON_DEMAND)):
            self._of_a_type(kind, self._on_demand)
        for kind in sorted(self._stock(CapacityType.SPOT)):
            self._of_a_type(kind, self._spot)
        try:
            self._rates += tuple(self._advice())
        except CloudError as error:
            self._rejected.append(f"{self._region}: no spot advice ({error.summary})")

    def _of_a_type(self, kind: str, read: Callable[[str], None]) -> None:
        """Read the prices of a type; one that the cloud has no price for is told as such."""
        try:
            read(kind)
        except CloudError as error:
            if not error.code.startswith(OF_A_TYPE):
                raise
            self._rejected.append(f"{self._region} {kind}: no price ({error.summary}).")

    def _stock(self, capacity: CapacityType) -> set[str]:
        """Note the stock of every zone; returns the types that the region has."""
        kinds = set()
        for zone, kind, category in self._ecs.available(spot=capacity is CapacityType.SPOT):
            if find_shape(Cloud.ALIBABA, kind) is None:
                continue
            kinds.add(kind)
            stock = STOCKS.get(category)
            if stock is None:
                self._rejected.append(f'{zone} {kind}: "{category}" is no word of stock.')
                continue
            self._looks.append(
                Look(
                    key=OfferKey(Cloud.ALIBABA, self._region, zone, kind, capacity),
                    looked_at=self._at,
                    stock=stock,
                    source="alibaba DescribeAvailableResource",
                    site=self._site,
                )
            )
        return kinds

    def _on_demand(self, kind: str) -> None:
        """The list price of the type alone: discounts are the policy's to take off."""
        told = self._ecs.price(kind)
        if told is None:
            self._rejected.append(f"{self._region} {kind}: no price of the instance alone.")
            return
        amount, currency = told
        key = OfferKey(Cloud.ALIBABA, self._region, "", kind, CapacityType.ON_DEMAND)
        self._point(key, amount, currency, self._at, "alibaba DescribePrice")

    def _spot(self, kind: str) -> None:
        """The newest price of each zone."""
        newest: dict[str, tuple[datetime, object, str]] = {}
        offset = 0
        while True:
            currency, prices, then = self._ecs.spot_prices(kind, self._at - LOOK_BACK, offset)
            for one in prices:
                at = datetime.fromisoformat(one.timestamp)
                at = at if at.tzinfo else at.replace(tzinfo=UTC)
                known = newest.get(one.zone_id)
                if known is None or known[0] < at:
                    newest[one.zone_id] = (at, one.spot_price, currency)
            # The offset of a page after the last one may be told, and is then of an empty page.
            if not then or not prices:
                break
            if then <= offset:
                raise failure("EndlessAnswer", "the list of spot prices has no end", "Run again.")
            offset = then
        for zone, (at, amount, currency) in sorted(newest.items()):
            key = OfferKey(Cloud.ALIBABA, self._region, zone, kind, CapacityType.SPOT)
            looked_at = min(at, self._at)
            self._point(key, amount, currency, looked_at, "alibaba DescribeSpotPriceHistory")

    def _point(
        self, key: OfferKey, amount: object, currency: str, at: datetime, source: str
    ) -> None:
        if isinstance(amount, bool) or not isinstance(amount, int | float | Decimal):
            self._rejected.append(f"{key.region} {key.instance_type}: {amount!r} is no price.")
            return
        if not currency:
            self._rejected.append(f"{key.region} {key.instance_type}: a price without currency.")
            return
        self._points.append(
            PricePoint(
                key=key,
                # The SDK reads numbers as floats; their shortest text is what the cloud wrote.
                amount=Decimal(repr(amount)),
                currency=currency,
                observed_at=at,
                source=source,
                site=self._site,
            )
        )

    def _advice(self) -> Iterator[InterruptionRate]:
        for zone, kind, band in self._ecs.advice():
            match = _BAND.fullmatch(band)
            if find_shape(Cloud.ALIBABA, kind) is None:
                continue
            if match is None:
                self._rejected.append(f'{zone} {kind}: "{band}" is no band of interruptions.')
                continue
            high = Decimal(match["high"]) / 100
            yield InterruptionRate(
                cloud=Cloud.ALIBABA,
                region=self._region,
                zone=zone,
                instance_type=kind,
                low=Decimal(match["low"]) / 100,
                high=None if high >= 1 else high,
                observed_at=self._at,
                source="alibaba DescribeSpotAdvice",
            )
