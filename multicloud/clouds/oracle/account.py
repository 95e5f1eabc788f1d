"""Who we are with Oracle Cloud, and the GPUs that it lets us have."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from multicloud.clouds.failures import unreadable
from multicloud.clouds.oracle import session as sessions
from multicloud.models.account import Access, Quota
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from multicloud.models.project import CloudSettings

# Names of service limits, docs.oracle.com/iaas/Content/General/Concepts/servicelimits.htm:
# `gpu3-count` for VM.GPU3 and BM.GPU3, `gpu-a10-count` for VM.GPU.A10 and BM.GPU.A10.
_LIMIT = re.compile(r"gpu(?:(?P<number>\d+)|-(?P<model>[a-z0-9]+(?:-v\d+)?))-count")


class OracleAccount:
    """Asks Identity and Limits."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def access(self) -> Access:
        """The user of the profile and the tenancy; API keys have no end. Raises: CloudError."""
        config = sessions.config(self._settings)
        from oci.identity import IdentityClient

        try:
            user = sessions.client(IdentityClient, config).get_user(config["user"]).data
        except Exception as error:
            raise sessions.cloud_error(error) from error
        # An answer that is cut short is one without contents to the SDK, and no error.
        name = getattr(user, "name", None)
        if not isinstance(name, str):
            raise unreadable(Cloud.ORACLE, TypeError())
        return Access(cloud=Cloud.ORACLE, who=f"{name}, region {config['region']}")

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """The service limits of GPUs, by family and availability domain; preemptible ones too.

        What is used is not told with them. Raises: CloudError when any page fails.
        """
        config = sessions.config(self._settings, region)
        from oci.limits import LimitsClient

        try:
            limits = sessions.client(LimitsClient, config)
            told = sessions.pages(limits.list_limit_values, config["tenancy"], "compute")
        except Exception as error:
            raise sessions.cloud_error(error) from error
        found = [quota for one in told if (quota := _quota(one, region))]
        return tuple(sorted(found, key=lambda quota: (quota.name, quota.zone)))


def _quota(told: Any, region: str) -> Quota | None:  # noqa: ANN401 - see `_limits`
    """None for a limit that bounds no GPU shape."""
    match = _LIMIT.fullmatch(told.name)
    if match is None:
        return None
    model = match["number"] or "." + match["model"].upper().replace("-V", "-v")
    return Quota(
        cloud=Cloud.ORACLE,
        region=region,
        zone=sessions.zone_of(region, told.availability_domain or ""),
        name=told.name,
        unit="gpu",
        limit=Decimal(told.value),
        families=(f"BM.GPU{model}", f"VM.GPU{model}"),
        capacity=(CapacityType.ON_DEMAND, CapacityType.SPOT),
    )
