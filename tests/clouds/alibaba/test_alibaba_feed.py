"""Alibaba Cloud's prices, stock and advice, through the real SDK against a stub."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from multicloud.catalog.vet import vet_points
from multicloud.clouds import failures
from multicloud.clouds.alibaba import session as sessions
from multicloud.clouds.alibaba.feed import AlibabaFeed
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, Stock
from multicloud.models.offer import CapacityType
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

REGION, ZONE, KIND = "cn-beijing", "cn-beijing-h", "ecs.gn6i-c4g1.xlarge"
PRICE = "x-acs-action: DescribePrice"
SPOT = "x-acs-action: DescribeSpotPriceHistory"
STOCK = "x-acs-action: DescribeAvailableResource"
ADVICE = "x-acs-action: DescribeSpotAdvice"


def stock(*kinds: tuple[str, str]) -> Answer:
    told = [{"Value": k, "Status": "Available", "StatusCategory": c} for k, c in kinds]
    resources = [{"Type": "InstanceType", "SupportedResources": {"SupportedResource": told}}]
    zone = {"ZoneId": ZONE, "AvailableResources": {"AvailableResource": resources}}
    return answer({"AvailableZones": {"AvailableZone": [zone]}})


def price(amount: object = 11.63, currency: str | None = "CNY") -> Answer:
    details = [
        {"Resource": "systemDisk", "OriginalPrice": 0.056},
        {"Resource": "instanceType", "OriginalPrice": amount, "TradePrice": 9.3},
    ]
    told: dict[str, Any] = {"OriginalPrice": 11.69, "DetailInfos": {"DetailInfo": details}}
    if currency:
        told["Currency"] = currency
    return answer({"PriceInfo": {"Price": told}})


def spot(*prices: tuple[str, str, object], then: int = 0, currency: str = "CNY") -> Answer:
    told = [
        {"ZoneId": zone, "Timestamp": at, "SpotPrice": amount, "InstanceType": KIND}
        for zone, at, amount in prices
    ]
    return answer({"Currency": currency, "NextOffset": then, "SpotPrices": {"SpotPriceType": told}})


def advice(*bands: tuple[str, str]) -> Answer:
    told = [{"InstanceType": kind, "InterruptRateDesc": band} for kind, band in bands]
    zone = {"ZoneId": ZONE, "AvailableSpotResources": {"AvailableSpotResource": told}}
    return answer({"AvailableSpotZones": {"AvailableSpotZone": [zone]}})


def refusal(status: int, code: str) -> Answer:
    return answer({"Code": code, "Message": f"{code} it is.", "RequestId": "1"}, status)


@pytest.fixture
def alibaba(keyed: Stub) -> Stub:
    """A region with one type."""
    keyed.say(PRICE, price())
    keyed.say(SPOT, spot((ZONE, "2026-12-01T09:00:00Z", 2.1)))
    keyed.say(STOCK, stock((KIND, "WithStock")))
    keyed.say(ADVICE, advice((KIND, "3-5%")))
    return keyed


def read(**settings: Any) -> Batch:
    return AlibabaFeed(CloudSettings(**settings), (REGION,)).read(REGION)


@pytest.mark.usefixtures("alibaba")
def test_prices_stock_and_rates_of_what_the_region_has() -> None:
    batch = read()
    found = {
        str(p.key.capacity_type): (p.key.zone, str(p.amount), p.currency) for p in batch.points
    }
    # The instance alone at its list price; the disk is no part of it.
    assert found == {"on_demand": ("", "11.63", "CNY"), "spot": (ZONE, "2.1", "CNY")}
    assert {(look.key.zone, look.stock) for look in batch.looks} == {(ZONE, Stock.HIGH)}
    (rate,) = batch.interruptions
    assert (rate.zone, rate.low, rate.high) == (ZONE, Decimal("0.03"), Decimal("0.05"))
    assert {p.site for p in batch.points} == {"china"}
    assert batch.rejected == ()


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("WithoutStock", {Stock.NONE}),
        ("ClosedWithStock", {Stock.LOW}),
        ("ClosedWithoutStock", {Stock.NONE}),
    ],
)
def test_the_word_of_stock(alibaba: Stub, category: str, expected: set[Stock]) -> None:
    alibaba.say(STOCK, stock((KIND, category)))
    assert {look.stock for look in read().looks} == expected


def test_an_unknown_word_of_stock_is_told_and_hides_no_price(alibaba: Stub) -> None:
    alibaba.say(STOCK, stock((KIND, "AnotherWord")))
    batch = read()
    assert (len(batch.points), batch.looks) == (2, ())
    assert f'{ZONE} {KIND}: "AnotherWord" is no word of stock.' in batch.rejected


def test_types_without_gpus_are_not_asked_for(alibaba: Stub) -> None:
    alibaba.say(STOCK, stock(("ecs.g6.large", "WithStock")))
    assert (read().points, read().looks) == ((), ())
    assert not any(PRICE in asked for asked in alibaba.asked)


def test_the_newest_price_of_each_zone_over_all_pages(alibaba: Stub) -> None:
    first = spot(
        (ZONE, "2026-12-01T08:00:00Z", 3), ("cn-beijing-i", "2026-12-01T08:00:00Z", 4), then=2
    )
    alibaba.say(SPOT, first, spot((ZONE, "2026-12-01T09:00:00Z", 3.5)))
    found = {p.key.zone: str(p.amount) for p in read().points if p.key.zone}
    assert found == {ZONE: "3.5", "cn-beijing-i": "4"}
    assert "Offset=2" in "".join(alibaba.asked)


@pytest.mark.parametrize("then", [1, 7])
def test_a_list_without_an_end_is_refused(alibaba: Stub, then: int) -> None:
    alibaba.say(SPOT, spot((ZONE, "2026-12-01T08:00:00Z", 3), then=then))
    with pytest.raises(CloudError, match="no end"):
        read()


def test_b49_a_price_without_currency_is_no_price(alibaba: Stub) -> None:
    alibaba.say(PRICE, price(currency=None))
    batch = read()
    assert [str(p.key.capacity_type) for p in batch.points] == ["spot"]
    assert batch.rejected == (f"{REGION} {KIND}: a price without currency.",)


@pytest.mark.parametrize("bad", [price(0), price(-2), price(11.63, "USD")])
def test_b35_what_nobody_can_pay_is_not_kept(alibaba: Stub, bad: Answer) -> None:
    alibaba.say(PRICE, bad)
    good, faults = vet_points(read().points)
    assert [str(p.key.capacity_type) for p in good] == ["spot"]
    assert len(faults) == 1


def test_the_international_site_is_billed_in_dollars(alibaba: Stub) -> None:
    alibaba.say(PRICE, price(1.72, "USD"))
    point = read(site="intl").points[0]
    assert (point.site, point.currency) == ("intl", "USD")


def test_without_advice_there_are_still_prices(alibaba: Stub) -> None:
    alibaba.say(ADVICE, refusal(403, "Forbidden.RAM"))
    batch = read()
    assert len(batch.points) == 2
    assert "no spot advice (Forbidden.RAM" in batch.rejected[0]


def test_a_band_up_to_all_has_no_upper_end(alibaba: Stub) -> None:
    alibaba.say(ADVICE, advice((KIND, "10-100%"), (KIND, "unheard of")))
    batch = read()
    (rate,) = batch.interruptions
    assert (rate.low, rate.high) == (Decimal("0.1"), None)
    assert batch.rejected == (f'{ZONE} {KIND}: "unheard of" is no band of interruptions.',)


@pytest.mark.parametrize(("status", "code"), [(400, "Throttling.User"), (429, "TooMany")])
def test_throttled_calls_are_asked_again_for_long(alibaba: Stub, status: int, code: str) -> None:
    alibaba.say(PRICE, *(refusal(status, code) for _ in range(4)), price())
    assert len(read().points) == 2


def test_calls_that_stay_throttled_fail_the_whole(alibaba: Stub) -> None:
    alibaba.say(PRICE, refusal(400, "Throttling.User"))
    with pytest.raises(CloudError, match=r"Throttling\.User"):
        read()
    waits = len(sessions.THROTTLE_WAITS_S)
    assert sum(PRICE in asked for asked in alibaba.asked) == waits + 1


def test_faults_are_not_asked_for_as_long(alibaba: Stub) -> None:
    alibaba.say(PRICE, refusal(500, "InternalError"))
    with pytest.raises(CloudError, match="InternalError"):
        read()
    assert sum(PRICE in asked for asked in alibaba.asked) == failures.ATTEMPTS


@pytest.mark.parametrize(
    "code", ["PriceNotFound", "InstanceType.Offline", "InvalidInstanceType.ValueNotSupported"]
)
def test_a_type_without_a_price_hides_no_other(alibaba: Stub, code: str) -> None:
    other = "ecs.gn7i-c8g1.2xlarge"
    alibaba.say(STOCK, stock((KIND, "WithStock"), (other, "WithStock")))
    alibaba.say(f"InstanceType={other}&PriceUnit=Hour", refusal(400, code))
    batch = read()
    priced = {p.key.instance_type for p in batch.points if not p.key.zone}
    assert priced == {KIND}
    assert any(f"{REGION} {other}: no price ({code}" in said for said in batch.rejected)


def test_a_type_is_asked_for_with_a_disk_that_it_takes(alibaba: Stub) -> None:
    wrong = refusal(400, "InvalidSystemDiskCategory.ValueNotSupported")
    alibaba.say(PRICE, wrong, price())
    assert len(read().points) == 2
    disks = [asked for asked in alibaba.asked if PRICE in asked]
    assert "SystemDisk.Category=cloud_essd" in disks[0]
    assert "SystemDisk.Category=cloud_efficiency" in disks[1]


def test_a_type_that_takes_none_of_the_disks_is_told(alibaba: Stub) -> None:
    alibaba.say(PRICE, refusal(403, "InvalidDiskCategory.NotSupported"))
    batch = read()
    assert [p.key.capacity_type for p in batch.points] == [CapacityType.SPOT]
    assert "InvalidDiskCategory.NotSupported" in batch.rejected[0]
    assert sum(PRICE in asked for asked in alibaba.asked) == 3


def test_an_offset_behind_the_last_page_ends_the_list(alibaba: Stub) -> None:
    alibaba.say(SPOT, spot((ZONE, "2026-12-01T09:00:00Z", 3), then=1), spot(then=1))
    assert {str(p.amount) for p in read().points if p.key.zone} == {"3"}


def test_a_fault_on_the_second_page_fails_the_whole(alibaba: Stub) -> None:
    first = spot((ZONE, "2026-12-01T09:00:00Z", 3), then=1)
    alibaba.say(SPOT, first, refusal(500, "InternalError"))
    with pytest.raises(CloudError, match="InternalError"):
        read()


def test_a_price_is_never_of_a_later_time_than_the_look(alibaba: Stub) -> None:
    alibaba.say(SPOT, spot((ZONE, "2199-01-01T00:00:00Z", 3)))
    batch = read()
    assert {p.observed_at for p in batch.points} == {batch.looked_at}


@pytest.mark.parametrize(
    ("action", "bad"),
    [
        (PRICE, answer({"RequestId": "1"})),
        (SPOT, spot((ZONE, "yesterday", 3))),
        (SPOT, answer({"SpotPrices": {"SpotPriceType": [{"ZoneId": ZONE}]}})),
    ],
    ids=["no price", "no time", "no fields"],
)
def test_an_answer_of_another_shape_is_a_clouds_error(
    alibaba: Stub, action: str, bad: Answer
) -> None:
    alibaba.say(action, bad)
    with pytest.raises(CloudError, match="cannot be read"):
        read()


def test_a_region_that_sells_nothing_is_empty(alibaba: Stub) -> None:
    alibaba.say(STOCK, answer({"RequestId": "1"}))
    assert (read().points, read().looks) == ((), ())


@pytest.mark.parametrize("action", [PRICE, SPOT, STOCK])
@pytest.mark.parametrize(
    "bad",
    [refusal(403, "Forbidden.RAM"), refusal(500, "InternalError"), TRUNCATED, HOLE],
    ids=["403", "500", "truncated", "hole"],
)
def test_a_call_that_fails_fails_the_whole(alibaba: Stub, action: str, bad: Answer) -> None:
    alibaba.say(action, bad)
    with pytest.raises(CloudError):
        read()
