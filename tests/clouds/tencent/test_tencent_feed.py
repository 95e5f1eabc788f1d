"""Tencent Cloud's prices and stock, through the real SDK against a stub."""

from __future__ import annotations

import json
from typing import Any

import pytest

from multicloud.catalog.vet import vet_points
from multicloud.clouds.tencent.feed import TencentFeed
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, Stock
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub, answer
from tests.clouds.tencent.wire import refusal, response

REGION, ZONE, KIND = "ap-guangzhou", "ap-guangzhou-6", "GN7.2XLARGE32"
ACTION = "DescribeZoneInstanceConfigInfos"


def an_entry(charge: str = "POSTPAID_BY_HOUR", *, price: Any = None, **more: Any) -> dict[str, Any]:
    told = {"UnitPrice": 8.68, "UnitPriceDiscount": 7.1, "ChargeUnit": "HOUR", "Discount": 82}
    return {
        "Zone": ZONE,
        "InstanceType": KIND,
        "InstanceChargeType": charge,
        "Cpu": 8,
        "Memory": 32,
        "Status": "SELL",
        "StatusCategory": "NormalStock",
        "Price": {**told, **(price or {})},
        **more,
    }


def read(**settings: Any) -> Batch:
    return TencentFeed(CloudSettings(**settings), (REGION,)).read(REGION)


def say(stub: Stub, *entries: dict[str, Any]) -> None:
    stub.say(ACTION, response(InstanceTypeQuotaSet=list(entries)))


def test_price_and_stock_of_a_zone_come_together(keyed: Stub) -> None:
    spot = an_entry("SPOTPAID", price={"UnitPriceDiscount": 1.736}, StatusCategory="UnderStock")
    say(keyed, an_entry(), spot)
    batch = read()
    found = {
        str(p.key.capacity_type): (p.key.zone, str(p.amount), p.currency) for p in batch.points
    }
    # On demand the list price: a policy's discounts are taken off that.
    assert found == {"on_demand": (ZONE, "8.68", "CNY"), "spot": (ZONE, "1.736", "CNY")}
    assert [look.stock for look in batch.looks] == [Stock.SOME, Stock.LOW]
    assert {p.site for p in batch.points} == {"china"}
    asked = json.loads(keyed.asked[0].splitlines()[-1])
    assert KIND in asked["Filters"][1]["Values"]


@pytest.mark.parametrize(
    ("told", "stock"),
    [
        ({"Status": "SOLD_OUT", "StatusCategory": "WithoutStock"}, Stock.NONE),
        ({"Status": "SOLD_OUT", "StatusCategory": "EnoughStock"}, Stock.NONE),
        ({"StatusCategory": "EnoughStock"}, Stock.HIGH),
        ({"StatusCategory": "NewWord"}, Stock.SOME),
        ({"StatusCategory": None}, Stock.SOME),
    ],
)
def test_the_word_of_stock(keyed: Stub, told: dict[str, str], stock: Stock) -> None:
    say(keyed, an_entry(**told))
    assert [look.stock for look in read().looks] == [stock]


def test_b49_the_site_says_what_is_billed(keyed: Stub) -> None:
    say(keyed, an_entry())
    (point,) = read(site="intl").points
    assert (point.site, point.currency) == ("intl", "USD")


def test_other_types_and_ways_of_buying_are_passed_over(keyed: Stub) -> None:
    say(keyed, an_entry(InstanceType="S5.SMALL1"), an_entry("PREPAID"), an_entry("CDHPAID"))
    assert (read().points, read().looks, read().rejected) == ((), (), ())


@pytest.mark.parametrize(
    ("price", "told"),
    [
        ({"ChargeUnit": "MONTH"}, 'sold by "MONTH", where "HOUR" was expected'),
        ({"UnitPrice": None}, "none that is a number"),
        ({"UnitPrice": "8.68"}, "none that is a number"),
        ({"UnitPrice": True}, "none that is a number"),
    ],
)
def test_a_price_that_cannot_be_understood_is_named(keyed: Stub, price: Any, told: str) -> None:
    say(keyed, an_entry(price=price), an_entry("SPOTPAID"))
    batch = read()
    assert len(batch.points) == 1
    (sentence,) = batch.rejected
    assert sentence.startswith(f"{ZONE} {KIND} POSTPAID_BY_HOUR: ")
    assert told in sentence


def test_stock_without_a_price_is_kept_and_told(keyed: Stub) -> None:
    say(keyed, {**an_entry(), "Price": None})
    batch = read()
    assert (len(batch.looks), batch.points) == (1, ())
    assert batch.rejected == (f"{ZONE} {KIND} POSTPAID_BY_HOUR: no price is told.",)


def test_one_call_asks_for_no_more_than_a_filter_takes(keyed: Stub) -> None:
    say(keyed)
    read()
    (asked,) = keyed.asked
    filters = json.loads(asked.splitlines()[-1])["Filters"]
    assert {one["Name"]: len(one["Values"]) <= 100 for one in filters} == {
        "instance-charge-type": True,
        "instance-type": True,
    }


@pytest.mark.parametrize("told", [{"a": 1}, ["a"], "text"])
def test_a_list_of_something_else_is_a_clouds_error(keyed: Stub, told: Any) -> None:
    keyed.say(ACTION, response(InstanceTypeQuotaSet=told))
    with pytest.raises(CloudError, match="cannot be read"):
        read()


def test_amounts_are_exact(keyed: Stub) -> None:
    say(keyed, an_entry(price={"UnitPrice": 0.1}), an_entry("SPOTPAID", price={"UnitPrice": 9}))
    assert [str(p.amount) for p in read().points] == ["0.1", "7.1"]


@pytest.mark.parametrize("amount", [0, -1.5])
def test_b35_nought_is_no_price(keyed: Stub, amount: float) -> None:
    say(keyed, an_entry(price={"UnitPrice": amount}))
    assert vet_points(read().points)[0] == ()


def test_a_region_that_sells_nothing_is_empty(keyed: Stub) -> None:
    say(keyed)
    assert read().points == ()


def test_too_many_calls_are_asked_again(keyed: Stub) -> None:
    good = response(InstanceTypeQuotaSet=[an_entry()])
    keyed.say(ACTION, refusal("RequestLimitExceeded"), good)
    assert len(read().points) == 1


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (refusal("RequestLimitExceeded"), "RequestLimitExceeded"),
        (refusal("AuthFailure.SecretIdNotFound"), "AuthFailure"),
        (response(), "cannot be read"),
        (TRUNCATED, "cannot be read"),
        (HOLE, "ClientNetworkError"),
        (answer({}, 500), "ServerNetworkError"),
    ],
    ids=["429", "auth", "no set", "truncated", "hole", "500"],
)
def test_what_is_no_answer_is_an_error(keyed: Stub, bad: Any, told: str) -> None:
    keyed.say(ACTION, bad)
    with pytest.raises(CloudError, match=told):
        read()
