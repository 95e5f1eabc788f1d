"""Cases from the field, as decided."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from multicloud.models.decision import Action, Cause, Reject
from multicloud.models.memory import Actual, PoolActual, SetAside, SetAsideReason
from multicloud.models.offer import Cloud
from tests.builders import an_offer, at
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

DAY_POOL = """
p:
  need: {instance_type: p4d.24xlarge, nodes: 4}
  rules: [{name: day, when: "mon-fri 08:00-20:00", place: {in: aws, capacity: spot}}]
  otherwise: off
"""
ANYWHERE = "p: {need: A100:8, place: {in: [aws, tencent], capacity: [spot, on_demand]}}"


def set_aside(
    zone: str,
    *,
    reason: SetAsideReason = SetAsideReason.NO_CAPACITY,
    since: str = "10:00",
    for_: float = 30,
    region: str = "us-east-1",
) -> SetAside:
    """A mark on spot p4d in a zone, from a time on the scene's day."""
    begun = at(f"2026-01-15T{since}:00Z")
    return SetAside(
        cloud=Cloud.AWS,
        region=region,
        zone=zone,
        instance_type="p4d.24xlarge",
        capacity_type=SPOT,
        reason=reason,
        since=begun,
        until=begun + minutes(for_),
    )


def test_b15_a_lost_tick_is_made_up_for_by_the_next_run() -> None:
    scene = Scene(
        policy_of(DAY_POOL, head="timezone: Europe/Berlin"),
        (gpu_offer("20.00", seen=at("2026-06-01T10:00:00Z")),),
    )
    scene.run(at("2026-06-01T10:00:00Z"))
    decision = scene.one(at("2026-06-01T20:37:00Z"))
    assert (decision.action, decision.cause) == (Action.DESTROY, Cause.CLOCK)
    assert (where(decision.before), decision.after) == ([("us-east-1", 4)], ())


@pytest.mark.parametrize("size", [4, 6])
def test_b28_no_dip_between_adjoining_windows(size: int) -> None:
    scene = Scene(
        policy_of(
            f"""
p:
  need: {{instance_type: p4d.24xlarge, nodes: 4}}
  rules:
    - {{name: a, when: "08:00-16:30", place: {{in: aws, capacity: spot}}}}
    - name: b
      when: 16:30-22:00
      need: {{nodes: {size}}}
      place: {{in: aws, capacity: spot}}
  otherwise: off
"""
        ),
        (gpu_offer("20.00"),),
    )
    scene.run(at("2026-01-15T16:29:50Z"))
    changes = []
    for second in range(-5, 6):
        decision = scene.run(at("2026-01-15T16:30:00Z") + timedelta(seconds=second))
        assert sum(p.nodes for p in decision.after) in {4, size}
        if decision.action is not Action.NO_OP:
            changes.append((second, decision.action, where(decision.after)))
    assert changes == ([] if size == 4 else [(0, Action.SCALE, [("us-east-1", 6)])])


@pytest.mark.parametrize(
    ("otherwise", "nodes"), [("hold", 3), ("{in: aws, capacity: spot}", 2), ("off", 0)]
)
def test_b30_outside_of_every_window_the_policy_says_what_holds(otherwise: str, nodes: int) -> None:
    text = f"""
p:
  need: {{instance_type: p4d.24xlarge, nodes: 2}}
  rules: [{{name: saturday, when: "sat 00:00-24:00", place: off}}]
  otherwise: {otherwise}
"""
    scene = Scene(policy_of(text), (gpu_offer("20.00"),))
    running = Scene(policy_of(DAY_POOL), (gpu_offer("20.00"),)).one().after
    scene.carry_out({"p": replace(scene.one(), after=tuple(replace(p, nodes=3) for p in running))})
    scene.memory = replace(scene.memory, pools={})
    decision = scene.one()
    assert sum(p.nodes for p in decision.after) == nodes
    assert (decision.action is Action.NO_OP) == (otherwise == "hold")


def test_b33_min_stay_is_told_in_utc_through_the_repeated_hour() -> None:
    moves = "moves: {min_stay: 45m, signal_for: 0m}"
    text = f"p: {{need: A100:8, place: {{in: aws, capacity: spot}}, {moves}}}"
    policy = policy_of(text, head="timezone: America/Los_Angeles")
    start = at("2026-11-01T08:50:00Z")
    cheap = gpu_offer("10.00", "us-west-2", seen=at("2026-11-01T09:20:00Z"))
    scene = Scene(policy, (gpu_offer("20.00", seen=start),))
    scene.run(start)
    scene.offers = (gpu_offer("20.00", seen=at("2026-11-01T09:20:00Z")), cheap)
    decision = scene.run(at("2026-11-01T09:20:00Z"))
    assert decision.action is Action.HOLD
    assert decision.next_check_at == at("2026-11-01T09:35:00Z")
    assert "held until 01:35" in decision.reasons[-1]
    assert scene.run(at("2026-11-01T09:34:59Z")).action is Action.HOLD
    decision = scene.run(at("2026-11-01T09:35:00Z"))
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.PRICE)


def test_b35_a_price_of_nothing_never_wins() -> None:
    free = gpu_offer(None, "us-west-2")
    scene = Scene(policy_of(ANYWHERE), (free, gpu_offer("9.80"), gpu_offer("10.40", "eu-west-1")))
    decision = scene.one()
    assert where(decision.after) == [("us-east-1", 1)]
    assert decision.rejections[Reject.NO_PRICE] == 1
    assert decision.usd_per_hour_after == Decimal("9.80")
    assert any("us-west-2 has no price (1 offer)" in text for text in decision.reasons)


@pytest.mark.parametrize(("cap", "fits"), [("1.50", True), ("1.32", True), ("1.31", False)])
def test_b40_caps_are_per_gpu_and_bids_per_node(cap: str, fits: bool) -> None:
    text = f"p: {{need: A100:8, place: {{in: aws, capacity: spot, max_price: {cap}/gpu-h}}}}"
    decision = Scene(policy_of(text), (gpu_offer("10.56"),)).one()
    assert bool(decision.after) == fits
    if fits:
        assert decision.after[0].bid == Decimal(cap) * 8
        assert f"under the cap of {cap}/gpu-h" in " ".join(decision.reasons)
    else:
        assert decision.unmet is not None
        assert decision.unmet.reasons == (f"1 offer: 1 over cap {cap}/gpu-h",)


def test_b42_old_prices_move_nothing_but_the_clock_goes_on() -> None:
    seen = at("2026-05-04T00:00:00Z")
    text = """
p:
  need: A100:8
  rules: [{name: day, when: "mon-fri 00:00-20:00", place: {in: aws, capacity: spot}}]
  otherwise: off
"""
    scene = Scene(policy_of(text), (gpu_offer("20.00", seen=seen),))
    scene.run(seen)
    scene.offers = (*scene.offers, gpu_offer("5.00", "us-west-2", seen=seen))
    for later in ("09:10", "10:10", "11:10"):
        decision = scene.run(at(f"2026-05-04T{later}:00Z"))
        assert (decision.action, where(decision.after)) == (Action.NO_OP, [("us-east-1", 1)])
    assert "11h 10m old (max_price_age 6h)" in decision.warnings[0]
    assert scene.one(at("2026-05-04T20:00:00Z")).action is Action.DESTROY


@pytest.mark.parametrize(
    ("fx", "expected"), [("fx: {CNY: 7.20}", "ap-guangzhou"), ("", "us-east-1")]
)
def test_b49_currencies_are_compared_at_the_policys_rate_or_not_at_all(
    fx: str, expected: str
) -> None:
    tencent = gpu_offer("21.60", "ap-guangzhou", cloud=Cloud.TENCENT, kind="GN10", currency="CNY")
    decision = Scene(policy_of(ANYWHERE, head=fx), (tencent, gpu_offer("3.20"))).one()
    assert where(decision.after) == [(expected, 1)]
    assert decision.rejections.get(Reject.NO_RATE, 0) == (0 if fx else 1)


def test_b59_small_savings_never_move_and_large_ones_do_once() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"))
    scene.look(gpu_offer("2.00"), gpu_offer("2.15", "us-west-2"))
    scene.run(MORNING)
    moves = []

    def tick(number: int, a: str, b: str) -> None:
        now = MORNING + minutes(15) * number
        scene.look(gpu_offer(a, seen=now), gpu_offer(b, "us-west-2", seen=now))
        decision = scene.run(now)
        if decision.action is not Action.NO_OP and decision.action is not Action.HOLD:
            moves.append((number, where(decision.after)))

    for number in range(1, 97):
        tick(number, "2.00", "1.85" if number % 2 else "2.15")
    assert moves == []
    for number in range(97, 120):
        tick(number, "2.00", "1.79")
    assert moves == [(98, [("us-west-2", 1)])]
    for number in range(120, 140):
        tick(number, "1.612", "1.79")
    assert len(moves) == 1
    for number in range(140, 160):
        tick(number, "1.611", "1.79")
    assert moves[1:] == [(141, [("us-east-1", 1)])]


def test_b61_the_clock_does_not_wait_for_a_price_moves_timers() -> None:
    text = """
p:
  need: {instance_type: p4d.24xlarge, nodes: 1}
  rules:
    - {name: day, when: "08:00-20:00", need: {nodes: 4}, place: {in: aws, capacity: spot}}
    - {name: rest, place: {in: aws, capacity: spot}}
  timeouts: {boot: 1m, drain: 1m}
  checkpoint: {restore: 1m, command: /save.sh}
"""
    scene = Scene(policy_of(text))
    scene.look(gpu_offer("20.00", seen=at("2026-01-15T06:00:00Z")))
    scene.run(at("2026-01-15T06:00:00Z"))
    moved = at("2026-01-15T07:45:00Z")
    for now in (moved - minutes(15), moved):
        scene.look(gpu_offer("20.00", seen=now), gpu_offer("10.00", "us-west-2", seen=now))
        decision = scene.run(now)
    assert (decision.action, decision.cause) == (Action.MOVE, Cause.PRICE)
    decision = scene.one(at("2026-01-15T08:00:00Z"))
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.CLOCK)
    assert where(decision.after) == [("us-west-2", 4)]


def test_b63_an_evicted_zone_is_left_alone_for_an_hour() -> None:
    zones = ("use1-az3", "use1-az2", "use1-az1")
    offers = [gpu_offer(p, zone=z) for p, z in zip(("1.00", "1.10", "1.30"), zones, strict=True)]
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"), tuple(offers))
    mark = set_aside("use1-az3", reason=SetAsideReason.EVICTED, for_=60)
    scene.memory = replace(scene.memory, set_asides=(mark,))
    decision = scene.one(at("2026-01-15T10:05:00Z"))
    assert decision.after[0].slot.zones == ("use1-az2",)
    assert decision.rejections[Reject.EVICTED] == 1
    assert decision.next_check_at == at("2026-01-15T11:00:00Z")
    assert scene.one(at("2026-01-15T11:01:00Z")).after[0].slot.zones == ("use1-az3",)


@pytest.mark.parametrize(
    ("gpus", "kind", "nodes", "cost"),
    [(8, "p4d.24xlarge", 1, "14.00"), (2, "a100x1", 2, "4.00"), (7, "p4d.24xlarge", 1, "14.00")],
)
def test_b66_the_cost_of_all_nodes_decides(gpus: int, kind: str, nodes: int, cost: str) -> None:
    offers = (gpu_offer("2.00", kind="a100x1", gpus=1), gpu_offer("14.00"))
    need = f"{{gpu: A100, gpus: {gpus}}}"
    decision = Scene(
        policy_of(f"p: {{need: {need}, place: {{in: aws, capacity: spot}}}}"), offers
    ).one()
    (placement,) = decision.after
    assert (placement.slot.instance_type, placement.nodes) == (kind, nodes)
    assert decision.usd_per_hour_after == Decimal(cost)


@pytest.mark.parametrize(("price", "nodes"), [("0.80", 2), ("1.20", 0), ("1.00", 0)])
def test_b68_the_first_rule_that_holds_decides(price: str, nodes: int) -> None:
    text = """
p:
  need: {gpu: T4, gpus: 2}
  rules:
    - {name: office, when: "mon-fri 12:00-18:00", need: {gpus: 8}, place: {in: aws}}
    - {name: cheap, when: {price: {below: 1.00/gpu-h, until: 1.00/gpu-h}}, place: {in: aws}}
  otherwise: off
"""
    offer = gpu_offer(price, capacity=ON_DEMAND, kind="g4dn.xlarge", gpus=1, gpu="T4")
    decision = Scene(policy_of(text), (offer,)).one()
    assert sum(p.nodes for p in decision.after) == nodes
    assert [(rule.name, str(rule.truth)) for rule in decision.rules] == [
        ("office", "no"),
        ("cheap", "yes" if nodes else "no"),
    ]


def test_b69_a_size_of_nothing_is_a_size() -> None:
    text = "p: {need: {instance_type: p4d.24xlarge, nodes: 0}, place: {in: aws, capacity: spot}}"
    scene = Scene(policy_of(text), (gpu_offer("20.00"),))
    decision = scene.one()
    assert (decision.action, decision.after, decision.unmet) == (Action.NO_OP, (), None)
    assert decision.usd_per_hour_after == 0


def test_b72_after_the_window_the_policys_size_holds() -> None:
    text = """
p:
  need: {instance_type: p4d.24xlarge, nodes: 1}
  rules:
    - {name: day, when: "08:00-20:00", need: {nodes: 4}, place: {in: aws, capacity: spot}}
    - {name: rest, place: {in: aws, capacity: spot}}
"""
    scene = Scene(policy_of(text), (gpu_offer("20.00"),))
    scene.run(MORNING)
    scene.alive(us_east_1=6)
    by_day = scene.one(at("2026-01-15T15:00:00Z"))
    assert (by_day.action, by_day.cause) == (Action.SCALE, Cause.OUTSIDE)
    decision = scene.one(at("2026-01-15T20:00:00Z"))
    assert (where(decision.before), where(decision.after)) == (
        [("us-east-1", 6)],
        [("us-east-1", 1)],
    )


def test_b73_zone_and_way_of_buying_are_exhausted_together() -> None:
    offers = (
        gpu_offer("10.00", zone="use1-az1"),
        gpu_offer("10.00", zone="use1-az2"),
        gpu_offer("30.00", zone="use1-az1", capacity=ON_DEMAND),
    )
    text = "p: {need: A100:8, place: {in: aws/us-east-1/use1-az1, capacity: spot}}"
    scene = Scene(policy_of(text), offers)
    scene.memory = replace(scene.memory, set_asides=(set_aside("use1-az1"),))
    decision = scene.one()
    assert (decision.action, decision.after) == (Action.NO_OP, ())
    assert decision.unmet is not None
    assert "p4d.24xlarge spot use1-az1: no capacity 0 min ago" in decision.unmet.reasons


def test_b75_later_looks_do_not_extend_a_mark() -> None:
    scene = Scene(
        policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"),
        (gpu_offer("10.00", zone="use1-az1"),),
    )
    mark = set_aside("use1-az1")
    scene.memory = replace(scene.memory, set_asides=(mark,))
    for later in ("10:10", "10:20", "10:29"):
        assert scene.run(at(f"2026-01-15T{later}:00Z")).after == ()
        assert scene.memory.set_asides == (mark,)
    decision = scene.one(at("2026-01-15T10:31:00Z"))
    assert (decision.action, decision.cause) == (Action.CREATE, Cause.CAPACITY)


def test_b76_fallbacks_stand_in_order_and_are_few() -> None:
    regions = ("us-east-1", "us-east-2", "us-west-2", "eu-west-1", "eu-central-1", "ap-south-1")
    offers = tuple(gpu_offer(f"1{n}.00", region) for n, region in enumerate(regions))
    text = "p: {need: A100:8, place: {in: aws, capacity: spot}, retry: {max_attempts: 4}}"
    decision = Scene(policy_of(text), offers[::-1]).one()
    assert where(decision.after) == [(regions[0], 1)]
    assert where(decision.fallbacks) == [(region, 1) for region in regions[1:4]]
    assert decision.usd_per_hour_worst == Decimal("13.00")


def test_b78_quotas_of_spot_and_on_demand_are_apart() -> None:
    text = """
p: {need: A100:8, place: [{in: aws, capacity: spot}, {in: aws, capacity: on_demand}]}
"""
    offers = (gpu_offer("20.00", vcpus=48), gpu_offer("30.00", vcpus=48, capacity=ON_DEMAND))
    scene = Scene(policy_of(text), offers)
    quotas = tuple(a_quota(vcpus, "p", capacity=way) for way, vcpus in ((SPOT, 64), (ON_DEMAND, 0)))
    scene.memory = replace(scene.memory, quotas=quotas)
    decision = scene.one()
    assert decision.after[0].slot.capacity_type is SPOT
    assert decision.fallbacks == ()
    scene.look(gpu_offer(None), offers[1])
    decision = scene.one()
    assert decision.after == ()
    assert decision.unmet is not None
    told = " ".join(decision.unmet.reasons)
    assert "the quota on_demand p in aws/us-east-1 has 0 of 0 vCPUs left, 48 are needed" in told
    assert "the quota spot" not in told


def test_b87_a_pinned_pool_without_quota_stays_where_it_is() -> None:
    text = "p: {need: 2 x A100:8, place: {in: aws/us-east-1/use1-az1, capacity: spot}}"
    offers = (gpu_offer("20.00", zone="use1-az1"), gpu_offer("10.00", zone="use1-az2"))
    scene = Scene(policy_of(text), offers)
    mark = set_aside("use1-az1", reason=SetAsideReason.QUOTA)
    scene.memory = replace(scene.memory, set_asides=(mark,))
    decision = scene.one()
    assert (decision.action, decision.after, decision.fallbacks) == (Action.NO_OP, (), ())
    assert decision.unmet is not None
    assert decision.unmet.gpus == 16
    assert any("over quota" in reason for reason in decision.unmet.reasons)


def test_b89_a_lost_node_is_refilled_by_its_group() -> None:
    scene = Scene(policy_of(DAY_POOL), (gpu_offer("20.00"),))
    scene.run(MORNING)
    scene.alive(us_east_1=3)
    decision = scene.one(MORNING + minutes(1))
    assert (decision.action, decision.cause) == (Action.SCALE, Cause.CAPACITY)
    assert (where(decision.before), where(decision.after)) == (
        [("us-east-1", 3)],
        [("us-east-1", 4)],
    )
    assert "Degraded 3/4 in us-east-1: 1 node missing." in decision.reasons


def test_what_left_the_policys_text_is_destroyed() -> None:
    both = policy_of(f"{DAY_POOL}\nq: {{need: A100:8, place: {{in: aws, capacity: spot}}}}")
    scene = Scene(both, (gpu_offer("20.00"),))
    scene.carry_out()
    scene.policy = policy_of(DAY_POOL)
    gone = scene.decide()["q"]
    assert (gone.action, gone.cause, gone.after) == (Action.DESTROY, Cause.POLICY, ())
    assert gone.usd_per_hour_before == Decimal("20.00")
    scene.actual = Actual(pools={**scene.actual.pools, "q": PoolActual()})
    assert list(scene.decide()) == ["p"]


def test_equal_inputs_give_equal_output() -> None:
    offers = (gpu_offer("20.00"), gpu_offer("20.00", "us-west-2"), an_offer("30.00"))
    scene = Scene(policy_of(f"{DAY_POOL}\nq: {{need: A100, place: {{in: aws}}}}"), offers)
    first = repr(scene.decide())
    scene.offers = offers[::-1]
    assert repr(scene.decide()) == first
