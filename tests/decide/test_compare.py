"""Comparisons beside the plan."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.catalog.market import build_market
from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.book import Book
from multicloud.decide.compare import always_on, outside_rules
from multicloud.decide.schedule import schedule
from multicloud.models.memory import Actual, Memory
from multicloud.models.pool import Policy, PriceTrust
from tests.decide.scene import MORNING, ON_DEMAND, gpu_offer, minutes, policy_of

if TYPE_CHECKING:
    from multicloud.models.decision import Stretch
    from multicloud.models.offer import Offer

HERE = gpu_offer("20.00", capacity=ON_DEMAND)
CHEAP = gpu_offer("15.00", "us-west-2", capacity=ON_DEMAND)
SPOT_HERE = gpu_offer("5.00")
POOL = """
p:
  need: 2 x A100:8
  rules: [{name: late, when: "12:00-20:00", place: {in: aws/us-east-1, capacity: %s}}]
  otherwise: off
"""


def book_of(*offers: Offer) -> Book:
    """Those offers, this morning."""
    market = build_market(
        Snapshot(offers=offers, source="test"),
        now=MORNING,
        fx={},
        discounts=(),
        trust=PriceTrust(),
    )
    return Book(market)


def hint(policy: Policy, *offers: Offer) -> tuple[str, Decimal] | None:
    """Region and saving of the hint, if any."""
    stretches = schedule(
        policy,
        MORNING,
        MORNING + minutes(24 * 60),
        Snapshot(offers=offers, source="test"),
        Actual(),
        Memory(),
    )
    found = outside_rules(policy, policy.pools[0], book_of(*offers), stretches)
    return None if found is None else (found.placement.slot.region, found.saving)


def test_always_on_is_the_cheapest_on_demand_of_the_pools_tiers() -> None:
    policy = policy_of(POOL % "spot, max_price: 0.01/gpu-h")
    pool = policy.pools[0]
    assert always_on(policy, pool, book_of(HERE, CHEAP, SPOT_HERE)) == 40 * 720
    assert always_on(policy, pool, book_of(CHEAP, SPOT_HERE)) is None
    off = policy_of("p: {need: A100:8, place: off}")
    assert always_on(off, off.pools[0], book_of(HERE)) is None


def test_a_much_cheaper_place_outside_the_rules_is_told() -> None:
    policy = policy_of(POOL % "on_demand")
    assert hint(policy, HERE, CHEAP) == ("us-west-2", Decimal("0.25"))


@pytest.mark.parametrize(("price", "is_told"), [("16.00", True), ("16.01", False)])
def test_worth_telling_from_a_fifth_on(price: str, is_told: bool) -> None:
    there = gpu_offer(price, "us-west-2", capacity=ON_DEMAND)
    assert (hint(policy_of(POOL % "on_demand"), HERE, there) is not None) == is_told


def test_what_is_outside_the_boundary_is_left_out() -> None:
    bounded = policy_of(POOL % "on_demand", head="only_in: aws/us-east-1")
    assert hint(bounded, HERE, CHEAP) is None


def test_no_hint_without_a_place_a_price_or_an_alternative() -> None:
    policy = policy_of(POOL % "on_demand")
    assert hint(policy, CHEAP) is None
    assert hint(policy, replace(HERE, quotes=()), CHEAP) is None
    assert hint(policy_of(POOL % "spot"), SPOT_HERE) is None
    assert hint(policy_of(POOL % "spot"), SPOT_HERE, HERE) is None


def test_a_running_pool_without_a_price_gets_no_hint() -> None:

    policy = policy_of(POOL % "on_demand")
    stretches = schedule(
        policy,
        MORNING,
        MORNING + minutes(600),
        Snapshot(offers=(HERE,), source="test"),
        Actual(),
        Memory(),
    )
    unknown: list[Stretch] = [replace(one, usd_per_hour=None) for one in stretches]
    assert outside_rules(policy, policy.pools[0], book_of(HERE, CHEAP), unknown) is None
    assert outside_rules(policy, policy.pools[0], book_of(), stretches) is None
    prepaid = [replace(one, usd_per_hour=Decimal(0)) for one in stretches]
    assert outside_rules(policy, policy.pools[0], book_of(HERE, CHEAP), prepaid) is None
