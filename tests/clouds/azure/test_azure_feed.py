"""Azure's prices, read from a stub that speaks as the Retail Prices API does."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import pytest

from multicloud.catalog.vet import vet_points
from multicloud.clouds import web
from multicloud.clouds.azure import feed as module
from multicloud.clouds.azure.feed import AzureFeed
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, Upfront
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub, answer

REGION = "eastus"
KIND = "Standard_NC24ads_A100_v4"


def a_row(**changes: Any) -> dict[str, Any]:
    return {
        "currencyCode": "USD",
        "tierMinimumUnits": 0.0,
        "retailPrice": 3.673,
        "unitPrice": 3.673,
        "armRegionName": REGION,
        "location": "US East",
        "effectiveStartDate": "2023-01-01T00:00:00Z",
        "meterName": "NC24ads A100 v4",
        "productName": "Virtual Machines NCads A100 v4 Series",
        "skuName": "NC24ads A100 v4",
        "serviceName": "Virtual Machines",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "isPrimaryMeterRegion": True,
        "armSkuName": KIND,
        **changes,
    }


def page(*rows: dict[str, Any], then: str = "") -> Any:
    return answer({"BillingCurrency": "USD", "Items": rows, "NextPageLink": then or None})


@pytest.fixture
def azure(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    monkeypatch.setattr(module, "ENDPOINT", f"{stub.url}/prices")
    monkeypatch.setattr(web, "LONGEST_WAIT_S", 0.05)
    return stub


def read() -> Batch:
    return AzureFeed(CloudSettings(), (REGION,)).read(REGION)


def prices(batch: Batch) -> dict[tuple[str, str], str]:
    return {(p.key.instance_type, str(p.key.capacity_type)): str(p.amount) for p in batch.points}


def test_every_region_is_a_part() -> None:
    assert "eastus" in AzureFeed(CloudSettings()).parts()
    assert AzureFeed(CloudSettings(), ("westus2", "eastus")).parts() == ("eastus", "westus2")


def test_pages_are_read_to_the_end_and_kept_to_the_digit(azure: Stub) -> None:
    spot = a_row(
        skuName="NC24ads A100 v4 Spot", meterName="NC24ads A100 v4 Spot", retailPrice=0.679502
    )
    azure.say("skip=1000", page(spot))
    azure.say("GET /prices?api", page(a_row(), then=f"{azure.url}/prices?skip=1000"))
    batch = read()
    assert prices(batch) == {(KIND, "on_demand"): "3.673", (KIND, "spot"): "0.679502"}
    assert (batch.rejected, batch.points[0].currency) == ((), "USD")
    assert f"{batch.points[0].observed_at}" == "2023-01-01 00:00:00+00:00"
    assert "armRegionName%20eq%20%27eastus%27" in azure.asked[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"productName": "Virtual Machines NCads A100 v4 Series Windows"},
        {"skuName": "NC24ads A100 v4 Low Priority"},
        {"productName": "NCads A100 v4 Series Dedicated Host"},
        {"type": "DevTestConsumption"},
        {"productName": "NCads A100 v4 Series Cloud Services"},
        {"productName": "NCads A100 v4 Series CloudServices"},
        {"effectiveEndDate": "2024-01-01T00:00:00Z"},
        {"armSkuName": "Standard_NX1_unheard_of"},
        {"armRegionName": "US East"},
        {"effectiveStartDate": "2999-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_what_is_not_meant_is_passed_over(azure: Stub, changes: dict[str, str]) -> None:
    other = a_row(**{"effectiveStartDate": "2023-06-01T00:00:00Z", **changes})
    azure.say("GET", page(other, a_row(retailPrice=4)))
    batch = read()
    assert (prices(batch), batch.rejected) == ({(KIND, "on_demand"): "4"}, ())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"unitOfMeasure": "1 Month"}, "not understood (ValueError)"),
        ({"retailPrice": "3.67"}, "not understood (TypeError)"),
        ({"retailPrice": None}, "not understood (TypeError)"),
        ({"effectiveStartDate": "soon"}, "not understood (ValueError)"),
        ({"effectiveEndDate": "soon"}, "not understood (ValueError)"),
    ],
)
def test_rows_that_cannot_be_understood_are_named(
    azure: Stub, changes: dict[str, object], told: str
) -> None:
    azure.say("GET", page(a_row(**changes), a_row(skuName="NC24ads A100 v4 Spot")))
    batch = read()
    assert list(prices(batch)) == [(KIND, "spot")]
    assert [f"{REGION} {KIND} NC24ads A100 v4: {told}."] == list(batch.rejected)


@pytest.mark.parametrize(
    "changes", [{"retailPrice": 0}, {"retailPrice": -1}, {"currencyCode": "EUR"}]
)
def test_b35_what_no_one_can_pay_is_not_kept(azure: Stub, changes: dict[str, object]) -> None:
    azure.say("GET", page(a_row(**changes)))
    good, faults = vet_points(read().points)
    assert (good, len(faults)) == ((), 1)


def test_a_reservations_price_is_that_of_its_term(azure: Stub) -> None:
    bought = a_row(type="Reservation", reservationTerm="3 Years", retailPrice=43800)
    plans = [{"unitPrice": 2.1, "retailPrice": 2.1, "term": "1 Year"}]
    azure.say("GET", page(bought, a_row(savingsPlan=plans)))
    found = {(r.kind, r.months, r.upfront): (r.at_start, r.per_hour) for r in read().rates}
    assert found == {
        ("reserved", 36, Upfront.ALL): (Decimal(43800), Decimal(0)),
        ("reserved", 36, Upfront.NONE): (Decimal(0), Decimal("1.666667")),
        ("savings_plan", 12, Upfront.NONE): (Decimal(0), Decimal("2.1")),
    }


def test_the_newer_of_two_rows_counts(azure: Stub) -> None:
    newer = a_row(retailPrice=5, effectiveStartDate="2024-01-01T00:00:00Z")
    azure.say("GET", page(newer, a_row()))
    assert prices(read()) == {(KIND, "on_demand"): "5"}


def test_an_older_row_has_no_say_in_plans(azure: Stub) -> None:
    newer = a_row(
        effectiveStartDate="2024-01-01T00:00:00Z",
        savingsPlan=[{"term": "1 Year", "retailPrice": 2.0}],
    )
    older = a_row(savingsPlan=[{"term": "1 Year", "retailPrice": 7.0}])
    azure.say("GET", page(newer, older))
    assert [str(rate.per_hour) for rate in read().rates] == ["2.0"]


def test_a_price_that_ends_later_holds(azure: Stub) -> None:
    azure.say("GET", page(a_row(effectiveEndDate="2999-01-01T00:00:00Z")))
    assert prices(read()) == {(KIND, "on_demand"): "3.673"}


def test_the_next_page_is_told_with_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "https://prices.azure.com:443/api/retail/prices?skip=1000": {"Items": [a_row()]},
    }
    (second,) = told
    asked: list[str] = []

    def get(_: object, url: str) -> dict[str, Any]:
        asked.append(url)
        return told.get(url, {"Items": [], "NextPageLink": second})

    monkeypatch.setattr(module, "get_json", get)
    read()
    assert asked[1:] == [second]


def test_an_empty_page_is_a_region_without_such_nodes(azure: Stub) -> None:
    azure.say("GET", page())
    assert (read().points, read().rejected) == ((), ())


def test_too_many_calls_and_faults_are_asked_again(azure: Stub) -> None:
    azure.say("GET", answer({}, 429, **{"Retry-After": "9"}), answer({}, 503), page(a_row()))
    assert len(read().points) == 1


@pytest.mark.parametrize("status", [429, 500])
def test_a_page_that_fails_fails_the_whole_read(azure: Stub, status: int) -> None:
    azure.say("skip=1000", answer({}, status))
    azure.say("GET /prices?api", page(a_row(), then=f"{azure.url}/prices?skip=1000"))
    with pytest.raises(CloudError, match=f"HTTP{status}"):
        read()
    assert len(azure.asked) == 4


def test_a_page_that_leads_to_itself_ends(azure: Stub) -> None:
    azure.say("skip=1000", page(a_row(), then=f"{azure.url}/prices?skip=1000"))
    azure.say("GET /prices?api", page(a_row(), then=f"{azure.url}/prices?skip=1000"))
    with pytest.raises(CloudError, match="repeats itself"):
        read()


@pytest.mark.parametrize(
    "link",
    [
        "https://elsewhere.example/prices",
        "https://127.0.0.1:1/prices",
        "http://127.0.0.1/prices",
        "https://127.0.0.1:port/prices",
        "/prices",
    ],
)
def test_pages_of_another_host_are_not_followed(azure: Stub, link: str) -> None:
    azure.say("GET", page(a_row(), then=link))
    with pytest.raises(CloudError, match="another host"):
        read()


@pytest.mark.parametrize(
    ("bad", "told"),
    [(TRUNCATED, "cannot be read"), (HOLE, "no answer in time"), (answer([]), "no items")],
    ids=["truncated", "hole", "another form"],
)
def test_what_is_no_whole_answer_is_an_error(azure: Stub, bad: Any, told: str) -> None:
    azure.say("GET", bad)
    start = time.monotonic()
    with pytest.raises(CloudError, match=told):
        read()
    assert time.monotonic() - start < 5


def test_an_answer_without_end_is_given_up(azure: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "LARGEST", 100)
    azure.say("GET", page(*[a_row()] * 10))
    with pytest.raises(CloudError, match="more than"):
        read()
