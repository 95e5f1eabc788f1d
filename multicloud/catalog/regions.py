"""Regions of every cloud: country, zones, egress price."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from multicloud.catalog.tables import read_table, sources
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFacts:
    """One region. `zones` are ids; `zone_names` maps them to the sandbox account's names.

    `country` is ISO 3166-1 alpha-2. `site` is the account side that alone reaches the region,
    or empty. `egress_usd_per_gib` is the list price of the first paid tier to the internet,
    None when we are not certain of it.
    """

    name: str
    country: str
    zones: tuple[str, ...]
    zone_names: Mapping[str, str]
    site: str
    egress_usd_per_gib: Decimal | None
    source: str


@cache
def all_regions() -> Mapping[Cloud, Mapping[str, RegionFacts]]:
    """Every cloud's regions, by canonical id, in the table's order."""
    found: dict[Cloud, dict[str, RegionFacts]] = {cloud: {} for cloud in Cloud}
    for cloud, name, country, zones, site, egress, source in read_table("regions.csv"):
        pairs = [zone.partition("=") for zone in zones.split()]
        found[Cloud(cloud)][name] = RegionFacts(
            name=name,
            country=country,
            zones=tuple(zone for zone, _, _ in pairs),
            zone_names=MappingProxyType({zone: known or zone for zone, _, known in pairs}),
            site=site,
            egress_usd_per_gib=Decimal(egress) if egress else None,
            source=sources()[source].document,
        )
    return found
