"""Who we are with AWS, and the vCPUs that it lets us have."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from multicloud.clouds.aws import session as sessions
from multicloud.models.account import Access, Quota
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings

# Where the partition's STS is asked when no region is named.
_HOME = "us-east-1"


class _Bound(NamedTuple):
    capacity: CapacityType
    families: tuple[str, ...]


# Quota codes of service `ec2`, docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas;
# all count vCPUs.
CODES: Mapping[str, _Bound] = {
    "L-417A185B": _Bound(CapacityType.ON_DEMAND, ("p2", "p3", "p4", "p5", "p6")),
    "L-7212CCBC": _Bound(CapacityType.SPOT, ("p2", "p3", "p4")),
    "L-C4BD4855": _Bound(CapacityType.SPOT, ("p5", "p6")),
    "L-DB2E81BA": _Bound(CapacityType.ON_DEMAND, ("g", "vt")),
    "L-3819A6DF": _Bound(CapacityType.SPOT, ("g", "vt")),
}


class AwsAccount:
    """Asks STS and Service Quotas."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def access(self) -> Access:
        """Who the credentials belong to. Raises: CloudError."""
        session = sessions.session(self._settings)
        try:
            sts = sessions.client(session, "sts", session.region_name or _HOME)
            who = sts.get_caller_identity()["Arn"]
        except Exception as error:
            raise sessions.cloud_error(error) from error
        return Access(cloud=Cloud.AWS, who=who, expires_at=sessions.expiry(session))

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """The region's vCPU quotas of GPU types. Raises: CloudError."""
        session = sessions.session(self._settings)
        try:
            quotas = sessions.client(session, "service-quotas", region)
            pages = quotas.get_paginator("list_service_quotas").paginate(ServiceCode="ec2")
            told = [quota for page in pages for quota in page["Quotas"]]
        except Exception as error:
            raise sessions.cloud_error(error) from error
        found = [
            Quota(
                cloud=Cloud.AWS,
                region=region,
                name=quota["QuotaName"],
                unit="vcpu",
                limit=Decimal(str(quota["Value"])),
                families=CODES[quota["QuotaCode"]].families,
                capacity=(CODES[quota["QuotaCode"]].capacity,),
            )
            for quota in told
            if quota["QuotaCode"] in CODES
        ]
        return tuple(sorted(found, key=lambda quota: quota.name))
