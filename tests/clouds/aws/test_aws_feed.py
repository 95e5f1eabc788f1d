"""AWS's prices through botocore, with recorded answers: moto has neither history nor price list."""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from multicloud.catalog.vet import vet_points
from multicloud.clouds import web
from multicloud.clouds.aws import feed as module
from multicloud.clouds.aws import session as sessions
from multicloud.clouds.aws.feed import AwsFeed
from multicloud.errors import CloudError
from multicloud.models.feed import Upfront
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub, answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.feed import Batch

REGION, KIND = "us-east-1", "p4d.24xlarge"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
ZONES = {
    "AvailabilityZones": [
        {"ZoneName": "us-east-1a", "ZoneId": "use1-az6"},
        {"ZoneName": "us-east-1b", "ZoneId": "use1-az1"},
    ]
}
OFFERED = {"InstanceTypeOfferings": [{"InstanceType": KIND}, {"InstanceType": "g4dn.xlarge"}]}
ADVICE = {"spot_advisor": {REGION: {"Linux": {KIND: {"s": 60, "r": 4}, "g4dn.xlarge": {"r": 1}}}}}


def spot(price: str, zone: str = "us-east-1a", ago: int = 0, **more: str) -> dict[str, Any]:
    return {
        "AvailabilityZone": zone,
        "InstanceType": KIND,
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": price,
        "Timestamp": NOON - timedelta(minutes=ago),
        **more,
    }


def dimension(amount: str, unit: str = "Hrs", currency: str = "USD") -> dict[str, Any]:
    return {"unit": unit, "pricePerUnit": {currency: amount}}


def a_product(
    *dimensions: dict[str, Any], kind: str = KIND, since: str = "2025-06-01T00:00:00Z", **terms: Any
) -> str:
    told = {
        "product": {"attributes": {"instanceType": kind, "regionCode": REGION}},
        "terms": {
            "OnDemand": {
                "SKU.1": {
                    "effectiveDate": since,
                    "priceDimensions": {str(n): one for n, one in enumerate(dimensions)},
                }
            },
            **terms,
        },
    }
    return json.dumps(told)


def a_term(
    purchase: str, *dimensions: dict[str, Any], years: int = 3, kind: str = "standard"
) -> dict[str, Any]:
    return {
        "termAttributes": {
            "LeaseContractLength": f"{years}yr",
            "OfferingClass": kind,
            "PurchaseOption": purchase,
        },
        "priceDimensions": {str(n): one for n, one in enumerate(dimensions)},
    }


class Aws:
    """Clients of EC2, the price list and savings plans that answer what a test says."""

    def __init__(self, stack: ExitStack) -> None:
        self.clients = {
            name: boto3.client(name, region_name=REGION)
            for name in ("ec2", "pricing", "savingsplans")
        }
        self.stubs = {
            name: stack.enter_context(Stubber(client)) for name, client in self.clients.items()
        }

    def tell(
        self,
        spots: list[dict[str, Any]] | None = None,
        products: list[str] | None = None,
        plans: list[dict[str, Any]] | None = None,
    ) -> None:
        ec2 = self.stubs["ec2"]
        ec2.add_response("describe_instance_type_offerings", OFFERED)
        self.stubs["pricing"].add_response("get_products", {"PriceList": products or []})
        ec2.add_response("describe_availability_zones", ZONES)
        ec2.add_response(
            "describe_spot_price_history",
            {"SpotPriceHistory": spots or []},
            {
                "InstanceTypes": ["g4dn.xlarge", KIND],
                "ProductDescriptions": ["Linux/UNIX"],
                "StartTime": ANY,
            },
        )
        self.stubs["savingsplans"].add_response(
            "describe_savings_plans_offering_rates", {"searchResults": plans or []}
        )


@pytest.fixture
def aws(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Iterator[Aws]:
    with ExitStack() as stack:
        found = Aws(stack)
        monkeypatch.setattr(sessions, "client", lambda _, service, __: found.clients[service])
        monkeypatch.setattr(module, "ADVISOR", f"{stub.url}/advisor")
        monkeypatch.setattr(web, "LONGEST_WAIT_S", 0.05)
        stub.say("/advisor", answer(ADVICE))
        yield found


def read() -> Batch:
    return AwsFeed(CloudSettings(), (REGION,)).read(REGION)


def prices(batch: Batch) -> dict[tuple[str, str], str]:
    return {(p.key.zone, str(p.key.capacity_type)): str(p.amount) for p in batch.points}


def test_a_part_is_a_region_of_the_partition() -> None:
    parts = AwsFeed(CloudSettings()).parts()
    assert {"us-east-1", "eu-west-1"} <= set(parts)
    assert not {"cn-north-1", "us-gov-west-1"} & set(parts)
    assert set(AwsFeed(CloudSettings(site="aws-cn")).parts()) == {"cn-north-1", "cn-northwest-1"}


def test_what_the_price_list_cannot_tell_is_refused() -> None:
    with pytest.raises(CloudError, match="aws-cn cannot be read") as caught:
        AwsFeed(CloudSettings(site="aws-cn")).read("cn-north-1")
    assert "prices import" in (caught.value.hint or "")


def test_the_newest_spot_price_of_each_zone_by_the_zones_id(aws: Aws) -> None:
    older, newer = spot("11.90", ago=30), spot("12.0000")
    told = spot("13.5", "us-east-1b", AvailabilityZoneId="use1-az1")
    aws.tell([newer, older, told])
    batch = read()
    assert prices(batch) == {("use1-az6", "spot"): "12.0000", ("use1-az1", "spot"): "13.5"}
    assert {p.currency for p in batch.points} == {"USD"}
    assert batch.points[0].observed_at == NOON


def test_an_on_demand_price_holds_from_its_date(aws: Aws) -> None:
    later = a_product(dimension("9"), since="2999-01-01T00:00:00Z")
    aws.tell(products=[a_product(dimension("21.9576420000")), later])
    (point,) = read().points
    assert (str(point.amount), point.key.zone) == ("21.9576420000", "")
    assert f"{point.observed_at:%Y-%m-%d}" == "2025-06-01"


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (dimension("1", unit="Seconds"), 'sold by "Seconds"'),
        ({"unit": "Hrs", "pricePerUnit": {"USD": "1", "CNY": "7"}}, "in 2 currencies"),
        (dimension("one"), '"one" is no price'),
    ],
)
def test_a_product_that_cannot_be_understood_is_named(aws: Aws, bad: Any, told: str) -> None:
    aws.tell(products=[a_product(bad), a_product(dimension("0.5"), kind="g4dn.xlarge")])
    batch = read()
    assert [p.key.instance_type for p in batch.points] == ["g4dn.xlarge"]
    (sentence,) = batch.rejected
    assert sentence.startswith(f"{REGION} {KIND}: ")
    assert told in sentence


def test_b58_types_listed_at_nought_have_no_price(aws: Aws) -> None:
    aws.tell(products=[a_product(dimension("0.0000000000"))])
    batch = read()
    assert (batch.points, batch.rejected) == ((), ())


def test_another_currency_is_handed_on_and_refused(aws: Aws) -> None:
    aws.tell(products=[a_product(dimension("150", currency="CNY"))])
    good, faults = vet_points(read().points)
    assert (good, "CNY" in faults[0]) == ((), True)


def test_reserved_instances_by_term_and_payment(aws: Aws) -> None:
    terms = {
        "a": a_term("No Upfront", dimension("11.57")),
        "b": a_term("All Upfront", dimension("286000", "Quantity"), dimension("0"), years=1),
        "c": a_term("Partial Upfront", dimension("5"), dimension("140000", "Quantity")),
        "d": a_term("No Upfront", dimension("13"), kind="convertible"),
    }
    aws.tell(products=[a_product(dimension("21.95"), Reserved=terms)])
    found = {(r.months, r.upfront): (str(r.at_start), str(r.per_hour)) for r in read().rates}
    assert found == {
        (36, Upfront.NONE): ("0", "11.57"),
        (12, Upfront.ALL): ("286000", "0"),
        (36, Upfront.PARTIAL): ("140000", "5"),
    }


def test_rates_of_compute_savings_plans(aws: Aws) -> None:
    def plan(years: int, rate: str, unit: str = "Hrs") -> dict[str, Any]:
        offering = {"currency": "USD", "durationSeconds": years * 31_536_000}
        properties = [{"name": "instanceType", "value": KIND}, {"name": "region", "value": REGION}]
        return {
            "savingsPlanOffering": offering,
            "rate": rate,
            "unit": unit,
            "properties": properties,
        }

    aws.tell(plans=[plan(1, "15.2"), plan(3, "10.1"), plan(3, "9", "Lambda-GB-Second")])
    found = {(r.kind, r.months): str(r.per_hour) for r in read().rates}
    assert found == {("savings_plan", 12): "15.2", ("savings_plan", 36): "10.1"}


def test_who_may_not_read_plans_still_has_prices(aws: Aws) -> None:
    aws.tell(products=[a_product(dimension("21.95"))])
    plans = Stubber(aws.clients["savingsplans"])
    aws.stubs["savingsplans"].deactivate()
    with plans:
        plans.add_client_error("describe_savings_plans_offering_rates", "AccessDeniedException")
        batch = read()
    assert len(batch.points) == 1
    assert "no rates of savings plans (AccessDeniedException" in batch.rejected[0]


def test_bands_of_the_advisor_once_for_all_regions(aws: Aws, stub: Stub) -> None:
    aws.tell()
    aws.tell()
    feed = AwsFeed(CloudSettings(), (REGION,))
    found = {r.instance_type: (r.low, r.high) for r in feed.read(REGION).interruptions}
    assert found == {
        KIND: (Decimal("0.20"), None),
        "g4dn.xlarge": (Decimal("0.05"), Decimal("0.10")),
    }
    feed.read(REGION)
    assert len(stub.asked) == 1


@pytest.mark.parametrize(
    "bad",
    [TRUNCATED, HOLE, answer({}), answer([]), answer({"spot_advisor": []}), answer({}, 500)],
    ids=str,
)
def test_without_the_advisor_there_are_still_prices(aws: Aws, stub: Stub, bad: Any) -> None:
    stub.say("/advisor", bad)
    aws.tell([spot("12")])
    batch = read()
    assert (len(batch.points), batch.interruptions) == (1, ())
    assert "no advice on interruptions" in batch.rejected[0]


@pytest.mark.parametrize("odd", [[], {"Linux": []}, {"Linux": {KIND: [4]}}], ids=str)
def test_advice_of_another_form_fails_no_prices(aws: Aws, stub: Stub, odd: Any) -> None:
    stub.say("/advisor", answer({"spot_advisor": {REGION: odd}}))
    aws.tell([spot("12")])
    batch = read()
    assert (len(batch.points), batch.interruptions) == (1, ())


def test_a_zones_name_never_stands_for_its_id(aws: Aws) -> None:
    aws.tell([spot("12", "us-east-1q"), spot("13")])
    batch = read()
    assert prices(batch) == {("use1-az6", "spot"): "13"}
    assert batch.rejected == (f'{REGION} {KIND}: zone "us-east-1q" has no id.',)


@pytest.mark.parametrize("code", ["UnauthorizedOperation", "RequestLimitExceeded"])
def test_a_refusal_fails_the_region(aws: Aws, code: str) -> None:
    aws.stubs["ec2"].add_client_error("describe_instance_type_offerings", code)
    with pytest.raises(CloudError, match=code):
        read()


def test_a_second_page_that_fails_fails_the_region(aws: Aws) -> None:
    aws.stubs["ec2"].add_response("describe_instance_type_offerings", OFFERED)
    first = {"PriceList": [a_product(dimension("1"))], "NextToken": "t2"}
    aws.stubs["pricing"].add_response("get_products", first)
    aws.stubs["pricing"].add_client_error("get_products", "InternalErrorException")
    with pytest.raises(CloudError, match="InternalErrorException"):
        read()


def test_a_page_that_leads_to_itself_ends(aws: Aws) -> None:
    aws.stubs["ec2"].add_response("describe_instance_type_offerings", OFFERED)
    for _ in range(3):
        aws.stubs["pricing"].add_response("get_products", {"PriceList": [], "NextToken": "same"})
    with pytest.raises(CloudError, match="token"):
        read()


def test_a_product_that_is_no_json_fails_the_region(aws: Aws) -> None:
    aws.stubs["ec2"].add_response("describe_instance_type_offerings", OFFERED)
    aws.stubs["pricing"].add_response("get_products", {"PriceList": ['{"product": {"attr']})
    with pytest.raises(CloudError, match="JSONDecodeError"):
        read()


def test_a_region_without_gpus_is_empty(aws: Aws) -> None:
    aws.stubs["ec2"].add_response("describe_instance_type_offerings", {"InstanceTypeOfferings": []})
    aws.stubs["pricing"].add_response("get_products", {"PriceList": []})
    batch = read()
    assert (batch.points, batch.rates, batch.rejected) == ((), (), ())
