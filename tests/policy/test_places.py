from __future__ import annotations

import pytest

from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.place import Place
from multicloud.policy.places import parse_capacity, parse_place
from multicloud.policy.scalars import ScalarError


@pytest.mark.parametrize(
    ("text", "cloud", "region", "zone", "country"),
    [
        ("any", None, "*", "*", None),
        ("*", None, "*", "*", None),
        ("aws", Cloud.AWS, "*", "*", None),
        ("aws/us-east-1", Cloud.AWS, "us-east-1", "*", None),
        ("gcp/us-*", Cloud.GCP, "us-*", "*", None),
        ("*/us-east*", None, "us-east*", "*", None),
        ("aws/us-east-1/us-east-1a", Cloud.AWS, "us-east-1", "us-east-1a", None),
        ("aws/us-east-1/use1-az*", Cloud.AWS, "us-east-1", "use1-az*", None),
        ("EU", None, "*", "*", "EU"),
        ("CN", None, "*", "*", "CN"),
        ("aws/US", Cloud.AWS, "*", "*", "US"),
        ("*/DE", None, "*", "*", "DE"),
    ],
)
def test_places(
    text: str, cloud: Cloud | None, region: str, zone: str, country: str | None
) -> None:
    expected = Place(text=text, cloud=cloud, region=region, zone=zone, country=country)
    assert parse_place(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is not a place"),
        ("aws/", "is not a place"),
        ("aws/a/b/c", "is not a place"),
        ("aws us-east-1", "is not a place"),
        ("../x", "is not a place"),
        ("azzure", 'Did you mean "azure"?'),
        ("AWS", 'Did you mean "aws"?'),
        ("amazon", 'Did you mean "aws"?'),
        ("oci/us-phoenix-1", 'Did you mean "oracle"?'),
        ("us-east-1", "Did you mean aws/us-east-1 or"),
        ("eu", 'Did you mean "EU"?'),
        ("XX", "unknown cloud"),
        ("aws/us-est-1", 'no region "us-est-1" is known of aws'),
        ("aws/eastus", "is known of aws"),
        ("*/nowhere-*", "is known of any cloud"),
        ("aws/US/us-east-1a", "names a zone of a country"),
        ("aws/us-east-1/us-east-1q", 'no zone "us-east-1q"'),
        ("aws/us-east-1/use1-az9", "Did you mean"),
    ],
)
def test_what_is_no_place(text: str, expected: str) -> None:
    with pytest.raises(ScalarError) as error:
        parse_place(text)
    said = " ".join((error.value.summary, error.value.expected, error.value.hint))
    assert expected in said


def test_capacity_types() -> None:
    assert parse_capacity("spot") is CapacityType.SPOT
    assert parse_capacity("reserved") is CapacityType.RESERVED
    for text, expected in (
        ("preemptible", 'Did you mean "spot"?'),
        ("on-demand", 'Did you mean "on_demand"?'),
    ):
        with pytest.raises(ScalarError) as error:
            parse_capacity(text)
        assert expected in f"{error.value.summary} {error.value.hint}"
