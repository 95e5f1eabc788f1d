"""Who we are with Azure, and the cores that it lets us have."""

from __future__ import annotations

import base64
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from multicloud.clouds.azure import session as sessions
from multicloud.models.account import Access, Quota
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings


class _Bound(NamedTuple):
    capacity: CapacityType
    families: tuple[str, ...] = ()


def _sizes(*sizes: str) -> _Bound:
    return _Bound(CapacityType.ON_DEMAND, tuple(f"Standard_{size}" for size in sizes))


# What counts against a usage of the compute service, by its name in small letters and without
# spaces, since Azure spells some names in several ways; all count cores. The pages of the series
# at learn.microsoft.com/azure/virtual-machines/sizes name sizes; `family` of the API "Resource
# Skus - List" is the usage's name. Spot cores of all sizes count against one usage, and only
# against that: learn.microsoft.com/azure/quotas/spot-quota.
USAGES: Mapping[str, _Bound] = {
    "cores": _Bound(CapacityType.ON_DEMAND),
    "lowprioritycores": _Bound(CapacityType.SPOT),
    "standardncsv3family": _sizes("NC6s_v3", "NC12s_v3", "NC24s_v3", "NC24rs_v3"),
    "standardncasv3_t4family": _sizes("NC4as_T4", "NC8as_T4", "NC16as_T4", "NC64as_T4"),
    "standardncadsa100v4family": _sizes("NC24ads_A100", "NC48ads_A100", "NC96ads_A100"),
    "standardncadsh100v5family": _sizes("NC40ads_H100", "NC80adis_H100"),
    "standardnccads2023family": _sizes("NCC40ads_H100"),
    "standardndsv2family": _sizes("ND40rs_v2"),
    "standardndasv4_a100family": _sizes("ND96asr_v4"),
    "standardndamsv4_a100family": _sizes("ND96amsr_A100"),
    "standardndsh100v5family": _sizes("ND96isr_H100"),
    "standardndisrh200v5family": _sizes("ND96isr_H200"),
    "standardndisv5mi300xfamily": _sizes("ND96isr_MI300X"),
    "standardnvsv3family": _sizes("NV12s_v3", "NV24s_v3", "NV48s_v3"),
    "standardnvsv4family": _sizes("NV4as_v4", "NV8as_v4", "NV16as_v4", "NV32as_v4"),
    "standardnvadsa10v5family": _sizes(
        *("NV6ads_A10", "NV12ads_A10", "NV18ads_A10", "NV36ads_A10", "NV36adms_A10", "NV72ads_A10")
    ),
    "standardngadsv620v1family": _sizes("NG8ads_V620", "NG16ads_V620", "NG32ads_V620"),
}
# Claims that name a user, an application or a managed identity, the most readable first:
# learn.microsoft.com/entra/identity-platform/access-token-claims-reference.
_NAMES = ("upn", "unique_name", "preferred_username", "app_displayname", "appid", "oid")


class AzureAccount:
    """Asks Entra ID and the compute service."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def access(self) -> Access:
        """Who the credentials belong to, and the subscription; no end, since tokens are renewed.

        Raises: CloudError.
        """
        credential = sessions.credential()
        try:
            token = credential.get_token(sessions.SCOPE).token
        except Exception as error:
            raise sessions.cloud_error(error) from error
        where = sessions.subscription(self._settings)
        return Access(cloud=Cloud.AZURE, who=f"{_who(token)}, subscription {where}")

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """The region's cores: of the families of GPU sizes, of all sizes, and of spot.

        Raises: CloudError.
        """
        where = sessions.subscription(self._settings)
        client = sessions.client(sessions.credential(), where)
        try:
            told = list(client.usage.list(region))
            found = [quota for usage in told if (quota := _quota(usage, region))]
        except Exception as error:
            raise sessions.cloud_error(error) from error
        return tuple(sorted(found, key=lambda quota: quota.name))


def _quota(usage: Any, region: str) -> Quota | None:  # noqa: ANN401 - compute's Usage
    """None for a usage that bounds no size of the catalogue."""
    name = usage.name.value
    bound = USAGES.get(name.replace(" ", "").lower())
    if bound is None:
        return None
    return Quota(
        cloud=Cloud.AZURE,
        region=region,
        name=name,
        unit="vcpu",
        limit=Decimal(usage.limit),
        used=Decimal(usage.current_value),
        families=bound.families,
        capacity=(bound.capacity,),
    )


def _who(token: str) -> str:
    """The name in a token. It is read, not checked: Azure checks it when it is used."""
    try:
        middle = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError):
        return "unnamed identity"
    return str(next((claims[name] for name in _NAMES if claims.get(name)), "unnamed identity"))
