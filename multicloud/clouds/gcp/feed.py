"""Google Cloud's prices by the Cloud Billing Catalog API: SKUs of parts, put together to nodes.

cloud.google.com/billing/docs/reference/rest/v1/services.skus/list. Credentials of any project that
has the API enabled will do; the list is the same for everybody.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import shapes
from multicloud.catalog.snapshot import bundled_snapshot
from multicloud.clouds.gcp import session as sessions
from multicloud.clouds.gcp.machines import CHIPS, node_price, parts_of
from multicloud.clouds.gcp.skus import Part, Price, Use, part_of, price_of
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, PricePoint, Rate, Upfront
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import TypeAlias

    from multicloud.models.offer import Shape
    from multicloud.models.project import CloudSettings

    # Prices of parts by region and how they are bought.
    Known: TypeAlias = Mapping[tuple[str, Use], Mapping[Part, Price]]

ENDPOINT = "https://cloudbilling.googleapis.com"
# Compute Engine, by cloud.google.com/skus.
SERVICE = "services/6F81-5844-456A"
SOURCE = "google cloud billing catalog"
LIST = "list"
PAGE = 2000
"""Of the 5,000 that a page can have: its first byte comes sooner."""
CAPACITY: Mapping[Use, CapacityType] = {
    Use.ON_DEMAND: CapacityType.ON_DEMAND,
    Use.SPOT: CapacityType.SPOT,
}
MONTHS: Mapping[Use, int] = {Use.YEAR: 12, Use.THREE_YEARS: 36}


class GcpFeed:
    """The world's list is one part."""

    cloud = Cloud.GCP

    def __init__(self, settings: CloudSettings, regions: tuple[str, ...] = ()) -> None:
        self._settings = settings
        self._regions = tuple(sorted(regions or CLOUDS[Cloud.GCP].regions))

    def parts(self) -> tuple[str, ...]:
        """`list`."""
        return (LIST,)

    def read(self, part: str) -> Batch:
        """On-demand and spot prices and committed-use rates of every type. Raises: CloudError."""
        del part
        looked_at = clock.utcnow()
        try:
            known, rejected = self._known(looked_at)
        except Exception as error:
            raise sessions.cloud_error(error) from error
        points: list[PricePoint] = []
        rates: list[Rate] = []
        for shape in (shape for (cloud, _), shape in shapes().items() if cloud is Cloud.GCP):
            for use in Use:
                for region, price in self._priced(shape, use, known, rejected):
                    if use in MONTHS:
                        rates.append(_rate(shape, region, MONTHS[use], price, looked_at))
                    else:
                        points += _points(shape, region, CAPACITY[use], price, looked_at)
        return Batch(
            looked_at=looked_at,
            points=tuple(points),
            rates=tuple(rates),
            rejected=tuple(dict.fromkeys(rejected)),
        )

    def _known(self, now: datetime) -> tuple[Known, list[str]]:
        found: dict[tuple[str, Use], dict[Part, Price]] = defaultdict(dict)
        rejected: list[str] = []
        unclear: set[tuple[str, Use, Part]] = set()
        is_empty = True
        for sku in self._skus():
            is_empty = False
            what = part_of(sku)
            if what is None:
                continue
            part, use = what
            try:
                price = price_of(sku, part.kind, now)
            except ValueError as error:
                rejected.append(f'SKU {sku.sku_id} "{sku.description}" {error}.')
                continue
            for region in sku.service_regions:
                if found[region, use].setdefault(part, price) != price:
                    unclear.add((region, use, part))
        if is_empty:
            raise CloudError("the price list of gcp is empty: nothing of it was kept.")
        for region, use, part in sorted(unclear):
            del found[region, use][part]
            rejected.append(f"{region}: {part} ({use}) has several prices.")
        return found, rejected

    def _skus(self) -> Iterator[Any]:
        """Every SKU of Compute Engine, as the bare message: proto-plus takes a minute for them."""
        found = sessions.session(self._settings, scope=sessions.BILLING_SCOPE)
        from google.cloud.billing_v1 import CloudCatalogClient, ListSkusRequest

        client = sessions.client(CloudCatalogClient, sessions.billed(found), ENDPOINT)
        asked = ListSkusRequest(parent=SERVICE, currency_code="USD", page_size=PAGE)
        pager = client.list_skus(request=asked, **sessions.bounds())
        for page in sessions.pages(pager):
            yield from type(page).pb(page).skus

    def _priced(
        self, shape: Shape, use: Use, known: Known, rejected: list[str]
    ) -> Iterator[tuple[str, Price]]:
        """Where a type is sold in this way, and for how much."""
        parts = parts_of(shape, use)
        faults: dict[str, list[str]] = defaultdict(list)
        for region in self._regions if parts else ():
            try:
                price = node_price(parts, known.get((region, use), {}))
            except ValueError as error:
                faults[str(error)].append(region)
                continue
            if price is not None:
                yield region, price
        rejected += (
            f"{shape.instance_type} ({use}) {fault} in {', '.join(regions)}."
            for fault, regions in faults.items()
        )


def _points(
    shape: Shape, region: str, capacity: CapacityType, price: Price, at: datetime
) -> Iterator[PricePoint]:
    is_slice = shape.instance_type.rpartition("-")[0] in CHIPS
    # A region is priced as a whole, but a slice goes to a zone: one that the catalogue knows.
    for zone in _zones()[shape.instance_type, region] if is_slice else ("",):
        key = OfferKey(Cloud.GCP, region, zone, shape.instance_type, capacity)
        yield PricePoint(
            key=key, amount=price.amount, currency=price.currency, observed_at=at, source=SOURCE
        )


@cache
def _zones() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Zones of the catalogue's offers by type and region."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for offer in bundled_snapshot().offers:
        if offer.cloud is Cloud.GCP and offer.zone:
            found[offer.shape.instance_type, offer.region].add(offer.zone)
    return defaultdict(tuple, {key: tuple(sorted(zones)) for key, zones in found.items()})


def _rate(shape: Shape, region: str, months: int, price: Price, at: datetime) -> Rate:
    """Committed use is paid by the hour, whether it is used or not."""
    return Rate(
        cloud=Cloud.GCP,
        region=region,
        instance_type=shape.instance_type,
        kind="committed_use",
        months=months,
        upfront=Upfront.NONE,
        per_hour=price.amount,
        at_start=Decimal(0),
        currency=price.currency,
        observed_at=at,
        source=SOURCE,
    )
