"""Pools whose size somebody else decides: the bounds are ours, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.models.decision import Action, Cause
from multicloud.models.memory import Override, OverrideKind, SetAside, SetAsideReason
from multicloud.models.offer import Cloud
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, Scene, gpu_offer, minutes, policy_of, where

if TYPE_CHECKING:
    from multicloud.models.decision import Decision

EARLY = MORNING - minutes(120)
HERE = gpu_offer("8", seen=EARLY)
THERE = gpu_offer("20", "us-west-2", seen=EARLY, capacity=ON_DEMAND)
POOL = """\
p:
  need: A100:8
  autoscaler: {mode: external, min: 1, max: 4}
  place: [{in: aws/us-east-1, capacity: spot}, {in: aws}]
"""


def a_scene(pool: str = POOL, *, head: str = "") -> Scene:
    """The pool runs in us-east-1 since an hour ago."""
    scene = Scene(policy_of(pool, head=head), (HERE, THERE))
    scene.run(MORNING - minutes(60))
    return scene


def seen(scene: Scene, nodes: int) -> Decision:
    scene.alive(us_east_1=nodes)
    return scene.one(MORNING)


def test_what_is_placed_is_the_most() -> None:
    decision = Scene(policy_of(POOL), (HERE, THERE)).one()
    assert decision.action is Action.CREATE
    assert where(decision.after) == [("us-east-1", 4)]
    assert decision.after[0].floor == 1
    assert decision.usd_per_hour_after == 32


def test_the_worst_is_the_most_of_the_dearest_place() -> None:
    decision = Scene(policy_of(POOL), (HERE, THERE)).one()
    assert where(decision.fallbacks) == [("us-west-2", 4)]
    assert decision.usd_per_hour_worst == 80


@given(
    nodes=st.integers(0, 4),
    bounds=st.sampled_from([(0, 4), (1, 4), (4, 4)]),
    is_evicted=st.booleans(),
    waited=st.integers(0, 600),
)
def test_no_size_within_the_bounds_is_a_change(
    nodes: int, bounds: tuple[int, int], is_evicted: bool, waited: int
) -> None:
    """Nor one below: what to do about losses is up to who decides the size."""
    least, most = bounds
    scene = a_scene(POOL.replace("min: 1, max: 4", f"min: {least}, max: {most}"))
    if is_evicted:
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
        scene.memory = replace(scene.memory, set_asides=(mark,))
    scene.alive(us_east_1=nodes)
    decision = scene.one(MORNING + minutes(waited))
    assert (decision.action, decision.cause) == (Action.NO_OP, None)
    assert decision.unmet is None
    assert where(decision.after) == [("us-east-1", most)]
    assert list(decision.seen.values()) == [nodes]
    assert decision.memory is not None
    assert decision.memory.degraded_since is None


@pytest.mark.parametrize(
    ("bounds", "action", "nodes"),
    [
        ("min: 1, max: 6", Action.SCALE, 6),
        ("min: 1, max: 2", Action.SCALE, 2),
        ("min: 3, max: 4", Action.NO_OP, 4),
    ],
)
def test_new_bounds_are_a_change_of_the_policy(bounds: str, action: Action, nodes: int) -> None:
    scene = a_scene()
    scene.policy = policy_of(POOL.replace("min: 1, max: 4", bounds))
    decision = seen(scene, 2)
    assert decision.action is action
    assert decision.cause is (None if action is Action.NO_OP else Cause.POLICY)
    assert where(decision.after) == [("us-east-1", nodes)]
    assert f"min: {decision.after[0].floor}" in bounds


def test_off_takes_all() -> None:
    pool = POOL.replace("  place: [", "  rules: [{when: '08:00-11:00', place: [").rstrip() + "}]\n"
    scene = a_scene(pool + "  otherwise: off\n")
    scene.alive(us_east_1=3)
    decision = scene.one(MORNING + minutes(60))
    assert (decision.action, decision.cause, decision.after) == (Action.DESTROY, Cause.CLOCK, ())


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_a_size_that_becomes_ours_counts_what_runs(nodes: int) -> None:
    scene = a_scene()
    ours = POOL.replace("  autoscaler: {mode: external, min: 1, max: 4}\n", "")
    scene.policy = policy_of(ours.replace("A100:8", "3 x A100:8"))
    decision = seen(scene, nodes)
    assert where(decision.before) == ([("us-east-1", nodes)] if nodes else [])
    assert where(decision.after) == [("us-east-1", 3)]
    assert decision.after[0].least is None
    if nodes == 3:
        assert (decision.action, decision.cause) == (Action.NO_OP, None)
    else:
        assert decision.cause is Cause.POLICY
        assert "Degraded" not in " ".join(decision.reasons)


def test_a_size_that_becomes_ours_is_held_to_new_nodes() -> None:
    scene = a_scene()
    ours = POOL.replace("  autoscaler: {mode: external, min: 1, max: 4}\n", "")
    scene.policy = policy_of(ours.replace("A100:8", "4 x A100:8"), head="limits: {new_nodes: 2}")
    assert seen(scene, 1).blocked_by == "limits.new_nodes"
    assert seen(scene, 2).blocked_by == ""


def test_a_size_that_becomes_anothers_stays() -> None:
    ours = POOL.replace("  autoscaler: {mode: external, min: 1, max: 4}\n", "")
    scene = a_scene(ours.replace("A100:8", "2 x A100:8"))
    scene.policy = policy_of(POOL)
    decision = seen(scene, 1)
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.POLICY)
    assert (where(decision.before), where(decision.after)) == (
        [("us-east-1", 2)],
        [("us-east-1", 4)],
    )


@pytest.mark.parametrize(
    ("limits", "blocked"),
    [
        ("{new_nodes: 3}", "limits.new_nodes"),
        ("{new_nodes: 4}", ""),
        ("{spend: 79/h}", "limits.spend"),
        ("{spend: 80/h}", ""),
    ],
)
def test_limits_are_held_against_the_most(limits: str, blocked: str) -> None:
    decision = Scene(policy_of(POOL, head=f"limits: {limits}"), (HERE, THERE)).one()
    assert decision.blocked_by == blocked


def test_a_held_pool_keeps_its_bounds() -> None:
    scene = a_scene()
    hold = Override(kind=OverrideKind.HOLD, since=MORNING, until=None, by="me")
    scene.remember(override=hold)
    scene.policy = policy_of(POOL.replace("min: 1, max: 4", "min: 2, max: 2"))
    decision = seen(scene, 3)
    assert [(p.floor, p.nodes) for p in decision.after] == [(1, 4)]


def test_each_rule_may_have_its_own_most() -> None:
    pool = """\
p:
  need: 2 x A100:8
  autoscaler: {mode: external, min: 1}
  rules:
    - {when: '08:00-11:00', need: 5 x A100:8, place: {in: aws}}
  otherwise: {in: aws}
"""
    scene = Scene(policy_of(pool), (HERE, THERE))
    assert [(p.floor, p.nodes) for p in scene.run(MORNING).after] == [(1, 5)]
    decision = scene.one(MORNING + minutes(60))
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.CLOCK)
    assert [(p.floor, p.nodes) for p in decision.after] == [(1, 2)]
