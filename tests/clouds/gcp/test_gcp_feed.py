"""Google Cloud's price list, through the real SDK against a stub."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.catalog.snapshot import bundled_snapshot
from multicloud.clouds.gcp import feed
from multicloud.clouds.gcp.feed import GcpFeed
from multicloud.errors import CloudError
from multicloud.models.feed import Upfront
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub, answer

if TYPE_CHECKING:
    from multicloud.models.feed import Batch

REGION = "us-central1"
SPOT = "Preemptible"
SKUS, SECOND = "/v1/services/6F81-5844-456A/skus?", "pageToken=p2"
OLD, NOW, LATER = "2024-01-01T00:00:00Z", "2025-06-01T07:00:00.5Z", "2999-01-01T00:00:00Z"


@pytest.fixture
def project(let_in: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    monkeypatch.setattr(feed, "ENDPOINT", let_in.url)
    return let_in


def a_sku(
    description: str, nanos: int, unit: str = "h", usage: str = "OnDemand", **more: Any
) -> dict[str, Any]:
    money = {"currencyCode": "USD", "units": str(nanos // 10**9), "nanos": nanos % 10**9} | more
    regions = money.pop("regions", [REGION])
    rates = money.pop("rates", [{"startUsageAmount": 0, "unitPrice": money}])
    return {
        "name": "services/6F81-5844-456A/skus/0001-0002-0003",
        "skuId": "0001-0002-0003",
        "description": description,
        "category": {"resourceFamily": "Compute", "usageType": usage},
        "serviceRegions": regions,
        "pricingInfo": [
            {
                "effectiveTime": money.pop("since", NOW),
                "pricingExpression": {"usageUnit": unit, "tieredRates": rates},
            }
        ],
        "skuOfTomorrow": 1,
    }


CORE = a_sku("A2 Instance Core running in Americas", 30_000_000)
RAM = a_sku("A2 Instance Ram running in Americas", 4_000_000, "GiBy.h")
A100 = a_sku("Nvidia Tesla A100 GPU running in Americas", 3_000_000_001)
A100_80 = a_sku("Nvidia Tesla A100 80GB GPU running in Americas", 4_000_000_000)
SSD = a_sku("SSD backed Local Storage", 73_000_000, "GiBy.mo")
A2 = [CORE, RAM, A100]
NOISE = [
    a_sku("Reserved Nvidia Tesla A100 GPU in Americas in Calendar Mode", 1),
    a_sku("Nvidia Tesla A100 GPU attached to DWS Defined Duration VMs running in Americas", 1),
    a_sku("A2 Sole Tenancy Instance Core running in Americas", 1),
    a_sku("Nvidia L4 Virtual Workstation GPU running in Americas", 1),
    a_sku("Commitment v1: A2 Cpu in Americas for 5 Years", 1, usage="Commit"),
    a_sku("Network Internet Egress from Americas", 1, "GiBy"),
    a_sku("N1 Predefined Instance Core running in Americas", 1),
]


def read(stub: Stub, *skus: dict[str, Any], regions: tuple[str, ...] = (REGION,)) -> Batch:
    stub.say(SKUS, answer({"skus": skus, "nextPageToken": ""}))
    return GcpFeed(CloudSettings(), regions).read("list")


def amounts(batch: Batch) -> dict[tuple[str, str], str]:
    keys = ((p.key.instance_type, p.key.capacity_type.value, p.amount) for p in batch.points)
    return {(type_, capacity): str(amount.normalize()) for type_, capacity, amount in keys}


def test_a_machine_is_its_cores_its_memory_and_its_gpus(project: Stub) -> None:
    batch = read(project, *NOISE, *A2)
    found = amounts(batch)
    # 12 x 0.03 + 85 x 0.004 + 3.000000001, and the same in other proportions.
    assert found["a2-highgpu-1g", "on_demand"] == "3.700000001"
    assert found["a2-megagpu-16g", "on_demand"] == "56.320000016"
    assert set(found) == {
        *((f"a2-highgpu-{gpus}g", "on_demand") for gpus in (1, 2, 4, 8)),
        ("a2-megagpu-16g", "on_demand"),
    }
    assert {(p.currency, p.site, p.key.region, p.key.zone) for p in batch.points} == {
        ("USD", "", REGION, "")
    }
    assert batch.points[0].observed_at == batch.looked_at
    assert batch.rejected == ()
    assert "currencyCode=USD" in project.asked[-1]


def test_disks_that_come_with_a_machine_are_paid(project: Stub) -> None:
    found = amounts(read(project, CORE, RAM, A100_80, SSD))
    # 375 GiB at 0.073 a month are 375 x 0.0001 an hour.
    assert found["a2-ultragpu-1g", "on_demand"] == "5.0775"


def test_what_the_catalogue_says_comes_out(project: Stub) -> None:
    """Prices of parts in Iowa as of 2026-08, which the catalogue has as those of whole machines."""
    batch = read(
        project,
        a_sku("A2 Instance Core running in Americas", 31_611_000),
        a_sku("A2 Instance Ram running in Americas", 4_237_000, "GiBy.h"),
        a_sku("Nvidia Tesla A100 GPU running in Americas", 2_933_908_000),
        a_sku("Nvidia Tesla A100 80GB GPU running in Americas", 3_928_080_000),
        a_sku("SSD backed Local Storage", 80_000_000, "GiBy.mo"),
    )
    known = {
        offer.shape.instance_type: offer.quotes[-1].amount
        for offer in bundled_snapshot().offers
        if (offer.cloud, offer.region) == (Cloud.GCP, REGION)
        and offer.capacity_type is CapacityType.ON_DEMAND
    }
    found = {point.key.instance_type: point.amount for point in batch.points}
    assert len(found) == 9
    for name, amount in found.items():
        assert abs(amount - known[name]) < Decimal("0.00000001"), name


def test_spot_is_told_by_the_word_and_by_the_usage_type(project: Stub) -> None:
    batch = read(
        project,
        *A2,
        a_sku("Spot Preemptible A2 Instance Core running in Americas", 10_000_000),
        a_sku("Spot Preemptible A2 Instance Ram running in Iowa", 1_000_000, "GiBy.h", SPOT),
        a_sku(
            "Nvidia Tesla A100 GPU attached to Spot Preemptible VMs running in Americas",
            1_000_000_000,
            usage=SPOT,
        ),
    )
    assert amounts(batch)["a2-highgpu-1g", "spot"] == "1.205"
    assert amounts(batch)["a2-highgpu-1g", "on_demand"] == "3.700000001"


def test_small_a3_machines_are_not_sold_on_demand(project: Stub) -> None:
    whole = [
        a_sku("A3 Instance Core running in Americas", 20_000_000),
        a_sku("A3 Instance Ram running in Americas", 2_000_000, "GiBy.h"),
        a_sku("Nvidia H100 80GB GPU running in Americas", 9_000_000_000),
        SSD,
    ]
    spot = [{**sku, "category": {"usageType": "Preemptible"}} for sku in whole]
    found = amounts(read(project, *whole, *spot))
    assert {type_ for type_, capacity in found if capacity == "on_demand"} == {"a3-highgpu-8g"}
    assert ("a3-highgpu-1g", "spot") in found
    # 208 x 0.02 + 1872 x 0.002 + 72 + 6000 x 0.0001
    assert found["a3-highgpu-8g", "on_demand"] == "80.504"


def test_a_mega_gpu_has_several_names_and_is_no_other(project: Stub) -> None:
    batch = read(
        project,
        a_sku("A3Plus Instance Core running in Americas", 1_000_000_000),
        a_sku("A3Plus Instance Ram running in Americas", 1_000_000_000, "GiBy.h"),
        a_sku("Nvidia H100 80GB Plus GPU running in Americas", 10_000_000_000),
        SSD,
    )
    assert amounts(batch) == {("a3-megagpu-8g", "on_demand"): "2160.6"}


def test_g4_and_commitments(project: Stub) -> None:
    whole = [
        ("G4 Instance Core running in Iowa", "Commitment v1: G4 Cpu in Iowa", "h"),
        ("G4 Instance Ram running in Iowa", "Commitment v1: G4 Ram in Iowa", "GiBy.h"),
        ("RTX 6000 96GB running in Iowa", "Commitment v1: RTX 6000 96GB running in Iowa", "h"),
    ]
    skus = [a_sku(ordinary, 2_000_000, unit) for ordinary, _, unit in whole]
    skus += [a_sku(f"{told} for 1 Year", 1_000_000, u, "Commit1Yr") for _, told, u in whole]
    skus += [a_sku(f"{told} for 3 Years", 500_000, u, "Commit3Yr") for _, told, u in whole]
    batch = read(project, *skus)
    assert amounts(batch)["g4-standard-48", "on_demand"] == "0.458"
    rates = {r.months: r for r in batch.rates if r.instance_type == "g4-standard-48"}
    assert {months: str(r.per_hour.normalize()) for months, r in rates.items()} == {
        12: "0.229",
        36: "0.1145",
    }
    assert (rates[12].kind, rates[12].upfront, rates[12].at_start) == (
        "committed_use",
        Upfront.NONE,
        Decimal(0),
    )


def test_a_slice_costs_its_chips_in_zones_that_have_it(project: Stub) -> None:
    batch = read(
        project,
        a_sku("TpuV5e Chip Hours in Iowa", 1_200_000_000),
        a_sku("Preemptible TpuV5e Chip Hours in Iowa", 600_000_000),
    )
    found = {p.key.instance_type: p for p in batch.points}
    assert found["v5litepod-8"].key.zone == "us-central1-a"
    assert found["v5litepod-8"].amount == Decimal("9.6")
    assert {p.key.capacity_type for p in batch.points} == {CapacityType.ON_DEMAND}


def test_half_a_machine_has_no_price(project: Stub) -> None:
    batch = read(project, CORE, A100)
    assert batch.points == ()
    told = f"a2-highgpu-1g (OnDemand) has no price of A2 ram in {REGION}."
    assert told in batch.rejected
    without_disks = read(project, CORE, RAM, A100_80)
    told = f"a2-ultragpu-1g (OnDemand) has no price of local ssd in {REGION}."
    assert told in without_disks.rejected
    assert without_disks.points == ()


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (a_sku("A2 Instance Ram running in Americas", 1, "GiBy.mo"), 'per "GiBy.mo"'),
        (a_sku("A2 Instance Ram running in Americas", 1, "GiBy.h", currencyCode=""), "currency"),
        (a_sku("A2 Instance Ram running in Americas", 0, "GiBy.h"), "costs 0"),
        (a_sku("A2 Instance Ram running in Americas", -5, "GiBy.h"), "costs -5"),
        (a_sku("A2 Instance Ram running in Americas", 1, "GiBy.h", since=LATER), "no price of now"),
        (a_sku("A2 Instance Ram running in Americas", 1, "GiBy.h", rates=[]), "other prices"),
    ],
)
def test_a_part_that_is_told_otherwise_is_named_and_never_used(
    project: Stub, broken: dict[str, Any], told: str
) -> None:
    batch = read(project, CORE, broken, A100)
    assert batch.points == ()
    assert batch.rejected[0].startswith('SKU 0001-0002-0003 "A2 Instance Ram')
    assert told in batch.rejected[0]


def test_two_prices_of_one_part_are_none(project: Stub) -> None:
    other = a_sku("A2 Instance Ram running in Iowa", 5_000_000, "GiBy.h")
    batch = read(project, *A2, other)
    assert batch.points == ()
    assert batch.rejected[0] == f"{REGION}: A2 ram (OnDemand) has several prices."
    again = {**RAM, "description": "A2 Instance Ram running in Iowa"}
    assert read(project, *A2, again).points


def test_of_several_times_the_newest_that_holds_is_meant(project: Stub) -> None:
    times = [
        a_sku("", 9_000_000_000, since=OLD)["pricingInfo"][0],
        *A100["pricingInfo"],
        a_sku("", 8_000_000_000, since=LATER)["pricingInfo"][0],
    ]
    batch = read(project, CORE, RAM, {**A100, "pricingInfo": times})
    assert amounts(batch)["a2-highgpu-1g", "on_demand"] == "3.700000001"


def test_mixed_and_foreign_currencies(project: Stub) -> None:
    parts = zip(A2, ("h", "GiBy.h", "h"), strict=True)
    yen = [a_sku(sku["description"], 10**9, unit, currencyCode="JPY") for sku, unit in parts]
    assert {p.currency for p in read(project, *yen).points} == {"JPY"}
    mixed = read(project, CORE, RAM, yen[2])
    assert mixed.points == ()
    assert "is told in JPY and USD" in mixed.rejected[0]


def test_a_part_holds_where_it_says(project: Stub) -> None:
    everywhere = [{**sku, "serviceRegions": [REGION, "us-west1", "mars-1"]} for sku in A2]
    assert {p.key.region for p in read(project, *everywhere, regions=()).points} == {
        REGION,
        "us-west1",
    }
    assert read(project, *everywhere, regions=("europe-west4",)).points == ()


def test_pages_are_read_to_the_end(project: Stub) -> None:
    project.say(SKUS, answer({"skus": A2[:1], "nextPageToken": "p2"}))
    project.say(SECOND, answer({"skus": []}), answer({"skus": A2[1:]}))
    found = GcpFeed(CloudSettings(), (REGION,))
    assert found.parts() == ("list",)
    assert found.read("list").points == ()
    assert found.read("list").points


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(project: Stub, status: int) -> None:
    project.say(SKUS, answer({"error": {"code": status}}, status), answer({"skus": A2}))
    assert GcpFeed(CloudSettings(), (REGION,)).read("list").points


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (answer({"error": {"code": 500, "message": "sorry"}}, 500), "InternalServerError"),
        (answer({"error": {"code": 429, "message": "slow"}}, 429), "TooManyRequests"),
        (answer({"skus": [RAM], "nextPageToken": "p2"}), "has no end"),
        (TRUNCATED, "cannot be read"),
        (HOLE, "Timeout"),
    ],
    ids=["500", "429", "endless", "truncated", "hole"],
)
def test_a_second_page_that_fails_fails_the_whole(project: Stub, second: Any, told: str) -> None:
    project.say(SKUS, answer({"skus": A2, "nextPageToken": "p2"}))
    project.say(SECOND, second)
    start = time.monotonic()
    with pytest.raises(CloudError, match=told):
        GcpFeed(CloudSettings(), (REGION,)).read("list")
    assert time.monotonic() - start < 3


def test_an_empty_list_is_an_error(project: Stub) -> None:
    with pytest.raises(CloudError, match="empty"):
        read(project)


def test_who_may_not_ask_is_told_what_to_do(project: Stub) -> None:
    project.say(SKUS, answer({"error": {"code": 403, "message": "API has not been used"}}, 403))
    with pytest.raises(CloudError, match="has not been used") as caught:
        GcpFeed(CloudSettings(), (REGION,)).read("list")
    assert "Cloud Billing API" in caught.value.hint
