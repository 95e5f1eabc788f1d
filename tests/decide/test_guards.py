"""Limits of a run: who is held back, and who goes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from multicloud.decide.guards import destroyed_nodes, new_nodes
from multicloud.models.decision import Action, Cause
from tests.builders import at
from tests.decide.scene import MORNING, Scene, gpu_offer, policy_of, where

TWO = """
p: {need: 2 x A100:8, place: {in: aws/us-east-1, capacity: spot}}
q: {need: 3 x A100:8, place: {in: aws/us-east-1, capacity: spot}}
"""
EVENING = at("2026-01-15T20:00:00Z")


def scene_with(limits: str, pools: str = TWO) -> Scene:
    """Two pools at 20.00 per node under the limits."""
    return Scene(policy_of(pools, head=f"limits: {limits}"), (gpu_offer("20.00"),))


@pytest.mark.parametrize(("limit", "held"), [(5, False), (4, True), (0, True)])
def test_new_nodes_are_counted_over_all_pools(limit: int, held: bool) -> None:
    found = scene_with(f"{{new_nodes: {limit}}}").decide()
    assert [d.blocked_by for d in found.values()] == ["limits.new_nodes" if held else ""] * 2
    assert all((d.action is Action.HOLD) == held for d in found.values())
    if held:
        decision = found["p"]
        assert (decision.after, where(decision.wanted)) == ((), [("us-east-1", 2)])
        assert f"5 new nodes are more than {limit}" in decision.reasons[-1]
        assert decision.usd_per_hour_after == 0
        assert decision.memory is not None
        assert decision.memory.last is None


@pytest.mark.parametrize(
    ("limit", "held"), [("100/h", False), ("99.99/h", True), ("500 CNY/h", False)]
)
def test_spend_is_held_against_all_nodes(limit: str, held: bool) -> None:
    scene = Scene(
        policy_of(TWO, head=f"limits: {{spend: {limit}}}\nfx: {{CNY: 5}}"), (gpu_offer("20.00"),)
    )
    assert all(bool(d.blocked_by) == held for d in scene.decide().values())


def test_spend_is_held_against_the_worst_fallback() -> None:
    text = "p: {need: A100:8, place: {in: aws, capacity: spot}}"
    scene = Scene(
        policy_of(text, head="limits: {spend: 25/h}"),
        (gpu_offer("20.00"), gpu_offer("26.00", "us-west-2")),
    )
    decision = scene.one()
    assert decision.blocked_by == "limits.spend"
    assert "26.00 USD/h at worst is more than 25.00 USD/h" in decision.reasons[-1]


def test_an_unknown_cost_is_over_a_money_limit_but_lets_others_shrink() -> None:
    pools = (
        TWO
        + """
r:
  need: A100:8
  rules: [{when: "08:00-20:00", place: {in: aws/us-west-2, capacity: spot}}]
  otherwise: off
"""
    )
    scene = scene_with("{spend: 1000/h}", pools)
    scene.look(gpu_offer("20.00"), gpu_offer("10.00", "us-west-2"))
    found = scene.decide()
    scene.carry_out({"p": found["p"], "r": found["r"]})
    scene.look(gpu_offer(None), gpu_offer("10.00", "us-west-2"))
    again = scene.decide(EVENING)
    assert again["r"].action is Action.DESTROY
    assert again["p"].action is Action.NO_OP
    scene.look(gpu_offer(None), gpu_offer("10.00", "us-west-2"))
    scene.policy = policy_of(
        "s: {need: A100:8, place: {in: aws/us-west-2, capacity: spot}}" + TWO,
        head="limits: {spend: 1000/h}",
    )
    grown = scene.decide()["s"]
    assert grown.blocked_by == "limits.spend"
    assert "a cost is unknown" in grown.reasons[-1]


def test_a_move_counts_its_new_side() -> None:
    scene = scene_with("{new_nodes: 2}", "p: {need: 2 x A100:8, place: {in: aws, capacity: spot}}")
    scene.run(MORNING)
    scene.policy = policy_of(
        "p: {need: 2 x A100:8, place: {in: aws/us-west-2, capacity: spot}}",
        head="limits: {new_nodes: 1}",
    )
    scene.look(gpu_offer("20.00"), gpu_offer("20.00", "us-west-2"))
    decision = scene.one()
    assert decision.blocked_by == "limits.new_nodes"
    assert where(decision.after) == [("us-east-1", 2)]
    assert decision.memory is not None
    assert decision.memory.last is not None
    assert decision.memory.last.held


@pytest.mark.parametrize(("limit", "held"), [(5, False), (4, True)])
def test_destroys_for_the_policy_are_limited(limit: int, held: bool) -> None:
    scene = scene_with("{destroyed_nodes: 100}")
    scene.carry_out()
    scene.policy = policy_of(
        "p: {need: A100, place: off}", head=f"limits: {{destroyed_nodes: {limit}}}"
    )
    found = scene.decide()
    assert [d.cause for d in found.values()] == [Cause.POLICY, Cause.POLICY]
    assert [d.blocked_by for d in found.values()] == (
        ["limits.destroyed_nodes"] * 2 if held else ["", ""]
    )


def test_the_clock_and_the_old_side_of_a_move_destroy_freely() -> None:
    pools = """
p:
  need: 2 x A100:8
  rules: [{when: "08:00-20:00", place: {in: aws/us-east-1, capacity: spot}}]
  otherwise: off
"""
    scene = scene_with("{destroyed_nodes: 0}", pools)
    scene.run(MORNING)
    decision = scene.one(EVENING)
    assert (decision.action, decision.blocked_by) == (Action.DESTROY, "")
    assert destroyed_nodes(decision) == 0
    assert new_nodes(decision) == 0


def test_scaling_in_for_the_policy_counts() -> None:
    scene = scene_with("{destroyed_nodes: 100}")
    scene.carry_out()
    smaller = TWO.replace("3 x", "1 x")
    scene.policy = policy_of(smaller, head="limits: {destroyed_nodes: 1}")
    found = scene.decide()
    assert (found["q"].blocked_by, found["p"].blocked_by) == ("limits.destroyed_nodes", "")


def test_a_limit_in_a_currency_without_a_rate_is_over() -> None:
    from dataclasses import replace

    scene = scene_with("{spend: 1000/h}")
    limits = replace(scene.policy.limits, spend_currency="XXX", spend=Decimal(10**9))
    scene.policy = replace(scene.policy, limits=limits)
    assert scene.decide()["p"].blocked_by == "limits.spend"
