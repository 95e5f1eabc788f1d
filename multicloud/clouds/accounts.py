"""Which accounts can be asked: one explicit entry per cloud, its SDK loaded when it is used."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from multicloud import clock
from multicloud.clouds.failures import as_cloud_error
from multicloud.errors import CloudError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.account import Access, Account, Quota
    from multicloud.models.project import CloudSettings

TIMEOUT_S = 15.0


def _alibaba(settings: CloudSettings) -> Account:
    from multicloud.clouds.alibaba.account import AlibabaAccount

    return AlibabaAccount(settings)


def _aws(settings: CloudSettings) -> Account:
    from multicloud.clouds.aws.account import AwsAccount

    return AwsAccount(settings)


def _azure(settings: CloudSettings) -> Account:
    from multicloud.clouds.azure.account import AzureAccount

    return AzureAccount(settings)


def _gcp(settings: CloudSettings) -> Account:
    from multicloud.clouds.gcp.account import GcpAccount

    return GcpAccount(settings)


def _oracle(settings: CloudSettings) -> Account:
    from multicloud.clouds.oracle.account import OracleAccount

    return OracleAccount(settings)


def _tencent(settings: CloudSettings) -> Account:
    from multicloud.clouds.tencent.account import TencentAccount

    return TencentAccount(settings)


ACCOUNTS: Mapping[Cloud, Callable[[CloudSettings], Account]] = {
    Cloud.ALIBABA: _alibaba,
    Cloud.AWS: _aws,
    Cloud.AZURE: _azure,
    Cloud.GCP: _gcp,
    Cloud.ORACLE: _oracle,
    Cloud.TENCENT: _tencent,
}


class Told(NamedTuple):
    """What one account said: `access` or why not, and the quotas of each region or why not."""

    access: Access | CloudError
    quotas: Mapping[str, tuple[Quota, ...] | CloudError]


def ask_all(
    wanted: Mapping[Cloud, CloudSettings], *, timeout_s: float = TIMEOUT_S
) -> Mapping[Cloud, Told]:
    """Ask every account at once, each region that its settings name; `timeout_s` at the most.

    An account that does not answer in time, or whose SDK breaks, is told as an error.
    """
    found: dict[Cloud, Told] = {}
    threads = [
        threading.Thread(target=_ask, args=(cloud, settings, found), daemon=True)
        for cloud, settings in wanted.items()
    ]
    for thread in threads:
        thread.start()
    end = clock.monotonic() + timeout_s
    for thread in threads:
        thread.join(max(0.0, end - clock.monotonic()))
    late = Told(CloudError(f"no answer within {timeout_s:g} s"), {})
    return {cloud: found.get(cloud, late) for cloud in wanted}


def _ask(cloud: Cloud, settings: CloudSettings, found: dict[Cloud, Told]) -> None:
    try:
        account = ACCOUNTS[cloud](settings)
        access = account.access()
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises is told, not raised
        found[cloud] = Told(as_cloud_error(error), {})
        return
    quotas: dict[str, tuple[Quota, ...] | CloudError] = {}
    for region in sorted(settings.regions):
        try:
            quotas[region] = account.quotas(region)
        except Exception as error:  # noqa: BLE001 - see above
            quotas[region] = as_cloud_error(error)
    found[cloud] = Told(access, quotas)
