"""Commitments: what they leave to pay, and that they never override tiers."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from multicloud.decide.coverage import Coverage
from multicloud.models.offer import CapacityType, Cloud, OfferKey
from multicloud.models.place import Place
from multicloud.models.pool import Commitment, CommitmentKind
from tests.decide.scene import MORNING, ON_DEMAND, Scene, gpu_offer, policy_of, where

AWS = Place(text="aws", cloud=Cloud.AWS)
USD = Decimal(10)


def key(region: str = "us-east-1", *, way: CapacityType = ON_DEMAND) -> OfferKey:
    """On-demand p4d."""
    return OfferKey(Cloud.AWS, region, "", "p4d.24xlarge", way)


def committed(
    kind: CommitmentKind = CommitmentKind.RESERVED,
    *,
    nodes: int | None = 2,
    fee: str = "5",
    currency: str = "USD",
    instance_type: str | None = "P4D.24xlarge",
    start: timedelta | None = None,
    until: timedelta | None = None,
) -> Commitment:
    """Two reserved nodes in AWS; times are relative to the scene's."""
    return Commitment(
        kind=kind,
        places=(AWS,),
        instance_type=instance_type,
        nodes=nodes,
        fee_per_hour=Decimal(fee),
        currency=currency,
        start=None if start is None else MORNING + start,
        until=None if until is None else MORNING + until,
        ids=(),
    )


def coverage(*all_: Commitment) -> Coverage:
    """A fresh ledger."""
    return Coverage(all_, now=MORNING, fx={"CNY": Decimal(5)})


@pytest.mark.parametrize(("nodes", "left"), [(1, 0), (2, 0), (3, 10)])
def test_nodes_are_covered_up_to_their_number(nodes: int, left: int) -> None:
    assert coverage(committed()).uncovered(key(), nodes, USD, pool="p") == left


@pytest.mark.parametrize(
    ("one", "left"),
    [
        (committed(nodes=None, fee="25"), 5),
        (committed(nodes=None, fee="25", currency="CNY"), 25),
        (committed(nodes=None, fee="25", currency="EUR"), 30),
        (committed(CommitmentKind.PREPAID), 30),
        (committed(instance_type="p5.48xlarge"), 30),
        (committed(instance_type=None), 10),
        (committed(start=timedelta(seconds=1)), 30),
        (committed(until=timedelta(0)), 30),
        (committed(start=timedelta(0), until=timedelta(seconds=1)), 10),
    ],
)
def test_what_is_left_to_pay_for_three_nodes(one: Commitment, left: int) -> None:
    assert coverage(one).uncovered(key(), 3, USD, pool="p") == left


def test_only_on_demand_is_covered() -> None:
    ledger = coverage(committed())
    spot = key(way=CapacityType.SPOT)
    assert (ledger.covers(key()), ledger.covers(spot)) == (True, False)
    assert ledger.uncovered(spot, 1, USD, pool="p") == USD
    assert not coverage()


def test_what_a_pool_takes_is_its_own_until_released() -> None:
    ledger = coverage(committed())
    ledger.take(key(), 2, USD, pool="p")
    assert ledger.uncovered(key(), 2, USD, pool="p") == 0
    assert ledger.uncovered(key(), 2, USD, pool="q") == 20
    ledger.release("p")
    assert ledger.uncovered(key(), 2, USD, pool="q") == 0


def test_two_commitments_add_up() -> None:
    ledger = coverage(committed(), committed(nodes=None, fee="15"))
    assert ledger.uncovered(key(), 4, USD, pool="p") == 5


COMMITTED = (
    "commitments: [{kind: reserved, in: aws/us-west-2, nodes: 1, fee: 5/h, until: 2027-01-01}]"
)
POOLS = """
p: {need: A100:8, place: {in: aws, capacity: [spot, on_demand]}}
q: {need: A100:8, place: {in: aws, capacity: [spot, on_demand]}}
r: {need: A100:8, place: [{in: aws/eu-west-1, capacity: spot}, {in: aws, capacity: on_demand}]}
"""


def test_inside_a_tier_the_uncovered_cost_ranks_and_tiers_come_first() -> None:
    offers = (
        gpu_offer("20.00", capacity=ON_DEMAND),
        gpu_offer("30.00", "us-west-2", capacity=ON_DEMAND),
        gpu_offer("40.00", "eu-west-1"),
    )
    scene = Scene(policy_of(POOLS, head=COMMITTED), offers)
    found = scene.decide()
    assert where(found["p"].after) == [("us-west-2", 1)]
    assert found["p"].usd_per_hour_after == Decimal("30.00")
    assert where(found["q"].after) == [("us-east-1", 1)]
    assert where(found["r"].after) == [("eu-west-1", 1)]


def test_running_pools_are_covered_before_those_that_come_first() -> None:
    offers = (
        gpu_offer("20.00", capacity=ON_DEMAND),
        gpu_offer("30.00", "us-west-2", capacity=ON_DEMAND),
    )
    scene = Scene(policy_of(POOLS, head=COMMITTED), offers)
    found = scene.decide()
    scene.carry_out({"q": found["p"]})
    again = scene.decide()
    assert where(again["p"].after) == [("us-east-1", 1)]
    assert again["q"].before == again["q"].after
    assert where(again["q"].after) == [("us-west-2", 1)]


def test_covered_rows_respect_caps_shapes_and_marks() -> None:
    text = """
p:
  need: {gpu: A100, gpus: 8}
  place: {in: aws, capacity: on_demand, max_price: 3.00/gpu-h}
"""
    offers = (
        gpu_offer("20.00", capacity=ON_DEMAND),
        gpu_offer("24.00", "us-west-2", capacity=ON_DEMAND),
        gpu_offer("4.00", "us-west-2", capacity=ON_DEMAND, kind="a100x1", gpus=1),
    )
    decision = Scene(policy_of(text, head=COMMITTED), offers).one()
    assert where(decision.after) == [("us-west-2", 1)]
    over = Scene(policy_of(text.replace("3.00", "2.99"), head=COMMITTED), offers).one()
    assert where(over.after) == [("us-east-1", 1)]


def test_spread_over_zones_counts_what_is_left_to_pay() -> None:
    text = "p: {need: {gpu: A100, gpus: 8, spread: zones}, place: {in: aws}}"
    offers = (
        gpu_offer("20.00", capacity=ON_DEMAND),
        gpu_offer("30.00", "us-west-2", capacity=ON_DEMAND),
    )
    decision = Scene(policy_of(text, head=COMMITTED), offers).one()
    assert where(decision.after) == [("us-west-2", 1)]
