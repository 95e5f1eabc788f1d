from __future__ import annotations

import pytest

from multicloud.catalog.clouds import (
    CLOUDS,
    countries,
    in_country,
    matches_place,
    region_country,
    zones_in,
)
from multicloud.models.offer import Cloud
from multicloud.models.place import Place

ANY = Place(text="any")
US = Place(text="US", country="US")
EU = Place(text="EU", country="EU")


def place(cloud: Cloud, region: str = "*", zone: str = "*") -> Place:
    return Place(text=f"{cloud}/{region}/{zone}", cloud=cloud, region=region, zone=zone)


@pytest.mark.parametrize(
    ("pattern", "cloud", "region", "zone", "fits"),
    [
        (ANY, Cloud.ORACLE, "us-ashburn-1", None, True),
        (place(Cloud.AWS), Cloud.AWS, "eu-west-1", None, True),
        (place(Cloud.AWS), Cloud.GCP, "us-central1", None, False),
        (place(Cloud.AWS, "us-east-1"), Cloud.AWS, "us-east-1", None, True),
        (place(Cloud.AWS, "us-east"), Cloud.AWS, "us-east-1", None, False),
        (place(Cloud.AZURE, "east"), Cloud.AZURE, "eastus", None, False),
        (place(Cloud.GCP, "us-*"), Cloud.GCP, "us-east4", None, True),
        (place(Cloud.GCP, "us-*"), Cloud.GCP, "asia-east1", None, False),
        (place(Cloud.AWS, "us-east-1", "use1-az1"), Cloud.AWS, "us-east-1", "use1-az1", True),
        (place(Cloud.AWS, "us-east-1", "us-east-1b"), Cloud.AWS, "us-east-1", "use1-az1", True),
        (place(Cloud.AWS, "us-east-1", "us-east-1a"), Cloud.AWS, "us-east-1", "use1-az1", False),
        # An offer for the whole region is taken by a pattern with one of its zones.
        (place(Cloud.AWS, "us-east-1", "us-east-1b"), Cloud.AWS, "us-east-1", None, True),
        (place(Cloud.AWS, "us-east-1", "us-east-1z"), Cloud.AWS, "us-east-1", None, False),
        (place(Cloud.AWS, "*", "*-az1"), Cloud.AWS, "eu-west-1", "euw1-az1", True),
        (US, Cloud.AWS, "us-west-2", None, True),
        (US, Cloud.ALIBABA, "us-east-1", None, True),
        (US, Cloud.AWS, "ca-central-1", None, False),
        (EU, Cloud.AWS, "eu-west-1", None, True),
        (EU, Cloud.AWS, "eu-west-2", None, False),
        (EU, Cloud.AWS, "eu-central-2", None, False),
        (EU, Cloud.GCP, "europe-west6", None, False),
        (Place(text="aws/US", cloud=Cloud.AWS, country="US"), Cloud.GCP, "us-east4", None, False),
        (Place(text="UK", country="UK"), Cloud.ORACLE, "uk-london-1", None, True),
        (US, Cloud.AWS, "us-nowhere-9", None, False),
        (ANY, Cloud.AWS, "us-nowhere-9", None, True),
    ],
)
def test_what_a_place_means(
    pattern: Place, cloud: Cloud, region: str, zone: str | None, fits: bool
) -> None:
    assert matches_place(pattern, cloud, region, zone) is fits


def test_zones_in_lists_ids_by_name_or_id() -> None:
    places = (
        place(Cloud.AWS, "us-east-1", "us-east-1b"),
        place(Cloud.AWS, "us-east-1", "use1-az6"),
    )
    assert zones_in(places, Cloud.AWS, "us-east-1") == ("use1-az1", "use1-az6")
    assert zones_in((ANY,), Cloud.TENCENT, "ap-guangzhou") == (
        "ap-guangzhou-3",
        "ap-guangzhou-4",
        "ap-guangzhou-6",
        "ap-guangzhou-7",
    )
    assert zones_in((ANY,), Cloud.AWS, "nowhere") == ()


def test_countries_are_codes_and_groups() -> None:
    assert {"US", "CN", "DE", "EU", "UK", "HK", "TW"} <= set(countries())
    assert list(countries()) == sorted(set(countries()))
    assert all(len(code) == 2 and code.isupper() for code in countries())


@pytest.mark.parametrize(
    ("cloud", "region", "country"),
    [
        (Cloud.AWS, "eu-central-2", "CH"),
        (Cloud.AZURE, "southeastasia", "SG"),
        (Cloud.AZURE, "eastasia", "HK"),
        (Cloud.GCP, "asia-east1", "TW"),
        (Cloud.ALIBABA, "cn-hongkong", "HK"),
        (Cloud.TENCENT, "na-ashburn", "US"),
        (Cloud.ORACLE, "nowhere", None),
    ],
)
def test_region_country(cloud: Cloud, region: str, country: str | None) -> None:
    assert region_country(cloud, region) == country


def test_a_region_without_a_country_is_in_none() -> None:
    assert not in_country("US", None)


def test_groups_hold_whole_countries() -> None:
    assert in_country("EU", "IE")
    assert not in_country("EU", "GB")
    assert not in_country("DE", "FR")


@pytest.mark.parametrize(
    ("cloud", "wanted", "site", "currency"),
    [
        (Cloud.AWS, "", "aws", "USD"),
        (Cloud.AWS, "china", "aws", "USD"),
        (Cloud.AWS, "aws-cn", "aws-cn", "CNY"),
        (Cloud.TENCENT, "", "china", "CNY"),
        (Cloud.TENCENT, "intl", "intl", "USD"),
        (Cloud.ALIBABA, "intl", "intl", "USD"),
        (Cloud.GCP, "china", "", "USD"),
    ],
)
def test_sites_and_currencies(cloud: Cloud, wanted: str, site: str, currency: str) -> None:
    assert CLOUDS[cloud].site(wanted) == site
    assert CLOUDS[cloud].currency(wanted) == currency


def test_bids_are_rendered_where_the_cloud_takes_them() -> None:
    rendered = {cloud for cloud, facts in CLOUDS.items() if facts.bid.rendered}
    assert rendered == {Cloud.AWS, Cloud.AZURE, Cloud.TENCENT, Cloud.ALIBABA}
    assert CLOUDS[Cloud.GCP].bid.note == "watched, not enforced"
    assert CLOUDS[Cloud.ALIBABA].bid.decimals == 2


@pytest.mark.parametrize(
    ("cloud", "name", "is_good"),
    [
        (Cloud.GCP, "mc-training-1", True),
        (Cloud.GCP, "Training", False),
        (Cloud.GCP, "a" * 64, False),
        (Cloud.GCP, "a-", False),
        (Cloud.TENCENT, "mc_training", True),
        (Cloud.TENCENT, "x" * 56, False),
        (Cloud.AWS, "mc training", False),
    ],
)
def test_name_grammar(cloud: Cloud, name: str, is_good: bool) -> None:
    assert CLOUDS[cloud].names.accepts(name) is is_good


@pytest.mark.parametrize("cloud", Cloud)
def test_regions_are_sound(cloud: Cloud) -> None:
    for name, region in CLOUDS[cloud].regions.items():
        assert region.name == name
        assert len(set(region.zones)) == len(region.zones)
        assert set(region.zone_names) == set(region.zones)
        assert region.source
        assert region.egress_usd_per_gib is None or 0 < region.egress_usd_per_gib < 1
