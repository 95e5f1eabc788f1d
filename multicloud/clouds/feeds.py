"""Which clouds' prices can be read: one explicit entry per cloud, its SDK loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.feed import Feed
    from multicloud.models.project import CloudSettings


def _gcp(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.gcp.feed import GcpFeed

    return GcpFeed(settings, regions)


def _oracle(settings: CloudSettings, regions: tuple[str, ...]) -> Feed:
    from multicloud.clouds.oracle.feed import OracleFeed

    return OracleFeed(settings, regions)


FEEDS: Mapping[Cloud, Callable[[CloudSettings, tuple[str, ...]], Feed]] = {
    Cloud.GCP: _gcp,
    Cloud.ORACLE: _oracle,
}
"""By cloud; the second argument are the regions asked for, all of the catalogue when empty."""
