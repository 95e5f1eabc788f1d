"""Causes: the first that applies, by putting back what was."""

from __future__ import annotations

from dataclasses import replace

from multicloud.models.decision import Action, Cause
from tests.decide.scene import MORNING, Scene, gpu_offer, minutes, policy_of, where
from tests.decide.test_settle import mark

POOL = "p: {need: A100:8, place: {in: [aws/us-east-1, aws/us-west-2], capacity: spot}%s}"
HERE, THERE = gpu_offer("20.00"), gpu_offer("10.00", "us-west-2")


def test_an_expired_mark_is_no_reason_to_move_at_once() -> None:
    scene = Scene(policy_of(POOL % ""), (THERE, HERE))
    away = replace(mark(0), region="us-west-2")
    scene.memory = replace(scene.memory, set_asides=(away,))
    assert where(scene.run(MORNING).after) == [("us-east-1", 1)]
    decision = scene.run(MORNING + minutes(31))
    assert (decision.action, where(decision.wanted)) == (Action.HOLD, [("us-west-2", 1)])
    assert scene.run(MORNING + minutes(60)).cause is Cause.PRICE


def test_a_new_place_in_the_policy_acts_at_once() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws/us-east-1, capacity: spot}}"))
    scene.look(THERE, HERE)
    scene.run(MORNING)
    scene.policy = policy_of(POOL % "")
    decision = scene.run(MORNING + minutes(1))
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.POLICY)


def test_an_edit_of_the_policy_does_not_hide_a_price_move() -> None:
    scene = Scene(policy_of(POOL % ""), (HERE, gpu_offer("25.00", "us-west-2")))
    scene.run(MORNING)
    scene.policy = policy_of(POOL % ", labels: {team: ml}")
    scene.look(HERE, THERE)
    decision = scene.run(MORNING + minutes(1))
    assert (decision.action, where(decision.wanted)) == (Action.HOLD, [("us-west-2", 1)])


def test_the_size_changes_by_the_clock_and_the_place_by_its_price() -> None:
    text = """
p:
  need: {instance_type: p4d.24xlarge, nodes: 1}
  rules:
    - {name: early, when: "08:00-10:30", place: {in: aws, capacity: spot}}
    - {name: late, need: {nodes: 2}, place: {in: aws, capacity: spot}}
"""
    scene = Scene(policy_of(text), (HERE, gpu_offer("25.00", "us-west-2")))
    scene.run(MORNING)
    scene.look(HERE, THERE)
    decision = scene.run(MORNING + minutes(30))
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.CLOCK)
    assert where(decision.after) == [("us-east-1", 2)]
    assert where(decision.wanted) == [("us-west-2", 2)]


def test_a_cheaper_place_at_the_turn_of_a_rule_is_the_clocks() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: early, when: "08:00-10:30", place: {in: aws/us-east-1, capacity: spot}}
    - {name: late, place: {in: aws, capacity: spot}}
"""
    scene = Scene(policy_of(text), (HERE, THERE))
    scene.run(MORNING)
    decision = scene.run(MORNING + minutes(30))
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.CLOCK)


def test_more_nodes_than_were_asked_for_are_an_outside_change() -> None:
    scene = Scene(policy_of(POOL % ""), (HERE,))
    scene.run(MORNING)
    scene.alive(us_east_1=3)
    decision = scene.one()
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.OUTSIDE)
    assert where(decision.after) == [("us-east-1", 1)]


def test_a_cap_lowered_by_the_policy_is_the_policys_doing() -> None:
    scene = Scene(policy_of(POOL % ", moves: {signal_for: 0m}"), (HERE,))
    scene.run(MORNING)
    capped = POOL.replace("capacity: spot}", "capacity: spot, max_price: 1/gpu-h}")
    scene.policy = policy_of(capped % ", moves: {signal_for: 0m}")
    decision = scene.run(MORNING + minutes(1))
    assert (decision.action, decision.cause) == (Action.DESTROY, Cause.POLICY)
