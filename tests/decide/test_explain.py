"""Every offer's fate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.explain import Explanation, explain
from multicloud.errors import InvalidInputError
from multicloud.models.decision import Action, Reject
from multicloud.models.memory import Memory, SetAside, SetAsideReason
from multicloud.models.offer import Cloud, Offer
from multicloud.models.pool import Tier
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, Scene, gpu_offer, minutes, policy_of

TEXT = """
p:
  need: A100:8
  only_in: [aws, tencent, gcp]
  place:
    - {in: [aws/us-*, tencent], capacity: spot, max_price: 2.50/gpu-h, min_discount: 20%}
    - {in: aws/us-east-1, capacity: on_demand, max_price: 40/node-h}
"""
OFFERS: tuple[Offer, ...] = (
    gpu_offer("10.00", "us-east-1"),
    gpu_offer("30.00", "us-east-1", capacity=ON_DEMAND),
    gpu_offer("20.01", "us-west-2"),
    gpu_offer("90.00", "us-west-2", capacity=ON_DEMAND),
    gpu_offer("19.00", "us-west-1"),
    gpu_offer("20.00", "us-west-1", capacity=ON_DEMAND),
    gpu_offer("15.00", "us-east-2"),
    gpu_offer("5.00", "eu-west-1"),
    gpu_offer("5.00", "us-east-1", cloud=Cloud.GCP),
    gpu_offer("5.00", "us-east-1", cloud=Cloud.ALIBABA),
    gpu_offer("5.00", "us-east-1", kind="x4", gpus=4),
    gpu_offer("50.00", "ap-guangzhou", cloud=Cloud.TENCENT, currency="CNY"),
    gpu_offer(None, "ap-shanghai", cloud=Cloud.TENCENT),
)


def explained(scene: Scene, pool: str = "p") -> Explanation:
    """What explain says of a scene."""
    snapshot = Snapshot(offers=scene.offers, source="test")
    return explain(scene.policy, pool, scene.now, snapshot, scene.actual, scene.memory)


def fates(found: Explanation, tier: int) -> dict[tuple[str, str, str], Reject]:
    """Reasons by cloud, region and capacity type."""
    return {
        (r.offer.cloud, r.offer.region, r.offer.capacity_type): r.reason
        for r in found.tiers[tier].rejections
        if r.offer.instance_type == "p4d.24xlarge"
    }


def test_each_offer_has_its_fate_in_each_tier() -> None:
    found = explained(Scene(policy_of(TEXT), OFFERS))
    first = fates(found, 0)
    assert first["aws", "us-west-2", "spot"] is Reject.OVER_CAP
    assert first["aws", "us-west-1", "spot"] is Reject.LOW_DISCOUNT
    assert first["aws", "us-east-2", "spot"] is Reject.LOW_DISCOUNT
    assert first["aws", "eu-west-1", "spot"] is Reject.OUTSIDE_TIER
    assert first["aws", "us-east-1", "on_demand"] is Reject.WRONG_CAPACITY
    assert first["gcp", "us-east-1", "spot"] is Reject.OUTSIDE_TIER
    assert first["tencent", "ap-guangzhou", "spot"] is Reject.NO_RATE
    assert first["tencent", "ap-shanghai", "spot"] is Reject.NO_PRICE
    assert [p.slot.region for p in found.tiers[0].candidates] == ["us-east-1"]
    assert [p.slot.region for p in found.tiers[1].candidates] == ["us-east-1"]
    details = {r.reason: r.detail for r in found.tiers[0].rejections}
    assert "cap 2.50/gpu-h = 20.0000 USD/node-h" in details[Reject.OVER_CAP]
    assert details[Reject.LOW_DISCOUNT] == "less than 20 % off"
    assert details[Reject.NO_RATE] == "50.00 CNY, and fx has no CNY"
    assert details[Reject.NO_PRICE] == ""


def test_counts_of_the_decision_are_those_of_the_list() -> None:
    found = explained(Scene(policy_of(TEXT), OFFERS))
    for view, trace in zip(found.tiers, found.decision.tiers, strict=False):
        listed: dict[Reject, int] = {}
        for rejection in view.rejections:
            listed[rejection.reason] = listed.get(rejection.reason, 0) + 1
        assert listed == dict(trace.rejections)
        assert trace.feasible == len(view.candidates)


def test_a_cap_without_a_rate_takes_nothing() -> None:
    scene = Scene(
        policy_of("p: {need: A100:8, place: {in: aws, capacity: spot, max_price: 2/gpu-h}}")
    )
    scene.look(gpu_offer("10.00"))
    pool = scene.policy.pools[0]
    (tier,) = (one for one in pool.rules[0].outcome if isinstance(one, Tier))
    assert tier.max_price is not None
    broken = replace(tier, max_price=replace(tier.max_price, currency="EUR"))
    rule = replace(pool.rules[0], outcome=(broken,))
    scene.policy = replace(scene.policy, pools=(replace(pool, rules=(rule,)),))
    found = explained(scene)
    assert found.decision.after == ()
    assert found.tiers[0].rejections[0].detail == "fx has no EUR"


def test_set_asides_are_told_with_their_age() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"), (OFFERS[0],))
    mark = SetAside(
        cloud=Cloud.AWS,
        region="us-east-1",
        zone="",
        instance_type="p4d.24xlarge",
        capacity_type=SPOT,
        reason=SetAsideReason.EVICTED,
        since=MORNING - minutes(5),
        until=MORNING + minutes(55),
    )
    scene.memory = Memory(set_asides=(mark,))
    (rejection,) = explained(scene).tiers[0].rejections
    assert rejection.reason is Reject.EVICTED
    assert rejection.detail == "p4d.24xlarge spot us-east-1: evicted 5 min ago"


def test_off_and_gone_pools_have_no_tiers() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: off}"), OFFERS)
    assert explained(scene).tiers == ()
    placed = Scene(policy_of(TEXT), OFFERS).one()
    scene.carry_out({"gone": placed})
    found = explained(scene, "gone")
    assert (found.decision.action, found.tiers) == (Action.DESTROY, ())


def test_an_unknown_pool_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match=r'no pool "x"\. The policy has p\.'):
        explained(Scene(policy_of(TEXT)), "x")
