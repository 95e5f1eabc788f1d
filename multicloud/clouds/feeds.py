"""Which clouds' prices can be read: one explicit entry per cloud, its SDK loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.feed import Feed
    from multicloud.models.project import CloudSettings


def _alibaba(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.alibaba.feed import AlibabaFeed

    return AlibabaFeed(settings, regions)


def _aws(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.aws.feed import AwsFeed

    return AwsFeed(settings, regions)


def _azure(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.azure.feed import AzureFeed

    return AzureFeed(settings, regions)


def _gcp(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.gcp.feed import GcpFeed

    return GcpFeed(settings, regions)


def _oracle(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.oracle.feed import OracleFeed

    return OracleFeed(settings, regions)


def _tencent(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.tencent.feed import TencentFeed

    return TencentFeed(settings, regions)


FEEDS: Mapping[Cloud, Callable[[CloudSettings, tuple[str, ...]], Feed]] = {
    Cloud.ALIBABA: _alibaba,
    Cloud.AWS: _aws,
    Cloud.AZURE: _azure,
    Cloud.GCP: _gcp,
    Cloud.ORACLE: _oracle,
    Cloud.TENCENT: _tencent,
}
"""By cloud; the second argument are the regions asked for, all of the catalogue when empty."""
