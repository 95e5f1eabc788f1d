"""Price moves: what they must be worth, and how long they wait."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.models.decision import Action, Cause, Decision
from tests.decide.scene import MORNING, Scene, gpu_offer, minutes, policy_of, where

if TYPE_CHECKING:
    from multicloud.models.offer import Offer

SPOT_POOL = "p: {need: A100:8, place: {in: aws, capacity: spot}%s}"


def running(extra: str = "", *, price: str = "20.00") -> Scene:
    """One node in us-east-1 since 10:00, long enough ago for min_stay by 11:00."""
    scene = Scene(policy_of(SPOT_POOL % extra))
    scene.look(gpu_offer(price))
    scene.run(MORNING)
    return scene


def prices(now: int, here: str, there: str, *, region: str = "us-west-2") -> tuple[Offer, ...]:
    """Fresh prices of both places, so many minutes after the scene's morning."""
    seen = MORNING + minutes(now)
    return gpu_offer(here, seen=seen), gpu_offer(there, region, seen=seen)


def tick(scene: Scene, now: int, here: str, there: str) -> Decision:
    """A run with fresh prices."""
    scene.look(*prices(now, here, there))
    return scene.run(MORNING + minutes(now))


def test_a_saving_must_last_for_signal_for() -> None:
    scene = running()
    first = tick(scene, 60, "20.00", "10.00")
    assert (first.action, where(first.wanted)) == (Action.HOLD, [("us-west-2", 1)])
    assert first.next_check_at == MORNING + minutes(75)
    assert tick(scene, 74, "20.00", "10.00").action is Action.HOLD
    moved = tick(scene, 75, "20.00", "10.00")
    assert (moved.action, moved.cause) == (Action.MOVE, Cause.PRICE)
    assert moved.memory is not None
    assert moved.memory.price_moves == (MORNING + minutes(75),)
    assert moved.memory.changed_at == MORNING + minutes(75)


def test_an_interrupted_saving_starts_anew() -> None:
    scene = running()
    tick(scene, 60, "20.00", "10.00")
    tick(scene, 70, "20.00", "19.00")
    assert tick(scene, 80, "20.00", "10.00").action is Action.HOLD
    assert tick(scene, 95, "20.00", "10.00").action is Action.MOVE


def test_the_signal_goes_on_while_the_first_place_still_saves() -> None:
    scene = running()
    tick(scene, 60, "20.00", "12.00")
    seen = MORNING + minutes(70)
    third = gpu_offer("11.00", "eu-west-1", seen=seen)
    scene.look(*prices(70, "20.00", "12.00"), third)
    assert scene.run(seen).action is Action.HOLD
    seen = MORNING + minutes(75)
    third = gpu_offer("11.00", "eu-west-1", seen=seen)
    scene.look(*prices(75, "20.00", "12.00"), third)
    assert where(scene.run(seen).after) == [("eu-west-1", 1)]


def test_the_signal_starts_anew_for_another_place() -> None:
    scene = running()
    tick(scene, 60, "20.00", "12.00")
    for now, action in ((70, Action.HOLD), (80, Action.HOLD), (85, Action.MOVE)):
        seen = MORNING + minutes(now)
        third = gpu_offer("11.00", "eu-west-1", seen=seen)
        scene.look(*prices(now, "20.00", "19.50"), third)
        assert scene.run(seen).action is action


def test_a_remembered_place_that_is_gone_ends_the_signal() -> None:
    scene = running()
    scene.remember(signal_key="00000000", signal_since=MORNING)
    assert tick(scene, 60, "20.00", "10.00").action is Action.HOLD


@pytest.mark.parametrize(
    ("there", "action"), [("18.01", Action.NO_OP), ("18.00", Action.HOLD), ("20.00", Action.NO_OP)]
)
def test_min_saving_includes_its_bound(there: str, action: Action) -> None:
    decision = tick(running(), 60, "20.00", there)
    assert decision.action is action
    assert ("less than min_saving 10 %" in " ".join(decision.reasons)) == (there == "18.01")


def test_a_move_must_save_more_than_it_costs() -> None:
    # Overlap 20.00 x 25 min = 8.33, restore 10.00 x 5 min = 0.83; saving 10.00 an hour.
    text = """
p:
  need: A100:8
  rules: [{name: day, when: "08:00-%s", place: {in: aws, capacity: spot}}]
  otherwise: off
"""
    for end, action in (("11:56", Action.NO_OP), ("11:57", Action.HOLD)):
        scene = Scene(policy_of(text % end), (gpu_offer("20.00"),))
        scene.run(MORNING)
        decision = tick(scene, 61, "20.00", "10.00")
        assert decision.action is action, decision.reasons
    assert "would save 9.00 USD and cost 9.17 USD" in _reasons_until("11:55", text)


def _reasons_until(end: str, text: str) -> str:
    scene = Scene(policy_of(text % end), (gpu_offer("20.00"),))
    scene.run(MORNING)
    return " ".join(tick(scene, 61, "20.00", "10.00").reasons)


def test_the_horizon_bounds_the_gain() -> None:
    scene = running(", moves: {horizon: 30m}")
    assert tick(scene, 61, "20.00", "10.00").action is Action.NO_OP


def test_egress_is_part_of_the_cost() -> None:
    size = ", checkpoint: {command: /save.sh, size: %s}"
    assert tick(running(size % "100Gi"), 61, "20.00", "10.00").action is Action.HOLD
    heavy = tick(running(size % "1000000Gi"), 61, "20.00", "10.00")
    assert heavy.action is Action.NO_OP
    assert "USD to move to" in heavy.reasons[-1]


def test_an_unknown_egress_price_forbids_price_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace
    from types import MappingProxyType

    from multicloud.catalog import regions
    from multicloud.decide import moves
    from multicloud.models.offer import Cloud

    facts = dict(regions.all_regions()[Cloud.AWS])
    facts["us-east-1"] = replace(facts["us-east-1"], egress_usd_per_gib=None)

    class Facts:
        regions = MappingProxyType(facts)

    scene = running(", checkpoint: {command: /save.sh, size: 1Gi}")
    monkeypatch.setattr(moves, "CLOUDS", {Cloud.AWS: Facts})
    decision = tick(scene, 61, "20.00", "10.00")
    assert decision.action is Action.NO_OP
    assert "the price of its egress is not known" in decision.reasons[-1]


def test_a_move_within_a_region_has_no_egress() -> None:
    scene = Scene(policy_of(SPOT_POOL % ", checkpoint: {command: /s, size: 1000000Gi}"))
    scene.look(gpu_offer("20.00", zone="use1-az1"))
    scene.run(MORNING)
    seen = MORNING + minutes(61)
    scene.look(
        gpu_offer("20.00", zone="use1-az1", seen=seen),
        gpu_offer("10.00", zone="use1-az2", seen=seen),
    )
    assert scene.run(seen).action is Action.HOLD


@pytest.mark.parametrize(("most", "action"), [(2, Action.MOVE), (1, Action.HOLD), (0, Action.HOLD)])
def test_moves_a_day_are_limited(most: int, action: Action) -> None:
    extra = f", moves: {{signal_for: 0m, min_stay: 0m, max_per_day: {most}}}"
    scene = running(extra)
    scene.remember(price_moves=(MORNING - minutes(24 * 60), MORNING - minutes(10)))
    decision = tick(scene, 60, "20.00", "10.00")
    assert decision.action is action
    if most == 1:
        assert "moved 1 times in a day: held until Fri 09:50" in decision.reasons[-1]


def test_prices_that_are_not_fresh_move_nothing() -> None:
    scene = running()
    old = gpu_offer("10.00", "us-west-2", seen=MORNING - minutes(24 * 60))
    scene.look(gpu_offer("20.00", seen=MORNING + minutes(61)), old)
    decision = scene.run(MORNING + minutes(61))
    assert (decision.action, decision.reasons[-1]) == (
        Action.NO_OP,
        "Prices that are not fresh move nothing.",
    )


def test_a_fresh_saving_counts_beside_a_larger_old_one() -> None:
    scene = running(", moves: {signal_for: 0m}")
    seen = MORNING + minutes(61)
    old = gpu_offer("5.00", "eu-west-1", seen=MORNING - minutes(24 * 60))
    scene.look(*prices(61, "20.00", "10.00"), old)
    assert where(scene.run(seen).after) == [("us-west-2", 1)]


def test_throughput_per_price_moves_by_its_own_saving() -> None:
    extra = ", prefer: {per_tflop: bf16}, moves: {signal_for: 0m}"
    text = "p: {need: {gpu: any, gpu_memory: 24Gi, gpus: 8}, place: {in: aws, capacity: spot}%s}"
    scene = Scene(policy_of(text % extra))
    a100 = gpu_offer("20.00")
    scene.look(a100)
    scene.run(MORNING)
    seen = MORNING + minutes(61)
    h100 = gpu_offer("30.00", "us-west-2", kind="p5.48xlarge", gpu="H100-SXM5", seen=seen)
    scene.look(gpu_offer("20.00", seen=seen), h100)
    decision = scene.run(seen)
    assert (decision.action, where(decision.after)) == (Action.MOVE, [("us-west-2", 1)])
    assert decision.usd_per_hour_after == Decimal("30.00")


def test_a_gpu_without_facts_is_compared_by_money() -> None:
    extra = ", prefer: {per_tflop: fp8}, moves: {signal_for: 0m}"
    scene = Scene(policy_of(SPOT_POOL.replace("A100:8", "[A100:8, H100:8]") % extra))
    scene.look(gpu_offer("20.00"))
    scene.run(MORNING)
    for now, price, action in ((61, "30.00", Action.NO_OP), (62, "10.00", Action.MOVE)):
        seen = MORNING + minutes(now)
        h100 = gpu_offer(price, "us-west-2", kind="p5.48xlarge", gpu="H100-SXM5", seen=seen)
        scene.look(gpu_offer("20.00", seen=seen), h100)
        assert scene.run(seen).action is action


def test_without_a_record_a_cheaper_place_is_a_price_move() -> None:
    from multicloud.models.memory import Memory

    scene = running()
    scene.memory = Memory()
    decision = tick(scene, 61, "20.00", "10.00")
    assert decision.action is Action.HOLD
    assert decision.memory is not None
    assert decision.memory.last is not None
    assert decision.memory.last.quotes == {}
    assert tick(scene, 76, "20.00", "10.00").cause is Cause.PRICE
