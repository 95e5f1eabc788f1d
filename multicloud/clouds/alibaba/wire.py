"""The questions that we ask ECS, and the parts of its answers that we read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicloud.clouds.alibaba import session as sessions
from multicloud.errors import CloudError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

# Old families take no ESSD and new ones nothing else; the disk's price is left out in any case.
DISKS = ("cloud_essd", "cloud_efficiency", "cloud_ssd")
_WRONG_DISK = ("InvalidSystemDiskCategory", "InvalidDiskCategory")
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


class Ecs:
    """One region's ECS. Every question raises CloudError when it is refused."""

    def __init__(self, credential: Any, region: str) -> None:  # noqa: ANN401 - the SDK has no static types
        from alibabacloud_ecs20140526.client import Client

        self._region = region
        self._client = sessions.client(Client, credential, sessions.ECS, region)

    def available(self, *, spot: bool) -> Iterator[tuple[str, str, str]]:
        """Zone, type and category of stock of everything the region has."""
        from alibabacloud_ecs20140526 import models

        request = models.DescribeAvailableResourceRequest(
            region_id=self._region,
            destination_resource="InstanceType",
            instance_charge_type="PostPaid",
            spot_strategy="SpotAsPriceGo" if spot else "NoSpot",
        )
        body = self._asked(self._client.describe_available_resource_with_options, request)
        for zone in _list(body.available_zones, "available_zone"):
            for resource in _list(zone.available_resources, "available_resource"):
                for one in _list(resource.supported_resources, "supported_resource"):
                    yield zone.zone_id, one.value, one.status_category

    def price(self, kind: str) -> tuple[object, str] | None:
        """List price of the type alone per hour, disks apart, and its currency.

        A type is asked for with the next kind of disk when it does not take one.
        """
        for disk in DISKS[:-1]:
            try:
                return self._price(kind, disk)
            except CloudError as error:
                if not error.code.startswith(_WRONG_DISK):
                    raise
        return self._price(kind, DISKS[-1])

    def _price(self, kind: str, disk: str) -> tuple[object, str] | None:
        from alibabacloud_ecs20140526 import models

        request = models.DescribePriceRequest(
            region_id=self._region,
            resource_type="instance",
            instance_type=kind,
            price_unit="Hour",
            system_disk=models.DescribePriceRequestSystemDisk(category=disk, size=40),
        )
        body = self._asked(self._client.describe_price_with_options, request)
        price = body.price_info.price
        for detail in _list(price.detail_infos, "detail_info"):
            if detail.resource == "instanceType":
                return detail.original_price, price.currency or ""
        return None

    def spot_prices(
        self, kind: str, start: datetime, offset: int
    ) -> tuple[str, Sequence[Any], int]:
        """Currency, prices with zone and time, and where the list goes on (0: it ends)."""
        from alibabacloud_ecs20140526 import models

        request = models.DescribeSpotPriceHistoryRequest(
            region_id=self._region,
            instance_type=kind,
            network_type="vpc",
            ostype="linux",
            start_time=f"{start:{_STAMP}}",
            offset=offset,
        )
        body = self._asked(self._client.describe_spot_price_history_with_options, request)
        prices = _list(body.spot_prices, "spot_price_type")
        return body.currency or "", prices, int(body.next_offset or 0)

    def advice(self) -> Iterator[tuple[str, str, str]]:
        """Zone, type and band of interruption rates of the last 30 days."""
        from alibabacloud_ecs20140526 import models

        request = models.DescribeSpotAdviceRequest(region_id=self._region)
        body = self._asked(self._client.describe_spot_advice_with_options, request)
        for zone in _list(body.available_spot_zones, "available_spot_zone"):
            for one in _list(zone.available_spot_resources, "available_spot_resource"):
                yield zone.zone_id, one.instance_type, one.interrupt_rate_desc or ""

    def _asked(self, call: Any, request: Any) -> Any:  # noqa: ANN401 - the SDK has no static types
        waits = sessions.THROTTLE_WAITS_S
        return sessions.ask(lambda: call(request, sessions.bounds()), throttle_waits=waits).body


def _list(holder: Any, name: str) -> Sequence[Any]:  # noqa: ANN401 - the SDK has no static types
    """A list that the SDK wraps in an object of its own, which may be missing."""
    found: Sequence[Any] = getattr(holder, name, None) or ()
    return found
