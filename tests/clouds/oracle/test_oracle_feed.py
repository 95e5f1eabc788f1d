"""Oracle's price list and capacity reports, against a stub."""

from __future__ import annotations

from typing import Any

import pytest

from multicloud.clouds import web
from multicloud.clouds.oracle import feed as module
from multicloud.clouds.oracle.feed import PARTS, OracleFeed
from multicloud.errors import CloudError
from multicloud.models.feed import Stock
from multicloud.models.project import CloudSettings, RegionSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub, answer

REGION = "us-ashburn-1"
REPORT, DOMAINS = "/computeCapacityReports", "/availabilityDomains"


def an_item(
    part: str, value: object, *, metric: str = "GPU Per Hour", currency: str = "USD"
) -> Any:
    prices = [{"model": "MONTHLY_COMMIT", "value": 1}, {"model": "PAY_AS_YOU_GO", "value": value}]
    local = [{"currencyCode": currency, "prices": prices}]
    return {
        "partNumber": part,
        "displayName": "Compute - GPU",
        "metricName": metric,
        "currencyCodeLocalizations": local,
    }


ALL = [an_item(part, 2.95) for part in sorted(set(PARTS.values()))]


@pytest.fixture
def oracle(profile: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    monkeypatch.setattr(module, "LIST_URL", f"{profile.url}/products/")
    monkeypatch.setattr(web, "LONGEST_WAIT_S", 0.05)
    profile.say(
        "/products/", answer({"items": [*ALL, an_item("B00001", 9, metric="OCPU Per Hour")]})
    )
    domain = {"id": "ocid1.ad", "name": "Uocm:US-ASHBURN-AD-2", "compartmentId": "c"}
    profile.say(DOMAINS, answer([domain]))
    return profile


def feed(*regions: str, settings: CloudSettings | None = None) -> OracleFeed:
    return OracleFeed(settings or CloudSettings(), regions)


@pytest.mark.usefixtures("oracle")
def test_a_shape_costs_its_gpus_in_every_region() -> None:
    batch = feed().read("list")
    found = {(p.key.region, p.key.instance_type): str(p.amount) for p in batch.points}
    assert found[REGION, "BM.GPU3.8"] == "23.60"
    assert found["eu-frankfurt-1", "VM.GPU3.2"] == "5.90"
    assert {p.currency for p in batch.points} == {"USD"}
    assert batch.rejected == ()
    assert {p.key.region for p in feed(REGION).read("list").points} == {REGION}


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (an_item("B89734", 1, metric="OCPU Per Hour"), 'sold by "OCPU Per Hour"'),
        ({**an_item("B89734", 1), "currencyCodeLocalizations": []}, "no price of PAY_AS_YOU_GO"),
        (an_item("B89734", 1, currency=""), 'currency is ""'),
        (an_item("B89734", 0), "price is 0"),
        (an_item("B89734", -1), "price is -1"),
        (an_item("B89734", None), "price is None"),
    ],
)
def test_a_part_that_is_sold_otherwise_is_left_out(oracle: Stub, item: Any, told: str) -> None:
    others = [one for one in ALL if one["partNumber"] != "B89734"]
    oracle.say("/products/", answer({"items": [*others, item]}))
    batch = feed(REGION).read("list")
    assert "BM.GPU3.8" not in {p.key.instance_type for p in batch.points}
    assert "BM.GPU4.8" in {p.key.instance_type for p in batch.points}
    (sentence,) = batch.rejected
    assert sentence.startswith("part B89734: ")
    assert told in sentence


def test_a_part_that_is_gone_from_the_list_is_named(oracle: Stub) -> None:
    oracle.say("/products/", answer({"items": ALL[1:]}))
    assert feed(REGION).read("list").rejected == (f"part {ALL[0]['partNumber']}: not in the list.",)


def test_another_currency_is_handed_on_as_told(oracle: Stub) -> None:
    oracle.say("/products/", answer({"items": [an_item("B89734", 1, currency="BRL")]}))
    assert {p.currency for p in feed(REGION).read("list").points} == {"BRL"}


@pytest.mark.parametrize(
    "bad",
    [TRUNCATED, HOLE, answer({"items": []}), answer({}, 500), answer({}, 429), answer([1])],
    ids=["truncated", "hole", "empty", "500", "429", "another form"],
)
def test_a_list_that_is_not_whole_is_an_error(oracle: Stub, bad: Any) -> None:
    oracle.say("/products/", bad)
    with pytest.raises(CloudError):
        feed(REGION).read("list")


def stocked() -> OracleFeed:
    return feed(settings=CloudSettings(regions={REGION: RegionSettings()}))


def test_a_capacity_report_tells_the_stock_of_a_domain(oracle: Stub) -> None:
    told = [
        {"instanceShape": "BM.GPU4.8", "availabilityStatus": "OUT_OF_HOST_CAPACITY"},
        {"instanceShape": "VM.GPU.A10.1", "availabilityStatus": "AVAILABLE", "availableCount": "3"},
        {"instanceShape": "BM.GPU2.2", "availabilityStatus": "UNKNOWN_ENUM_VALUE"},
    ]
    oracle.say(REPORT, answer({"compartmentId": "c", "shapeAvailabilities": told}))
    assert stocked().parts() == ("list", f"stock {REGION}")
    found = {
        (k.key.zone, k.key.instance_type): k.stock for k in stocked().read(f"stock {REGION}").looks
    }
    assert found == {
        ("us-ashburn-1-AD-2", "BM.GPU4.8"): Stock.NONE,
        ("us-ashburn-1-AD-2", "VM.GPU.A10.1"): Stock.SOME,
    }


def test_a_shape_that_oracle_does_not_know_spoils_no_other(oracle: Stub) -> None:
    one = {"instanceShape": "BM.GPU.H200.8", "availabilityStatus": "AVAILABLE"}
    oracle.say(REPORT, answer({"code": "InvalidParameter", "message": "which?"}, 400))
    oracle.say(
        '"shapeAvailabilities": [{"instanceShape": "BM.GPU.H200.8"}]',
        answer({"compartmentId": "c", "shapeAvailabilities": [one]}),
    )
    batch = stocked().read(f"stock {REGION}")
    assert [look.key.instance_type for look in batch.looks] == ["BM.GPU.H200.8"]
    assert "stock of BM.GPU.B200.8: InvalidParameter: which?" in batch.rejected


def test_who_may_not_ask_for_reports_still_has_prices(oracle: Stub) -> None:
    oracle.say(REPORT, answer({"code": "NotAuthorizedOrNotFound", "message": "no"}, 404))
    batch = stocked().read(f"stock {REGION}")
    assert batch.looks == ()
    assert batch.rejected[0].startswith(f"stock {REGION}: NotAuthorizedOrNotFound")
    assert stocked().read("list").points
