"""Who we are with Alibaba Cloud, and the vCPUs that it lets us have."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from multicloud.clouds.alibaba import session as sessions
from multicloud.clouds.failures import failure
from multicloud.models.account import Access, Quota
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings

# Where STS is told to be when no region is named; the answer does not depend on it.
_HOME = "cn-hangzhou"


class _Bound(NamedTuple):
    used: str
    capacity: CapacityType


# Attributes of an account and which of them tells the use,
# api.aliyun.com/document/Ecs/2014-05-26/DescribeAccountAttributes; all count vCPUs.
LIMITS: Mapping[str, _Bound] = {
    "max-postpaid-instance-vcpu-count": _Bound(
        "used-postpaid-instance-vcpu-count", CapacityType.ON_DEMAND
    ),
    "max-spot-instance-vcpu-count": _Bound("used-spot-instance-vcpu-count", CapacityType.SPOT),
}


class AlibabaAccount:
    """Asks STS and ECS."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def access(self) -> Access:
        """Who the credentials belong to; no end, since the SDK tells none.

        Raises: CloudError.
        """
        credential = sessions.credential(self._settings)
        body = sessions.ask(lambda: _caller(credential))["body"]
        if not isinstance(body, dict) or not body.get("Arn"):
            raise failure("UnreadableAnswer", "STS names nobody", "Run again in a minute.")
        return Access(cloud=Cloud.ALIBABA, who=str(body["Arn"]))

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """The region's vCPUs of pay-as-you-go and of spot nodes of all types together.

        Quotas of single families stand in Quota Center, which is not asked. Raises: CloudError.
        """
        credential = sessions.credential(self._settings)
        told = sessions.ask(lambda: _attributes(credential, region))
        found = [
            Quota(
                cloud=Cloud.ALIBABA,
                region=region,
                zone=zone,
                name=name,
                unit="vcpu",
                limit=limit,
                used=told.get((bound.used, zone)),
                capacity=(bound.capacity,),
            )
            for name, bound in LIMITS.items()
            for (attribute, zone), limit in told.items()
            if attribute == name
        ]
        return tuple(sorted(found, key=lambda quota: (quota.name, quota.zone)))


def _caller(credential: Any) -> Any:  # noqa: ANN401 - the SDK has no static types
    """STS's answer by the generic client: its own SDK is one more package for one call."""
    from alibabacloud_tea_openapi.client import Client
    from alibabacloud_tea_openapi.utils_models import OpenApiRequest, Params

    params = Params(
        action="GetCallerIdentity",
        version="2015-04-01",
        protocol="HTTPS",
        pathname="/",
        method="POST",
        auth_type="AK",
        style="RPC",
        req_body_type="formData",
        body_type="json",
    )
    client = sessions.client(Client, credential, sessions.STS, _HOME)
    return client.call_api(params, OpenApiRequest(), sessions.bounds())


def _attributes(credential: Any, region: str) -> dict[tuple[str, str], Decimal]:  # noqa: ANN401
    """Numbers by attribute and zone; an account's own, without a zone, have an empty one."""
    from alibabacloud_ecs20140526.client import Client
    from alibabacloud_ecs20140526.models import DescribeAccountAttributesRequest

    names = [name for limit, bound in LIMITS.items() for name in (limit, bound.used)]
    asked = DescribeAccountAttributesRequest(region_id=region, attribute_name=names)
    client = sessions.client(Client, credential, sessions.ECS, region)
    answer = client.describe_account_attributes_with_options(asked, sessions.bounds())
    return {
        (item.attribute_name, value.zone_id or ""): Decimal(value.value)
        for item in answer.body.account_attribute_items.account_attribute_item
        for value in item.attribute_values.value_item
    }
