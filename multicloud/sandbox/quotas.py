"""Marks on simulated accounts, told as quotas: so many nodes of a kind, and how many there are."""

from __future__ import annotations

from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from multicloud.models.account import Quota
from multicloud.models.offer import CapacityType
from multicloud.sandbox.stock import ANY, Pattern, StockReason

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from multicloud.models.offer import Cloud
    from multicloud.sandbox.stock import Mark, Stock


def told_quotas(db: sqlite3.Connection, marks: Stock, cloud: Cloud, region: str) -> Iterator[Quota]:
    """The quotas of the account in a region, by the marks that `unavailable --quota` left."""
    for mark in marks.marks:
        means = mark.pattern.cloud == cloud and fnmatchcase(region, mark.pattern.region)
        if mark.reason is StockReason.QUOTA and means:
            yield _quota(db, mark, cloud, region)


def _quota(db: sqlite3.Connection, mark: Mark, cloud: Cloud, region: str) -> Quota:
    pattern = mark.pattern
    query = "select zone, instance_type, capacity_type from node where cloud = ? and region = ?"
    used = sum(
        pattern.means(Pattern(cloud, region, *row)) for row in db.execute(query, (cloud, region))
    )
    family = "" if pattern.instance_type == ANY else pattern.instance_type.rstrip(ANY)
    kinds = [c for c in CapacityType if fnmatchcase(c, pattern.capacity_type)]
    return Quota(
        cloud=cloud,
        region=region,
        zone="" if pattern.zone == ANY else pattern.zone,
        name=" ".join(("simulated", *pattern[3:])),
        unit="node",
        limit=Decimal(used + mark.remaining),
        used=Decimal(used),
        families=(family,) if family else (),
        capacity=() if pattern.capacity_type == ANY else tuple(kinds),
    )
