"""Tiers in order: waits, shares, losses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from multicloud.models.decision import Action, Cause, Reject
from multicloud.models.memory import SetAsideReason
from multicloud.models.need import Spread
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, Scene, gpu_offer, minutes, policy_of, where
from tests.decide.test_settle import mark

if TYPE_CHECKING:
    from multicloud.models.offer import CapacityType

SPOT_HERE, SPOT_THERE = gpu_offer("10.00"), gpu_offer("12.00", "us-west-2")
ON_DEMAND_HERE = gpu_offer("30.00", capacity=ON_DEMAND)
WAITING = """
p:
  need: A100:8
  place:
    - {in: aws, capacity: spot, max_price: 1/gpu-h, wait: 20m}
    - {in: aws, capacity: on_demand}
"""


def test_a_tier_is_tried_for_its_wait_before_the_next() -> None:
    scene = Scene(policy_of(WAITING), (SPOT_HERE, ON_DEMAND_HERE))
    first = scene.run(MORNING)
    assert (first.action, first.after, first.fallbacks) == (Action.NO_OP, (), ())
    assert first.unmet is not None
    assert first.unmet.reasons == (
        "tier 1 of 2: 2 offers: 1 other capacity type, 1 over cap 1/gpu-h",
        "tier 1 is tried until 10:20 before the next",
    )
    assert first.next_check_at == MORNING + minutes(20)
    assert scene.run(MORNING + minutes(19)).after == ()
    fell = scene.run(MORNING + minutes(20))
    assert (fell.action, fell.cause) == (Action.CREATE, Cause.CAPACITY)
    assert fell.after[0].slot.capacity_type is ON_DEMAND
    assert fell.memory is not None
    assert fell.memory.fell_back_at == MORNING + minutes(20)


def test_fallbacks_stop_at_a_tier_that_must_be_tried_longer() -> None:
    cheap = gpu_offer("8.00")
    scene = Scene(policy_of(WAITING), (cheap, ON_DEMAND_HERE))
    assert scene.one().fallbacks == ()
    scene.remember(tier_waits={"place#1": MORNING - minutes(20)})
    assert [p.slot.capacity_type for p in scene.one().fallbacks] == [ON_DEMAND]
    scene.policy = policy_of(WAITING.replace(", wait: 20m", ""))
    assert [p.slot.capacity_type for p in scene.one().fallbacks] == [ON_DEMAND]


def test_a_wait_ends_when_the_tier_gives() -> None:
    scene = Scene(policy_of(WAITING), (SPOT_HERE, ON_DEMAND_HERE))
    scene.run(MORNING)
    assert scene.memory.pools["p"].tier_waits == {"place#1": MORNING}
    scene.look(gpu_offer("8.00", seen=MORNING + minutes(5)), ON_DEMAND_HERE)
    assert scene.run(MORNING + minutes(5)).action is Action.CREATE
    assert scene.memory.pools["p"].tier_waits == {}


def test_what_runs_in_a_lower_tier_is_not_stopped_by_a_wait() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws, capacity: on_demand}}"))
    scene.look(SPOT_HERE, ON_DEMAND_HERE)
    scene.run(MORNING)
    scene.policy = policy_of(WAITING)
    assert scene.run(MORNING + minutes(1)).action is Action.NO_OP


def test_a_lower_tier_is_never_chosen_for_its_price() -> None:
    text = "p: {need: A100:8, place: [{in: aws, capacity: on_demand}, {in: aws, capacity: spot}]}"
    scene = Scene(policy_of(text), (SPOT_HERE, ON_DEMAND_HERE))
    assert scene.run(MORNING).after[0].slot.capacity_type is ON_DEMAND
    assert scene.run(MORNING + minutes(300)).action is Action.NO_OP


def test_a_rule_that_has_nothing_may_let_the_next_go_on() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: first, if_none: %s, place: {in: tencent}}
    - {name: second, when: "08:00-20:00", place: {in: aws, capacity: spot}}
  otherwise: off
"""
    wait = Scene(policy_of(text % "wait"), (SPOT_HERE,)).one()
    assert (wait.rule, wait.after) == ("first", ())
    assert wait.unmet is not None
    assert wait.unmet.reasons == ("1 offer: 1 outside the tier's places",)
    following = Scene(policy_of(text % "next"), (SPOT_HERE,)).one()
    assert (following.rule, where(following.after)) == ("second", [("us-east-1", 1)])
    assert following.reasons[0] == "first holds but has nothing, and lets the next rule go on."
    night = Scene(policy_of(text % "next"), (SPOT_HERE,)).one(MORNING + minutes(11 * 60))
    assert (night.rule, night.after, night.unmet) == ("otherwise", (), None)


def test_a_place_as_the_last_resort() -> None:
    text = """
p:
  need: A100:8
  rules: [{name: night, when: "20:00-08:00", place: off}]
  otherwise: {in: aws, capacity: spot}
"""
    decision = Scene(policy_of(text), (SPOT_HERE,)).one()
    assert (decision.rule, where(decision.after)) == ("otherwise", [("us-east-1", 1)])
    assert decision.reasons[0] == "night begins at 20:00; otherwise: a place."


PLACES = """
p:
  need: {gpu: A100, gpus: 32, spread: places%s}
  place: [{in: aws, capacity: spot, max_gpus: %s}, {in: aws, capacity: on_demand%s}]
"""


@pytest.mark.parametrize(
    ("most", "nodes"), [(16, [2, 2]), (20, [2, 2]), (24, [3, 1]), (7, [4]), (32, [4]), (40, [4])]
)
def test_each_tier_gives_what_it_may(most: int, nodes: list[int]) -> None:
    decision = Scene(policy_of(PLACES % ("", most, "")), (SPOT_HERE, ON_DEMAND_HERE)).one()
    by_way = {p.slot.capacity_type: p.nodes for p in decision.after}
    ways = [SPOT, ON_DEMAND] if len(nodes) > 1 else [ON_DEMAND if most < 8 else SPOT]
    assert by_way == dict(zip(ways, nodes, strict=True))


@pytest.mark.parametrize(
    ("least", "missing"), [("", 8), (", min_gpus: 25", 8), (", min_gpus: 24", 0)]
)
def test_min_gpus_is_the_least_that_counts_as_met(least: str, missing: int) -> None:
    scene = Scene(policy_of(PLACES % (least, 16, ", max_gpus: 8")), (SPOT_HERE, ON_DEMAND_HERE))
    decision = scene.run(MORNING)
    assert sum(p.nodes for p in decision.after) == 3
    assert (decision.unmet.gpus if decision.unmet else 0) == missing
    again = scene.run(MORNING + minutes(1))
    assert again.action is Action.NO_OP
    assert (again.unmet.gpus if again.unmet else 0) == missing


def test_running_nodes_count_against_their_tiers_max_gpus() -> None:
    scene = Scene(policy_of(PLACES % ("", 16, "")), (SPOT_HERE, ON_DEMAND_HERE))
    scene.run(MORNING)
    scene.policy = policy_of((PLACES % ("", 16, "")).replace("gpus: 32", "gpus: 48"))
    decision = scene.run(MORNING + minutes(1))
    assert {p.slot.capacity_type: p.nodes for p in decision.after} == {SPOT: 2, ON_DEMAND: 4}
    scene.policy = policy_of((PLACES % ("", 16, "")).replace("gpus: 32", "gpus: 24"))
    decision = scene.run(MORNING + minutes(2))
    assert {p.slot.capacity_type: p.nodes for p in decision.after} == {SPOT: 2, ON_DEMAND: 1}


@pytest.mark.parametrize(("least", "way"), [(None, ON_DEMAND), (8, SPOT)])
def test_a_tier_that_may_not_give_enough_is_passed_over(
    least: int | None, way: CapacityType
) -> None:
    policy = policy_of(PLACES % ("", 8, ""))
    pool = policy.pools[0]
    need = replace(pool.need, spread=Spread.NONE, min_gpus=least)
    rules = tuple(replace(rule, need=need) for rule in pool.rules)
    policy = replace(policy, pools=(replace(pool, need=need, rules=rules),))
    decision = Scene(policy, (SPOT_HERE, ON_DEMAND_HERE)).one()
    assert [p.slot.capacity_type for p in decision.after] == [way]
    assert decision.unmet is None


FOUR = "p: {need: %s, place: {in: aws, capacity: spot}}"


def evicted(need: str = "4 x A100:8", *, alive: int = 3) -> Scene:
    """Four nodes in us-east-1, one of them evicted a minute ago; us-west-2 is at hand."""
    scene = Scene(policy_of(FOUR % need), (SPOT_HERE, SPOT_THERE))
    scene.run(MORNING)
    scene.alive(us_east_1=alive)
    lost = mark(5, reason=SetAsideReason.EVICTED, last=60)
    scene.memory = replace(scene.memory, set_asides=(lost,))
    return scene


def test_an_evicted_group_shrinks_and_the_rest_comes_from_the_next_candidate() -> None:
    scene = evicted()
    decision = scene.run(MORNING + minutes(6))
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.CAPACITY)
    assert where(decision.after) == [("us-east-1", 3), ("us-west-2", 1)]
    assert decision.unmet is None
    assert "Degraded 3/4 in us-east-1: 1 node evicted." in decision.reasons
    for later in (7, 30, 70):
        assert scene.run(MORNING + minutes(later)).action in (Action.NO_OP, Action.HOLD)


def test_without_another_place_the_deficit_is_unmet() -> None:
    scene = evicted()
    scene.look(SPOT_HERE)
    decision = scene.run(MORNING + minutes(6))
    assert (decision.action, where(decision.after)) == (Action.NO_OP, [("us-east-1", 3)])
    assert decision.unmet is not None
    assert decision.unmet.gpus == 8
    assert decision.rejections[Reject.EVICTED] == 1


def test_a_group_that_lost_all_its_nodes_is_made_elsewhere() -> None:
    decision = evicted(alive=0).run(MORNING + minutes(6))
    assert (decision.action, where(decision.after)) == (Action.CREATE, [("us-west-2", 4)])
    assert decision.cause is Cause.CAPACITY


def test_joined_nodes_move_together() -> None:
    scene = evicted("{gpu: A100, gpus: 32, per_node: 8, interconnect: nvlink}")
    decision = scene.run(MORNING + minutes(6))
    assert (decision.action, where(decision.after)) == (Action.MOVE, [("us-west-2", 4)])
    scene = evicted("{gpu: A100, gpus: 32, per_node: 8, interconnect: nvlink}")
    scene.look(SPOT_HERE)
    decision = scene.run(MORNING + minutes(6))
    assert (where(decision.after), decision.cause) == ([("us-east-1", 3)], None)
    assert decision.unmet is not None


def test_other_losses_are_the_groups_to_refill_for_a_while() -> None:
    scene = Scene(policy_of(FOUR % "4 x A100:8"), (SPOT_HERE, SPOT_THERE))
    scene.run(MORNING)
    (stack,) = scene.actual.pools["p"].placements

    def lose() -> None:
        scene.actual = replace(
            scene.actual,
            pools={
                "p": replace(
                    scene.actual.pools["p"], placements=(stack,), running={stack.slot.digest: 3}
                )
            },
        )

    lose()
    first = scene.run(MORNING + minutes(1))
    assert where(first.after) == [("us-east-1", 4)]
    assert first.next_check_at == MORNING + minutes(16)
    lose()
    assert where(scene.run(MORNING + minutes(15)).after) == [("us-east-1", 4)]
    lose()
    late = scene.run(MORNING + minutes(16))
    assert where(late.after) == [("us-east-1", 3), ("us-west-2", 1)]
    assert late.cause is Cause.CAPACITY


def test_nobody_else_has_the_nodes_so_the_group_goes_on_trying() -> None:
    scene = Scene(policy_of(FOUR % "4 x A100:8"), (SPOT_HERE,))
    scene.run(MORNING)
    scene.alive(us_east_1=3)
    scene.remember(degraded_since=MORNING)
    decision = scene.one(MORNING + minutes(60))
    assert where(decision.after) == [("us-east-1", 4)]
    assert decision.unmet is not None


def test_a_group_that_cannot_grow_moves_if_another_place_has_it_all() -> None:
    scene = Scene(policy_of(FOUR % "2 x A100:8"), (SPOT_HERE, SPOT_THERE))
    scene.run(MORNING)
    scene.memory = replace(scene.memory, set_asides=(mark(0),))
    scene.policy = policy_of(FOUR % "3 x A100:8")
    assert where(scene.one().after) == [("us-west-2", 3)]
    scene.look(SPOT_HERE)
    stuck = scene.one()
    assert where(stuck.after) == [("us-east-1", 2)]
    assert stuck.unmet is not None
    assert stuck.unmet.gpus == 8
    scene.policy = policy_of(FOUR % "A100:8")
    assert where(scene.one().after) == [("us-east-1", 1)]


def test_one_running_group_grows_only_to_its_tiers_max_gpus() -> None:
    scene = Scene(policy_of((PLACES % ("", 16, "")).replace("gpus: 32", "gpus: 8")))
    scene.look(SPOT_HERE, ON_DEMAND_HERE)
    assert where(scene.run(MORNING).after) == [("us-east-1", 1)]
    scene.policy = policy_of(PLACES % ("", 16, ""))
    decision = scene.run(MORNING + minutes(1))
    assert {p.slot.capacity_type: p.nodes for p in decision.after} == {SPOT: 2, ON_DEMAND: 2}


def test_every_zone_set_aside_is_the_region_set_aside() -> None:
    scene = Scene(policy_of(FOUR % "A100:8"), (SPOT_HERE,))
    zones = scene.one().after[0].slot.zones
    marks = tuple(replace(mark(0), zone=zone) for zone in zones)
    scene.memory = replace(scene.memory, set_asides=marks[1:])
    assert scene.one().after[0].slot.zones == zones[:1]
    scene.memory = replace(scene.memory, set_asides=marks)
    decision = scene.one()
    assert (decision.after, decision.rejections[Reject.SET_ASIDE]) == ((), 1)


def test_spread_over_zones_leaves_out_those_set_aside() -> None:
    offers = tuple(gpu_offer("10.00", zone=zone) for zone in ("use1-az1", "use1-az2"))
    need = "{gpu: A100, gpus: 32, spread: zones}"
    scene = Scene(policy_of(FOUR % need), offers)
    scene.memory = replace(scene.memory, set_asides=(replace(mark(0), zone="use1-az1"),))
    decision = scene.one()
    assert [(p.slot.zones, p.nodes) for p in decision.after] == [(("use1-az2",), 4)]


def test_throughput_of_several_places_needs_the_figures_of_all() -> None:
    text = """
p:
  need: {gpu: any, gpu_memory: 10Gi, gpus: 16, per_node: 8, spread: places}
  prefer: {per_tflop: bf16}
  place:
    - {in: aws, capacity: spot, max_gpus: 8, instance_types: [p2.8xlarge]}
    - {in: aws, capacity: spot}
"""
    k80 = gpu_offer("1.00", kind="p2.8xlarge", gpu="K80")
    scene = Scene(policy_of(text), (SPOT_HERE, k80))
    made = scene.run(MORNING)
    assert sorted(p.gpu for p in made.after) == ["A100-40GB", "K80"]
    k80_first = text.replace("[p2.8xlarge]", "[p2.8xlarge, p2.8xlarge-b]")
    scene.policy = policy_of(k80_first)
    assert scene.run(MORNING + minutes(1)).action is Action.NO_OP
