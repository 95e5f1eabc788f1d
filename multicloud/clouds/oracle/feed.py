"""Oracle Cloud's public price list, and what its capacity reports say of stock.

One price holds in all regions, and each shape is billed by the GPU, under a part number:
oracle.com/cloud/price-list and the list behind it at apexapps.oracle.com.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape, types_of
from multicloud.clouds.oracle import session as sessions
from multicloud.clouds.web import get_json
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, Look, PricePoint, Stock
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from multicloud.models.project import CloudSettings

LIST_URL = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/"
SOURCE = "oracle price list"
LIST, STOCK = "list", "stock "

# Part numbers of shapes, by docs.oracle.com price lists of 2024 and 2025. Newer shapes are sold
# under numbers that are not known here, and keep the catalogue's price.
PARTS: Mapping[str, str] = {
    "BM.GPU.A10.4": "B95909",
    "BM.GPU.A100-v2.8": "B95907",
    "BM.GPU.H100.8": "B98415",
    "BM.GPU.L40S.4": "B109479",
    "BM.GPU2.2": "B88517",
    "BM.GPU3.8": "B89734",
    "BM.GPU4.8": "B92740",
    "VM.GPU.A10.1": "B95909",
    "VM.GPU.A10.2": "B95909",
    "VM.GPU2.1": "B88518",
    "VM.GPU3.1": "B89734",
    "VM.GPU3.2": "B89734",
    "VM.GPU3.4": "B89734",
}
METRIC = "GPU Per Hour"
MODEL = "PAY_AS_YOU_GO"
# CapacityReportShapeAvailability.availabilityStatus.
STATUSES: Mapping[str, Stock] = {
    "AVAILABLE": Stock.SOME,
    "OUT_OF_HOST_CAPACITY": Stock.NONE,
    "HARDWARE_NOT_SUPPORTED": Stock.NONE,
}


class OracleFeed:
    """The list is one part; so is the stock of each region that the project names."""

    cloud = Cloud.ORACLE

    def __init__(self, settings: CloudSettings, regions: tuple[str, ...] = ()) -> None:
        self._settings = settings
        self._regions = tuple(sorted(regions or CLOUDS[Cloud.ORACLE].regions))
        named = (region for region in settings.regions if not regions or region in regions)
        self._stocked = tuple(sorted(named))

    def parts(self) -> tuple[str, ...]:
        """`list`, and `stock REGION` for regions of the project."""
        return (LIST, *(STOCK + region for region in self._stocked))

    def read(self, part: str) -> Batch:
        """Everything of one part. Raises: CloudError for the list; stock fails softly."""
        if part == LIST:
            return self._list()
        region, looked_at = part.removeprefix(STOCK), clock.utcnow()
        rejected: list[str] = []
        try:
            looks = tuple(self._stock(region, looked_at, rejected))
        except Exception as error:  # noqa: BLE001 - oci's classes need oci to be named
            told = sessions.cloud_error(error)
            return Batch(looked_at=looked_at, rejected=(f"{part}: {told.summary}",))
        return Batch(looked_at=looked_at, looks=looks, rejected=tuple(dict.fromkeys(rejected)))

    def _list(self) -> Batch:
        looked_at = clock.utcnow()
        told = get_json(Cloud.ORACLE, f"{LIST_URL}?{urlencode({'currencyCode': 'USD'})}")
        items = told.get("items") if isinstance(told, dict) else None
        if not items:
            raise CloudError("the price list of oracle is empty: nothing of it was kept.")
        faults: dict[str, str] = {}
        by_part: dict[str, tuple[Decimal, str]] = {}
        for item in items:
            if item.get("partNumber") in PARTS.values():
                try:
                    by_part[item["partNumber"]] = _price(item)
                except (KeyError, TypeError, ValueError, StopIteration) as error:
                    faults[item["partNumber"]] = str(error)
        lost = {part: "not in the list" for part in PARTS.values() if part not in by_part}
        return Batch(
            looked_at=looked_at,
            points=tuple(self._points(by_part, looked_at)),
            rejected=tuple(f"part {part}: {why}." for part, why in sorted((lost | faults).items())),
        )

    def _points(
        self, by_part: Mapping[str, tuple[Decimal, str]], looked_at: datetime
    ) -> Iterator[PricePoint]:
        for name, part in PARTS.items():
            shape = find_shape(Cloud.ORACLE, name)
            if shape is None or part not in by_part:
                continue
            per_gpu, currency = by_part[part]
            amount = per_gpu * shape.gpus.numerator / shape.gpus.denominator
            for region in self._regions:
                yield PricePoint(
                    key=OfferKey(Cloud.ORACLE, region, "", name, CapacityType.ON_DEMAND),
                    amount=amount,
                    currency=currency,
                    observed_at=looked_at,
                    source=SOURCE,
                )

    def _stock(self, region: str, looked_at: datetime, rejected: list[str]) -> Iterator[Look]:
        config = sessions.config(self._settings, region)
        from oci.core import ComputeClient
        from oci.identity import IdentityClient

        # Only the root compartment may ask for a report.
        root = config["tenancy"]
        identity = sessions.client(IdentityClient, config)
        compute = sessions.client(ComputeClient, config)
        for domain in sessions.pages(identity.list_availability_domains, root):
            for one in _report(compute, root, domain.name, types_of(Cloud.ORACLE), rejected):
                stock = STATUSES.get(str(one.availability_status))
                if stock is not None:
                    yield Look(
                        key=OfferKey(
                            Cloud.ORACLE,
                            region,
                            sessions.zone_of(region, domain.name),
                            one.instance_shape,
                            CapacityType.ON_DEMAND,
                        ),
                        looked_at=looked_at,
                        stock=stock,
                        source="oracle capacity report",
                    )


def _price(item: Mapping[str, Any]) -> tuple[Decimal, str]:
    """Price per GPU and hour, and its currency. Raises: ValueError that says what is amiss."""
    if item.get("metricName") != METRIC:
        raise ValueError(f'sold by "{item.get("metricName")}", where "{METRIC}" was expected')
    for local in item["currencyCodeLocalizations"]:
        currency = str(local.get("currencyCode", ""))
        for price in local["prices"]:
            if price["model"] != MODEL:
                continue
            value = price["value"]
            if not isinstance(value, Decimal) or value <= 0:
                raise ValueError(f"its price is {value!s}")
            if not re.fullmatch(r"[A-Z]{3}", currency):
                raise ValueError(f'its currency is "{currency}"')
            return value, currency
    raise ValueError(f"no price of {MODEL}")


def _report(
    compute: Any,  # noqa: ANN401 - oci has no static types
    root: str,
    domain: str,
    names: Sequence[str],
    rejected: list[str],
) -> list[Any]:
    """What a domain has of each shape; one by one where a name spoils the whole report."""
    from oci.core import models
    from oci.exceptions import ServiceError

    details = models.CreateComputeCapacityReportDetails(
        compartment_id=root,
        availability_domain=domain,
        shape_availabilities=[
            models.CreateCapacityReportShapeAvailabilityDetails(instance_shape=name)
            for name in names
        ],
    )
    try:
        found: list[Any] = compute.create_compute_capacity_report(details).data.shape_availabilities
    except ServiceError as error:
        if error.status != 400:
            raise
        if len(names) == 1:
            rejected.append(f"stock of {names[0]}: {sessions.cloud_error(error).summary}")
            return []
        return [one for name in names for one in _report(compute, root, domain, [name], rejected)]
    return found or []
