"""Timers, overrides, caps and causes, over time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multicloud.models.decision import Action, Cause
from multicloud.models.memory import (
    Memory,
    Override,
    OverrideKind,
    PoolMemory,
    SetAside,
    SetAsideReason,
)
from multicloud.models.offer import Cloud
from tests.builders import at
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, Scene, gpu_offer, minutes, policy_of, where

CAPPED = "p: {need: A100:8, place: {in: aws, capacity: spot, max_price: 2.00/gpu-h}}"
TWO_TIERS = """
p:
  need: A100:8
  place: [{in: aws, capacity: spot}, {in: aws, capacity: on_demand}]
"""
SPOT_HERE, ON_DEMAND_HERE = gpu_offer("10.00"), gpu_offer("30.00", capacity=ON_DEMAND)


def mark(
    since: int, *, reason: SetAsideReason = SetAsideReason.NO_CAPACITY, last: int = 30
) -> SetAside:
    """Spot in us-east-1 set aside so many minutes after the morning."""
    begun = MORNING + minutes(since)
    return SetAside(
        cloud=Cloud.AWS,
        region="us-east-1",
        zone="",
        instance_type="p4d.24xlarge",
        capacity_type=SPOT,
        reason=reason,
        since=begun,
        until=begun + minutes(last),
    )


def override(kind: OverrideKind, *, until: int | None = None) -> Override:
    """An override since the morning."""
    end = None if until is None else MORNING + minutes(until)
    return Override(kind=kind, since=MORNING, until=end, by="operator")


def fresh(scene: Scene, now: int, price: str | None, region: str = "us-east-1") -> None:
    """One fresh price."""
    scene.look(gpu_offer(price, region, seen=MORNING + minutes(now)))


def test_over_its_cap_it_stays_for_signal_for_and_then_goes() -> None:
    scene = Scene(policy_of(CAPPED), (gpu_offer("15.00"),))
    scene.run(MORNING)
    fresh(scene, 5, "16.01")
    decision = scene.run(MORNING + minutes(5))
    assert (decision.action, decision.next_check_at) == (Action.HOLD, MORNING + minutes(20))
    assert "over the cap: it must go if that lasts until 10:20" in decision.reasons[-1]
    fresh(scene, 19, "16.01")
    assert scene.run(MORNING + minutes(19)).action is Action.HOLD
    fresh(scene, 20, "16.01")
    gone = scene.run(MORNING + minutes(20))
    assert (gone.action, gone.cause, gone.after) == (Action.DESTROY, Cause.PRICE, ())
    assert gone.unmet is not None


def test_back_under_the_cap_the_signal_is_forgotten() -> None:
    scene = Scene(policy_of(CAPPED), (gpu_offer("15.00"),))
    scene.run(MORNING)
    for now, price in ((5, "17.00"), (15, "16.00"), (21, "17.00")):
        fresh(scene, now, price)
        decision = scene.run(MORNING + minutes(now))
    assert decision.action is Action.HOLD
    assert decision.memory is not None
    assert decision.memory.signal_since == MORNING + minutes(21)


@pytest.mark.parametrize("price", ["17.00", None])
def test_an_old_price_or_none_sends_nobody_away(price: str | None) -> None:
    scene = Scene(policy_of(CAPPED), (gpu_offer("15.00"),))
    scene.run(MORNING)
    fresh(scene, -24 * 60, price)
    for now in (30, 60):
        assert scene.run(MORNING + minutes(now)).action is Action.NO_OP
    if price is None:
        assert "is unknown: it moves nothing" in scene.one().warnings[0]
        assert scene.one().usd_per_hour_after is None


def test_a_lower_tier_with_a_higher_cap_keeps_what_runs() -> None:
    text = """
p:
  need: A100:8
  place:
    - {in: aws, capacity: spot, max_price: 2.00/gpu-h}
    - {in: aws, capacity: spot, max_price: 3.00/gpu-h}
"""
    scene = Scene(policy_of(text), (gpu_offer("15.00"),))
    scene.run(MORNING)
    fresh(scene, 30, "20.00")
    assert scene.run(MORNING + minutes(30)).action is Action.NO_OP


def test_an_offer_that_nobody_makes_any_more_still_runs() -> None:
    scene = Scene(policy_of(CAPPED), (gpu_offer("15.00"),))
    scene.run(MORNING)
    scene.look()
    decision = scene.run(MORNING + minutes(30))
    assert (decision.action, where(decision.after)) == (Action.NO_OP, [("us-east-1", 1)])
    scene.policy = policy_of(CAPPED.replace("A100:8", "H100:8"))
    assert scene.one().action is Action.DESTROY
    scene.policy = policy_of(CAPPED.replace("A100:8", "{instance_type: P4D.24xlarge, nodes: 1}"))
    assert scene.one().action is Action.NO_OP
    scene.policy = policy_of(CAPPED.replace("in: aws", "in: aws/us-west-2"))
    assert scene.one().action is Action.DESTROY


def test_a_group_keeps_its_zones_until_the_policy_forbids_one() -> None:
    scene = Scene(policy_of(TWO_TIERS), (SPOT_HERE,))
    zones = scene.run(MORNING).after[0].slot.zones
    scene.memory = replace(scene.memory, set_asides=(replace(mark(1), zone=zones[0]),))
    assert scene.run(MORNING + minutes(2)).after[0].slot.zones == zones
    scene.policy = policy_of(TWO_TIERS.replace("in: aws,", f"in: aws, not_in: aws/*/{zones[0]},"))
    decision = scene.one()
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.POLICY)
    assert zones[0] not in decision.after[0].slot.zones


def test_it_comes_back_to_the_upper_tier_with_no_saving_needed() -> None:
    dear = gpu_offer("40.00")
    scene = Scene(policy_of(TWO_TIERS), (dear, ON_DEMAND_HERE))
    scene.memory = replace(scene.memory, set_asides=(mark(0),))
    fell = scene.run(MORNING)
    assert fell.after[0].slot.capacity_type is ON_DEMAND
    assert fell.memory is not None
    assert fell.memory.fell_back_at == MORNING
    held = scene.run(MORNING + minutes(31))
    assert (held.action, held.next_check_at) == (Action.HOLD, MORNING + minutes(60))
    assert "Tier 1 has p4d.24xlarge spot aws/us-east-1 again" in held.reasons[-1]
    back = scene.run(MORNING + minutes(60))
    assert (back.action, back.cause) == (Action.MOVE, Cause.CAPACITY)
    assert back.after[0].slot.capacity_type is SPOT
    assert back.memory is not None
    assert (back.memory.fell_back_at, len(back.memory.price_moves)) == (None, 1)


def test_a_price_that_opens_the_upper_tier_is_the_cause() -> None:
    text = TWO_TIERS.replace("capacity: spot}", "capacity: spot, max_price: 2.00/gpu-h}")
    scene = Scene(policy_of(text), (gpu_offer("20.00"), ON_DEMAND_HERE))
    scene.run(MORNING)
    scene.remember(fell_back_at=None)
    seen = MORNING + minutes(60)
    scene.look(gpu_offer("15.00", seen=seen), ON_DEMAND_HERE)
    decision = scene.run(seen)
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.PRICE)


def test_a_policy_that_adds_an_upper_tier_acts_at_once() -> None:
    lower = "p: {need: A100:8, place: {in: aws, capacity: on_demand}}"
    scene = Scene(policy_of(lower), (SPOT_HERE, ON_DEMAND_HERE))
    scene.run(MORNING)
    scene.policy = policy_of(TWO_TIERS)
    decision = scene.run(MORNING + minutes(1))
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.POLICY)


def test_the_clock_takes_the_upper_tier_at_once() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: day, when: "08:00-20:00", place: {in: aws, capacity: on_demand}}
    - {name: rest, place: [{in: aws, capacity: spot}, {in: aws, capacity: on_demand}]}
"""
    scene = Scene(policy_of(text), (SPOT_HERE, ON_DEMAND_HERE))
    scene.run(at("2026-01-15T19:50:00Z"))
    decision = scene.run(at("2026-01-15T20:00:00Z"))
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.CLOCK)


def test_what_an_operator_did_is_undone_and_named() -> None:
    scene = Scene(policy_of(TWO_TIERS), (SPOT_HERE, ON_DEMAND_HERE))
    scene.run(MORNING)
    (placement,) = scene.actual.pools["p"].placements
    elsewhere = replace(placement, slot=replace(placement.slot, capacity_type=ON_DEMAND), nodes=2)
    scene.carry_out({"p": replace(scene.one(), after=(elsewhere,))})
    scene.remember(last=replace(scene.memory.pools["p"].last, after=(placement,)))  # type: ignore[type-var]  # stored above
    decision = scene.one()
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.OUTSIDE)


def test_a_price_condition_that_turns_waits_for_min_stay() -> None:
    text = """
p:
  need: A100:8
  rules:
    - name: cheap
      when: {price: {below: 2.00/gpu-h, until: 2.20/gpu-h}}
      place: {in: aws, capacity: spot}
  otherwise: off
"""
    scene = Scene(policy_of(text), (gpu_offer("20.00"),))
    assert scene.run(MORNING).after == ()
    fresh(scene, 10, "15.00")
    made = scene.run(MORNING + minutes(10))
    assert (made.action, made.cause) == (Action.CREATE, Cause.PRICE)
    fresh(scene, 20, "17.00")
    assert scene.run(MORNING + minutes(20)).action is Action.NO_OP
    fresh(scene, 30, "18.00")
    held = scene.run(MORNING + minutes(30))
    assert (held.action, held.wanted, held.next_check_at) == (
        Action.HOLD,
        (),
        MORNING + minutes(70),
    )
    assert where(held.after) == [("us-east-1", 1)]
    fresh(scene, 69, "18.00")
    assert scene.run(MORNING + minutes(69)).action is Action.HOLD
    fresh(scene, 70, "18.00")
    gone = scene.run(MORNING + minutes(70))
    assert (gone.action, gone.cause) == (Action.DESTROY, Cause.PRICE)


def test_the_clock_ends_a_pool_whatever_its_timers() -> None:
    text = """
p:
  need: A100:8
  rules: [{name: day, when: "08:00-20:00", place: {in: aws, capacity: spot}}]
  otherwise: off
"""
    scene = Scene(policy_of(text), (SPOT_HERE,))
    scene.run(at("2026-01-15T19:55:00Z"))
    scene.alive(us_east_1=0)
    decision = scene.one(at("2026-01-15T20:00:00Z"))
    assert (decision.action, decision.after) == (Action.NO_OP, ())
    scene.actual = replace(scene.actual, pools={"p": replace(scene.actual.pools["p"], running={})})
    assert scene.one().cause is Cause.CLOCK


def test_override_off_empties_until_it_ends() -> None:
    scene = Scene(policy_of(TWO_TIERS), (SPOT_HERE,))
    scene.run(MORNING)
    scene.remember(override=override(OverrideKind.OFF, until=60))
    off = scene.run(MORNING + minutes(1))
    assert (off.action, off.cause, off.after) == (Action.DESTROY, Cause.OVERRIDE, ())
    assert 'Override "off" by operator holds until 11:00.' in off.reasons
    held = scene.run(MORNING + minutes(2))
    assert (held.action, where(held.wanted)) == (Action.HOLD, [("us-east-1", 1)])
    assert held.next_check_at == MORNING + minutes(60)
    again = scene.run(MORNING + minutes(60))
    assert again.action is Action.CREATE
    assert again.memory is not None
    assert again.memory.override is None


def test_override_hold_freezes_place_and_size() -> None:
    text = """
p:
  need: 2 x A100:8
  rules: [{name: day, when: "08:00-20:00", place: {in: aws, capacity: spot}}]
  otherwise: off
"""
    scene = Scene(policy_of(text), (SPOT_HERE,))
    scene.run(MORNING)
    scene.remember(override=override(OverrideKind.HOLD))
    assert scene.run(MORNING + minutes(1)).action is Action.NO_OP
    held = scene.run(at("2026-01-15T20:00:00Z"))
    assert (held.action, where(held.after)) == (Action.HOLD, [("us-east-1", 2)])
    assert "holds until it is released." in held.reasons[-1]
    scene.alive(us_east_1=1)
    refill = scene.one(at("2026-01-15T21:00:00Z"))
    assert (refill.action, refill.cause) == (Action.SCALE, Cause.CAPACITY)
    scene.remember(override=None)
    assert scene.one().action is Action.DESTROY


def test_override_on_runs_the_first_feasible_rule_against_the_clock() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: never, when: "03:00-03:01", place: off}
    - {name: nowhere, when: "04:00-05:00", place: {in: tencent}}
    - {name: night, when: "20:00-22:00", place: {in: aws, capacity: spot}}
  otherwise: off
"""
    scene = Scene(policy_of(text), (SPOT_HERE,))
    scene.memory = Memory(pools={"p": PoolMemory(override=override(OverrideKind.ON))})
    made = scene.run(MORNING)
    assert (made.action, made.cause, where(made.after)) == (
        Action.CREATE,
        Cause.OVERRIDE,
        [("us-east-1", 1)],
    )
    held = scene.run(MORNING + minutes(5))
    assert (held.action, where(held.after)) == (Action.HOLD, [("us-east-1", 1)])


def test_override_on_without_any_place_changes_nothing() -> None:
    for text in ("p: {need: A100:8, place: off}", "p: {need: A100:8, place: {in: tencent}}"):
        scene = Scene(policy_of(text), (SPOT_HERE,))
        scene.memory = Memory(pools={"p": PoolMemory(override=override(OverrideKind.ON))})
        decision = scene.one()
        assert (decision.action, decision.after) == (Action.NO_OP, ())


def test_outcome_hold_refills_what_was_lost() -> None:
    text = "p: {need: A100:8, rules: [{when: '00:00-04:00', place: off}], otherwise: hold}"
    scene = Scene(policy_of(text), (SPOT_HERE,))
    made = Scene(policy_of(TWO_TIERS.replace("A100:8", "3 x A100:8")), (SPOT_HERE,)).one()
    scene.carry_out({"p": made})
    scene.memory = Memory()
    assert scene.one().action is Action.NO_OP
    scene.alive(us_east_1=2)
    refill = scene.one()
    assert (refill.action, refill.cause, where(refill.after)) == (
        Action.SCALE,
        Cause.CAPACITY,
        [("us-east-1", 3)],
    )
    assert scene.one(at("2026-01-16T00:00:00Z")).action is Action.DESTROY


def test_spot_that_lost_its_discount_goes_like_one_over_its_cap() -> None:
    text = "p: {need: A100:8, place: {in: aws, capacity: spot, min_discount: 50%}}"
    scene = Scene(policy_of(text), (SPOT_HERE, ON_DEMAND_HERE))
    scene.run(MORNING)
    for now, action in ((5, Action.HOLD), (20, Action.DESTROY)):
        scene.look(gpu_offer("16.00", seen=MORNING + minutes(now)), ON_DEMAND_HERE)
        assert scene.run(MORNING + minutes(now)).action is action


def test_without_any_memory_the_upper_tier_is_taken_at_once() -> None:
    scene = Scene(policy_of(TWO_TIERS), (ON_DEMAND_HERE,))
    scene.run(MORNING)
    scene.memory = Memory()
    scene.look(SPOT_HERE, ON_DEMAND_HERE)
    assert scene.one().action is Action.MOVE


def test_an_outside_change_in_a_lower_tier_goes_up_at_once() -> None:
    scene = Scene(policy_of(TWO_TIERS), (ON_DEMAND_HERE,))
    scene.run(MORNING)
    scene.alive(us_east_1=2)
    scene.remember(fell_back_at=None)
    scene.look(SPOT_HERE, ON_DEMAND_HERE)
    last = scene.memory.pools["p"].last
    assert last is not None
    scene.remember(last=replace(last, quotes={SPOT_HERE.key: SPOT_HERE.quotes[0].amount}))
    decision = scene.one()
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.OUTSIDE)
