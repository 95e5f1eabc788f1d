"""Who we are with Tencent Cloud, and the nodes that it lets us have."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from multicloud.clouds.failures import unreadable
from multicloud.clouds.tencent.session import call
from multicloud.models.account import Access, Quota
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.project import CloudSettings

# Where STS is asked: it is one service for all regions.
_HOME = "ap-guangzhou"
_SETS: Mapping[str, CapacityType] = {
    "PostPaidQuotaSet": CapacityType.ON_DEMAND,
    "SpotPaidQuotaSet": CapacityType.SPOT,
}


class TencentAccount:
    """Asks STS and CVM."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def access(self) -> Access:
        """Who the credentials belong to; no end, since nobody tells one. Raises: CloudError."""
        told = call(self._settings, "sts", "2018-08-13", _HOME, "GetCallerIdentity")
        who = told.get("Arn")
        if not isinstance(who, str):
            raise unreadable(Cloud.TENCENT, KeyError("Arn"))
        return Access(cloud=Cloud.TENCENT, who=who)

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """How many nodes each zone of the region grants, on demand and as spot.

        Source: cloud.tencent.com/document/api/213/55628. They count nodes of every type; what a
        type has of its own is not told. Raises: CloudError.
        """
        told = call(self._settings, "cvm", "2017-03-12", region, "DescribeAccountQuota")
        try:
            found = list(_quotas(told, region))
        except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise unreadable(Cloud.TENCENT, error) from error
        return tuple(sorted(found, key=lambda quota: (quota.name, quota.zone)))


def _quotas(told: Mapping[str, Any], region: str) -> Iterator[Quota]:
    sets = told["AccountQuotaOverview"]["AccountQuota"]
    for name, capacity in _SETS.items():
        for one in sets.get(name) or ():
            yield Quota(
                cloud=Cloud.TENCENT,
                region=region,
                zone=one["Zone"],
                name=name,
                unit="node",
                limit=Decimal(one["TotalQuota"]),
                used=Decimal(one["UsedQuota"]),
                capacity=(capacity,),
            )
