"""Walking the clock: transitions, hours and cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.book import Book
from multicloud.decide.compare import always_on
from multicloud.decide.schedule import Total, hours_of, schedule, totals
from multicloud.models.decision import Stretch
from multicloud.models.memory import Actual, Memory, Override, OverrideKind, PoolMemory
from multicloud.models.pool import PriceTrust
from tests.builders import at
from tests.decide.scene import MORNING, ON_DEMAND, Scene, gpu_offer, minutes, policy_of, where

JUNE = at("2026-06-01T00:00:00Z")


def stretches(
    scene: Scene, start: str | None = None, end: str | None = None
) -> tuple[Stretch, ...]:
    """The schedule of a scene between two instants; a day from its own without them."""
    begin = at(start) if start else scene.now
    snapshot = Snapshot(offers=scene.offers, source="test")
    until = at(end) if end else begin + timedelta(days=1)
    return schedule(scene.policy, begin, until, snapshot, scene.actual, scene.memory)


def test_b51_office_hours_cost_office_hours() -> None:
    text = """
p:
  need: {gpu: T4, gpus: 3}
  rules: [{when: "mon-fri 09:00-17:00", place: {in: aws}}]
  otherwise: off
"""
    offer = gpu_offer("2.00", seen=JUNE, kind="g4dn.xlarge", gpu="T4", gpus=1, capacity=ON_DEMAND)
    scene = Scene(policy_of(text), (offer,))
    sums = totals(stretches(scene, "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"))
    assert sums == {"p": Total(hours=Decimal(176), usd=Decimal("1056.00"))}


def test_b51_a_month_with_a_change_of_clocks() -> None:
    text = """
p:
  need: {gpu: T4, gpus: 1}
  rules: [{when: "22:00-06:00", place: {in: aws}}]
  otherwise: off
"""
    start = "2026-11-01T04:00:00Z"
    offer = gpu_offer(
        "1.00", seen=at(start), kind="g4dn.xlarge", gpu="T4", gpus=1, capacity=ON_DEMAND
    )
    scene = Scene(policy_of(text, head="timezone: America/New_York"), (offer,))
    sums = totals(stretches(scene, start, "2026-12-01T05:00:00Z"))
    assert sums["p"].hours == 241


def test_b52_spot_costs_spot_and_on_demand_is_only_compared() -> None:
    text = "p: {need: {gpu: T4, gpus: 4}, place: {in: aws, capacity: spot}}"
    kind = {"kind": "g4dn.xlarge", "gpu": "T4", "gpus": 1}
    offers = (
        gpu_offer("1.25", **kind),  # type: ignore[arg-type]  # keywords of one kind
        gpu_offer("3.20", capacity=ON_DEMAND, **kind),  # type: ignore[arg-type]  # as above
    )
    scene = Scene(policy_of(text), offers)
    decision = scene.one()
    assert decision.usd_per_hour_after == Decimal("5.00")
    assert str(decision.after[0].slot.capacity_type) == "spot"
    from multicloud.catalog.market import build_market

    market = build_market(
        Snapshot(offers=offers, source="test"),
        now=MORNING,
        fx={},
        discounts=(),
        trust=PriceTrust(),
    )
    assert always_on(scene.policy, scene.policy.pools[0], Book(market)) == Decimal("12.80") * 720


def test_stretches_meet_and_cover_the_whole_time() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: day, when: "08:00-20:00", place: {in: aws/us-east-1, capacity: spot}}
    - {name: late, when: "20:00-22:00", place: {in: aws/eu-west-1, capacity: spot}}
  otherwise: off
"""
    scene = Scene(policy_of(text), (gpu_offer("20.00"),))
    found = stretches(scene, end="2026-01-16T12:00:00Z")
    assert [(s.rule, where(s.placements)) for s in found] == [
        ("day", [("us-east-1", 1)]),
        ("late", []),
        ("otherwise", []),
        ("day", [("us-east-1", 1)]),
    ]
    assert [s.end for s in found[:-1]] == [s.start for s in found[1:]]
    assert (found[0].start, found[-1].end) == (MORNING, at("2026-01-16T12:00:00Z"))
    assert found[1].unmet is not None
    assert found[1].unmet.gpus == 8
    assert found[2].unmet is None


def test_an_override_ends_within_the_schedule() -> None:
    scene = Scene(
        policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"), (gpu_offer("20.00"),)
    )
    over = Override(
        kind=OverrideKind.OFF, since=MORNING, until=MORNING + minutes(90), by="operator"
    )
    scene.memory = Memory(pools={"p": PoolMemory(override=over)})
    first, second = stretches(scene)
    assert (first.placements, first.end) == ((), MORNING + minutes(90))
    assert where(second.placements) == [("us-east-1", 1)]
    scene.memory = Memory(pools={"p": PoolMemory(override=replace(over, until=None))})
    (only,) = stretches(scene)
    assert only.placements == ()


def test_a_total_with_an_unknown_price_is_unknown() -> None:
    stretch = Stretch(
        pool="p",
        start=MORNING,
        end=MORNING + minutes(90),
        rule=None,
        placements=(),
        usd_per_hour=None,
    )
    assert totals((stretch, replace(stretch, usd_per_hour=Decimal(1)))) == {
        "p": Total(hours=Decimal(0), usd=None)
    }
    assert hours_of(minutes(90)) == Decimal("1.5")


def test_pools_that_left_the_policy_are_in_no_schedule() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"))
    scene.look(gpu_offer("20.00"))
    decisions = scene.decide()
    scene.carry_out({"p": decisions["p"], "gone": replace(decisions["p"], pool="gone")})
    scene.memory = Memory()
    assert {s.pool for s in stretches(scene)} == {"p"}
    assert scene.actual != Actual()
