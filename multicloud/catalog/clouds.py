"""What the six clouds can do, and which of their places a pattern means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from multicloud.catalog.regions import RegionFacts, all_regions
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from multicloud.models.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class BidRule:
    """Whether a cap on spot is rendered, and to how many decimals it is rounded down.

    `note` says for people what becomes of a cap, or of none.
    """

    rendered: bool
    decimals: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameGrammar:
    """What a resource's name may look like, in the strictest of the kinds we render."""

    pattern: str
    max_length: int
    source: str

    def accepts(self, name: str) -> bool:
        """Whether the whole name fits."""
        return len(name) <= self.max_length and re.fullmatch(self.pattern, name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudFacts:
    """One cloud. `currencies` maps each site of its accounts to what that site bills in.

    `spot_notice` is the time between the notice of an interruption and the node's end.
    """

    cloud: Cloud
    title: str
    default_site: str
    currencies: Mapping[str, str]
    bid: BidRule
    spot_notice: timedelta
    names: NameGrammar
    source: str

    @property
    def regions(self) -> Mapping[str, RegionFacts]:
        """Regions by canonical id; read from `catalog/data/regions.csv` when first asked for."""
        return all_regions()[self.cloud]

    def site(self, wanted: str) -> str:
        """The wanted site where the cloud has it, else its default one."""
        return wanted if wanted in self.currencies else self.default_site

    def currency(self, site: str = "") -> str:
        """What an account of the site pays in."""
        return self.currencies[self.site(site)]


# The members of the European Union since 2020-02-01, european-union.europa.eu.
_EU = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
# Codes that stand for several countries; UK is what people write for GB.
GROUPS = MappingProxyType({"EU": frozenset(_EU.split()), "UK": frozenset({"GB"})})

_USD = MappingProxyType({"": "USD"})
_TWO_SITES = MappingProxyType({"china": "CNY", "intl": "USD"})
_LOWER = r"[a-z](?:[-a-z0-9]*[a-z0-9])?"

CLOUDS: Mapping[Cloud, CloudFacts] = MappingProxyType(
    {
        Cloud.AWS: CloudFacts(
            cloud=Cloud.AWS,
            title="AWS",
            default_site="aws",
            # Partitions: an account belongs to one and reaches no region of another.
            currencies=MappingProxyType({"aws": "USD", "aws-us-gov": "USD", "aws-cn": "CNY"}),
            bid=BidRule(rendered=True, decimals=4, note="no cap: the on-demand price"),
            spot_notice=timedelta(minutes=2),
            names=NameGrammar(
                pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
                max_length=125,
                source="docs.aws.amazon.com EC2 CreateLaunchTemplate, LaunchTemplateName",
            ),
            source="docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices",
        ),
        Cloud.GCP: CloudFacts(
            cloud=Cloud.GCP,
            title="Google Cloud",
            default_site="",
            currencies=_USD,
            bid=BidRule(rendered=False, decimals=0, note="watched, not enforced"),
            spot_notice=timedelta(seconds=30),
            names=NameGrammar(
                pattern=_LOWER,
                max_length=63,
                source="cloud.google.com/compute/docs/naming-resources (RFC 1035)",
            ),
            source="cloud.google.com/compute/docs/instances/spot",
        ),
        Cloud.AZURE: CloudFacts(
            cloud=Cloud.AZURE,
            title="Azure",
            default_site="",
            currencies=_USD,
            bid=BidRule(rendered=True, decimals=5, note="no cap: -1, the on-demand price"),
            spot_notice=timedelta(seconds=30),
            names=NameGrammar(
                pattern=r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?",
                max_length=64,
                source="learn.microsoft.com resource-name-rules, virtualMachineScaleSets",
            ),
            source="learn.microsoft.com/azure/virtual-machines/spot-vms",
        ),
        Cloud.TENCENT: CloudFacts(
            cloud=Cloud.TENCENT,
            title="Tencent Cloud",
            default_site="china",
            currencies=_TWO_SITES,
            bid=BidRule(rendered=True, decimals=4, note="no cap: none rendered"),
            spot_notice=timedelta(minutes=2),
            names=NameGrammar(
                pattern=r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?",
                max_length=55,
                source="cloud.tencent.com/document/api/377 CreateAutoScalingGroup, names",
            ),
            source="cloud.tencent.com/document/product/213/17816 spot instances",
        ),
        Cloud.ALIBABA: CloudFacts(
            cloud=Cloud.ALIBABA,
            title="Alibaba Cloud",
            default_site="china",
            currencies=_TWO_SITES,
            # The cloud takes three decimals, its Terraform provider sends two, rounded.
            bid=BidRule(rendered=True, decimals=2, note="no cap: the on-demand price"),
            spot_notice=timedelta(minutes=5),
            names=NameGrammar(
                pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
                max_length=64,
                source="alibabacloud.com ESS CreateScalingGroup, ScalingGroupName",
            ),
            source="alibabacloud.com/help/ecs spot instances, RunInstances SpotPriceLimit",
        ),
        Cloud.ORACLE: CloudFacts(
            cloud=Cloud.ORACLE,
            title="Oracle Cloud",
            default_site="",
            currencies=_USD,
            bid=BidRule(rendered=False, decimals=0, note="watched, not enforced"),
            spot_notice=timedelta(minutes=2),
            names=NameGrammar(
                pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
                max_length=255,
                source="docs.oracle.com instance pools, displayName",
            ),
            source="docs.oracle.com/iaas/Content/Compute/Concepts/preemptible.htm",
        ),
    }
)


def region_country(cloud: Cloud, region: str) -> str | None:
    """ISO 3166-1 alpha-2 code of where a region stands; None for a region we do not know."""
    facts = all_regions()[cloud].get(region)
    return facts.country if facts else None


@cache
def countries() -> tuple[str, ...]:
    """Every country and group code that a place may name, sorted."""
    found = {region.country for facts in CLOUDS.values() for region in facts.regions.values()}
    return tuple(sorted(found | set(GROUPS)))


def in_country(code: str, country: str | None) -> bool:
    """Whether a region's country is meant by a country or group code."""
    if country is None:
        return False
    return country == code or country in GROUPS.get(code, frozenset())


def matches_place(place: Place, cloud: Cloud, region: str, zone: str | None) -> bool:
    """Whether a pattern takes an offer of this cloud, region and zone id.

    A zone of the pattern is matched against ids and the account's names. `zone` None is an
    offer for the whole region: a pattern with a zone takes it when any zone of the region fits
    (the group then spans those; see `zones_in`). A region without a known country is in none.
    """
    if place.cloud is not None and place.cloud != cloud:
        return False
    if place.country is not None and not in_country(place.country, region_country(cloud, region)):
        return False
    if place.region != "*" and place.region != region and not fnmatchcase(region, place.region):
        return False
    if place.zone == "*":
        return True
    if zone is None:
        return bool(zones_in((place,), cloud, region))
    return _zone_fits(place.zone, cloud, region, zone)


def zones_in(places: Iterable[Place], cloud: Cloud, region: str) -> tuple[str, ...]:
    """Ids of the region's known zones that any of the patterns takes, in the table's order."""
    facts = CLOUDS[cloud].regions.get(region)
    patterns = tuple(places)
    return tuple(
        zone
        for zone in (facts.zones if facts else ())
        if any(matches_place(place, cloud, region, zone) for place in patterns)
    )


def _zone_fits(pattern: str, cloud: Cloud, region: str, zone: str) -> bool:
    """Whether a zone's id, or its name in the account, fits the pattern."""
    if zone == pattern or fnmatchcase(zone, pattern):
        return True
    facts = CLOUDS[cloud].regions.get(region)
    name = facts.zone_names.get(zone) if facts else None
    return name is not None and fnmatchcase(name, pattern)
