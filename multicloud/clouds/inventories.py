"""Which clouds can tell what runs there: one explicit entry per cloud, its SDK loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.inventory import Inventory
    from multicloud.models.project import CloudSettings


def _alibaba(settings: CloudSettings) -> Inventory:
    from multicloud.clouds.alibaba.inventory import AlibabaInventory

    return AlibabaInventory(settings)


def _aws(settings: CloudSettings) -> Inventory:
    from multicloud.clouds.aws.inventory import AwsInventory

    return AwsInventory(settings)


def _azure(settings: CloudSettings) -> Inventory:
    from multicloud.clouds.azure.inventory import AzureInventory

    return AzureInventory(settings)


def _gcp(settings: CloudSettings) -> Inventory:
    from multicloud.clouds.gcp.inventory import GcpInventory

    return GcpInventory(settings)


def _oracle(settings: CloudSettings) -> Inventory:
    from multicloud.clouds.oracle.inventory import OracleInventory

    return OracleInventory(settings)


def _tencent(settings: CloudSettings) -> Inventory:
    from multicloud.clouds.tencent.inventory import TencentInventory

    return TencentInventory(settings)


INVENTORIES: Mapping[Cloud, Callable[[CloudSettings], Inventory]] = {
    Cloud.ALIBABA: _alibaba,
    Cloud.AWS: _aws,
    Cloud.AZURE: _azure,
    Cloud.GCP: _gcp,
    Cloud.ORACLE: _oracle,
    Cloud.TENCENT: _tencent,
}
