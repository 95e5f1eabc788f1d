"""Attacks on each decider: missing prices, ties, huge counts, twins."""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.models.decision import Action
from multicloud.models.memory import Actual, Memory, PoolActual, PoolMemory
from tests.builders import a_quote, at
from tests.decide.scene import (
    MORNING,
    ON_DEMAND,
    SPOT,
    Scene,
    a_quota,
    gpu_offer,
    minutes,
    policy_of,
    where,
)

if TYPE_CHECKING:
    from multicloud.models.offer import Offer

SPOT_POOL = "p: {need: A100:8, place: {in: aws, capacity: spot}}"
REGIONS = ("us-east-1", "us-east-2", "us-west-1", "us-west-2", "eu-west-1", "eu-central-1")


def test_nothing_on_offer_at_all() -> None:
    decision = Scene(policy_of(SPOT_POOL)).one()
    assert (decision.action, decision.after) == (Action.NO_OP, ())
    assert decision.unmet is not None
    assert decision.unmet.reasons == ("0 offers",)


def test_no_offer_has_a_price() -> None:
    offers = tuple(gpu_offer(None, region) for region in REGIONS)
    decision = Scene(policy_of(SPOT_POOL), offers).one()
    assert decision.unmet is not None
    assert decision.unmet.reasons == ("6 offers: 6 no price",)


def test_a_storm_of_ties_is_the_same_in_any_order() -> None:
    offers = [
        gpu_offer("10.00", region, capacity=way, zone=zone)
        for region in REGIONS[:2]
        for way in (SPOT, ON_DEMAND)
        for zone in (None, "z1")
    ][:5]
    text = "p: {need: A100:8, place: {in: aws, capacity: [spot, on_demand]}}"
    policy = policy_of(text)
    found = {repr(Scene(policy, order).one()) for order in itertools.permutations(offers)}
    assert len(found) == 1


def test_huge_counts_keep_their_cents() -> None:
    text = "p: {need: {gpu: A100, gpus: 999999}, place: {in: aws, capacity: spot}}"
    decision = Scene(policy_of(text), (gpu_offer("0.0001"),)).one()
    assert decision.after[0].nodes == 125_000
    assert decision.usd_per_hour_after == Decimal("12.5")


def test_twins_of_one_offer_are_one() -> None:
    twin = gpu_offer("10.00")
    dearer = replace(twin, quotes=(a_quote("11.00", observed_at=MORNING),))
    for offers in ((twin, dearer), (dearer, twin)):
        decision = Scene(policy_of(SPOT_POOL), offers).one()
        assert decision.usd_per_hour_after == Decimal("11.00")
        assert decision.fallbacks == ()


def test_tiny_and_enormous_prices_are_ordered_exactly() -> None:
    offers = (gpu_offer("0.00000000000000000001"), gpu_offer("99999999999999999999", "us-west-2"))
    decision = Scene(policy_of(SPOT_POOL), offers).one()
    assert where(decision.after) == [("us-east-1", 1)]
    assert decision.usd_per_hour_worst == Decimal("99999999999999999999")


def test_a_quota_of_nothing_everywhere() -> None:
    scene = Scene(policy_of(SPOT_POOL), tuple(gpu_offer("10.00", region) for region in REGIONS))
    scene.memory = Memory(quotas=tuple(a_quota(0, region=region) for region in REGIONS))
    decision = scene.one()
    assert decision.after == ()
    assert decision.unmet is not None
    assert len(decision.unmet.reasons) == 4


def test_pools_share_a_quota_in_file_order_and_what_runs_counts() -> None:
    text = """
p: {need: A100:8, place: {in: aws, capacity: spot}}
q: {need: A100:8, place: {in: aws, capacity: spot}}
"""
    scene = Scene(policy_of(text), (gpu_offer("10.00"),))
    quota = a_quota(100, "P")
    scene.memory = Memory(quotas=(quota,))
    found = scene.decide()
    assert (len(found["p"].after), len(found["q"].after)) == (1, 0)
    scene.carry_out({"q": found["p"]})
    found = scene.decide()
    assert (len(found["p"].after), found["q"].action) == (0, Action.NO_OP)
    scene.memory = replace(scene.memory, quotas=(replace(quota, limit=Decimal(192)),))
    assert len(scene.decide()["p"].after) == 1


def test_a_running_group_that_nobody_offers_uses_no_quota_that_could_be_counted() -> None:
    scene = Scene(policy_of(SPOT_POOL), (gpu_offer("10.00"),))
    scene.run(MORNING)
    quota = a_quota(0)
    scene.memory = replace(scene.memory, quotas=(quota,))
    scene.look()
    assert scene.one().action is Action.NO_OP


def test_stacks_without_nodes_are_nothing() -> None:
    scene = Scene(policy_of(SPOT_POOL), (gpu_offer("10.00"),))
    made = scene.one().after
    empty = tuple(replace(p, nodes=0) for p in made)
    scene.actual = Actual(
        pools={"p": PoolActual(placements=empty), "gone": PoolActual(placements=empty)}
    )
    found = scene.decide()
    assert list(found) == ["p"]
    assert found["p"].action is Action.CREATE


def test_memory_that_makes_no_sense_breaks_nothing() -> None:
    scene = Scene(policy_of(SPOT_POOL), (gpu_offer("10.00"),))
    scene.run(MORNING)
    scene.remember(
        truths={"no such condition": True},
        signal_key="cap",
        signal_since=MORNING + minutes(999),
        tier_waits={"no such rule#7": MORNING},
        price_moves=(MORNING + minutes(999),),
        fell_back_at=MORNING + minutes(999),
        degraded_since=MORNING + minutes(999),
        changed_at=MORNING + minutes(999),
    )
    decision = scene.one()
    assert decision.action is Action.NO_OP
    assert decision.memory is not None
    assert (decision.memory.truths, decision.memory.tier_waits) == ({}, {})


def test_quotes_of_the_future_are_not_known_yet() -> None:
    later = gpu_offer("1.00", seen=MORNING + minutes(1))
    scene = Scene(policy_of(SPOT_POOL), (later,))
    assert scene.one().after == ()
    assert len(scene.one(MORNING + minutes(1)).after) == 1


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_many_pools_of_one_kind_decide_alike(count: int) -> None:
    text = "\n".join(
        f"p{n}: {{need: A100:8, place: {{in: aws, capacity: spot}}}}" for n in range(count + 1)
    )
    found = Scene(policy_of(text), (gpu_offer("10.00"), gpu_offer("10.00", "us-west-2"))).decide()
    assert {tuple(where(d.after)) for d in found.values()} == {(("us-east-1", 1),)}


def test_the_far_ends_of_time() -> None:
    text = "p: {need: A100:8, rules: [{when: '08:00-20:00', place: {in: aws}}], otherwise: off}"
    for instant in ("1971-01-01T00:00:00Z", "2100-12-31T23:59:59Z"):
        assert Scene(policy_of(text)).one(at(instant)).action is Action.NO_OP


def test_a_pool_whose_memory_has_only_a_last_decision() -> None:
    scene = Scene(policy_of(SPOT_POOL), (gpu_offer("10.00"),))
    scene.run(MORNING)
    last = scene.memory.pools["p"].last
    assert last is not None
    scene.memory = Memory(pools={"p": PoolMemory(last=replace(last, quotes={}, truths={}))})
    offers: tuple[Offer, ...] = (gpu_offer("10.00"), gpu_offer("1.00", "us-west-2"))
    scene.look(*offers)
    assert scene.one().action is Action.HOLD
