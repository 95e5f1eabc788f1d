"""`availability`: the share of looks in which nodes were to be had; and what is sold out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.decide.availability import looks_at
from multicloud.models.condition import Truth
from multicloud.models.decision import Action, Cause, Reject
from multicloud.models.feed import Look, Stock
from multicloud.models.offer import CapacityType, Cloud, OfferKey
from tests.decide.scene import MORNING, ON_DEMAND, Scene, a_quota, gpu_offer, minutes, policy_of

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.models.offer import Offer

RULE = "{in: aws/us-*, last: 1h, at_least: 50%}"
POOL = f"""
p:
  need: A100:8
  rules:
    - {{when: {{availability: {RULE}}}, place: {{in: aws, capacity: spot}}}}
  otherwise: {{in: aws, capacity: on_demand}}
"""
EAST, WEST = gpu_offer("10.00"), gpu_offer("11.00", "us-west-2")
DEMAND = gpu_offer("30.00", capacity=ON_DEMAND)


def look(offer: Offer, ago: float, stock: Stock, now: datetime = MORNING) -> Look:
    """A look so many minutes before `now`."""
    return Look(key=offer.key, looked_at=now - minutes(ago), stock=stock, source="test")


def scene(*looks: Look) -> Scene:
    return Scene(policy_of(POOL), (EAST, WEST, DEMAND), looks=looks)


def truth(at: Scene) -> Truth:
    return at.one().rules[0].truth


@pytest.mark.parametrize(
    ("stocks", "expected"),
    [
        ("HN", Truth.YES),
        ("LNN", Truth.NO),
        ("N", Truth.NO),
        ("SNNS", Truth.YES),
        ("", Truth.UNKNOWN),
    ],
)
def test_the_share_of_looks_decides(stocks: str, expected: Truth) -> None:
    kinds = {"H": Stock.HIGH, "L": Stock.LOW, "S": Stock.SOME, "N": Stock.NONE}
    looks = [look(EAST, 40 + n, kinds[letter]) for n, letter in enumerate(stocks)]
    assert truth(scene(*looks)) is expected


def test_looks_outside_of_the_time_and_of_the_places_do_not_count() -> None:
    abroad = gpu_offer("9.00", "eu-west-1")
    at = Scene(policy_of(POOL), (EAST, abroad, DEMAND))
    at.looks = (
        look(EAST, 60, Stock.HIGH),
        look(abroad, 40, Stock.HIGH),
        look(DEMAND, 40, Stock.HIGH),
    )
    assert truth(at) is Truth.UNKNOWN
    at.looks = (*at.looks, look(EAST, 59, Stock.HIGH), look(EAST, -1, Stock.NONE))
    assert truth(at) is Truth.YES


def test_the_best_region_decides_and_a_zone_is_enough() -> None:
    zones = tuple(gpu_offer("10.00", zone=zone) for zone in ("use1-az1", "use1-az2"))
    at = Scene(policy_of(POOL), (*zones, WEST, DEMAND))
    at.looks = (
        *(look(WEST, ago, Stock.NONE) for ago in (35, 45, 55)),
        *(look(zones[0], ago, Stock.NONE) for ago in (40, 50)),
        *(look(zones[1], ago, Stock.LOW) for ago in (40, 50)),
    )
    assert "in 100% of looks, 50% are asked for" in at.one().rules[0].detail
    at.looks = at.looks[:5]
    assert truth(at) is Truth.NO


def test_without_looks_the_truth_stays_as_remembered() -> None:
    at = scene(look(EAST, 40, Stock.HIGH))
    assert at.run(MORNING).after[0].slot.capacity_type is CapacityType.SPOT
    at.looks = ()
    decision = at.one(MORNING + timedelta(minutes=40))
    assert (decision.action, decision.rules[0].truth) == (Action.NO_OP, Truth.YES)
    assert any("nobody looked at its stock lately" in warning for warning in decision.warnings)


def test_a_turn_is_a_change_by_the_market_and_is_watched_like_one() -> None:
    at = scene(look(EAST, 40, Stock.HIGH))
    at.run(MORNING)
    later = MORNING + timedelta(hours=6)
    at.looks = (look(EAST, 50, Stock.NONE, later), look(EAST, 40, Stock.NONE, later))
    at.look(*(replace_seen(offer, later) for offer in at.offers))
    decision = at.one(later)
    assert decision.cause is Cause.PRICE
    assert decision.rules[0].truth is Truth.NO


def replace_seen(offer: Offer, at: datetime) -> Offer:
    return replace(offer, quotes=tuple(replace(quote, observed_at=at) for quote in offer.quotes))


def test_the_next_check_is_when_time_alone_turns_the_answer() -> None:
    at = scene(look(EAST, 50, Stock.HIGH), look(EAST, 45, Stock.NONE), look(EAST, 35, Stock.NONE))
    assert truth(at) is Truth.NO
    at = scene(look(EAST, 50, Stock.HIGH), look(EAST, 45, Stock.NONE))
    decision = at.one()
    assert decision.rules[0].truth is Truth.YES
    assert decision.next_check_at == MORNING + minutes(10)
    assert truth(scene_at(at, MORNING + minutes(10))) is Truth.NO


def scene_at(at: Scene, now: datetime) -> Scene:
    at.now = now
    return at


KEY = OfferKey(Cloud.AWS, "us-east-1", "", "p4d.24xlarge", CapacityType.SPOT)
LOOKS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 90), st.booleans()), max_size=12
)


@given(LOOKS, st.sampled_from([Decimal("0.25"), Decimal("0.5"), Decimal(1)]))
def test_no_answer_turns_before_the_next_flip(
    said: list[tuple[str, int, bool]], at_least: Decimal
) -> None:
    hour = timedelta(hours=1)
    told: dict[OfferKey, tuple[Look, ...]] = {}
    for region, ago, had in said:
        key = KEY._replace(region=region)
        stock = Stock.HIGH if had else Stock.NONE
        one = Look(key=key, looked_at=MORNING - minutes(ago), stock=stock, source="")
        told[key] = (*told.get(key, ()), one)

    def answer(now: datetime) -> bool | None:
        share = looks_at(told, told, now, hour).share(now - hour)
        return None if share is None else share >= at_least

    flip = looks_at(told, told, MORNING, hour).next_flip(MORNING, hour, at_least)
    first = answer(MORNING)
    turned = None
    for minute in range(1, 62):
        found = answer(MORNING + minutes(minute))
        if found is None or first is None:
            break
        if found != first:
            turned = MORNING + minutes(minute)
            break
    assert flip == turned


SPOT_ONLY = "p: {need: A100:8, place: [{in: aws, capacity: spot}]}"


def test_what_the_cloud_says_is_sold_out_is_not_tried_for_half_an_hour() -> None:
    at = Scene(policy_of(SPOT_ONLY), (EAST, WEST), looks=(look(EAST, 5, Stock.NONE),))
    decision = at.one()
    assert decision.after[0].slot.region == "us-west-2"
    assert decision.next_check_at == MORNING + minutes(25)
    assert decision.rejections == {Reject.SET_ASIDE: 1}
    at.looks = (look(EAST, 5, Stock.NONE), look(WEST, 5, Stock.NONE))
    unmet = at.one().unmet
    assert unmet is not None
    assert any("sold out, as told 5 min ago" in reason for reason in unmet.reasons)
    at.looks = (look(EAST, 30, Stock.NONE),)
    assert at.one().after[0].slot.region == "us-east-1"


def test_a_later_look_counts_and_what_runs_stays() -> None:
    at = Scene(policy_of(SPOT_ONLY), (EAST, WEST))
    at.looks = (look(EAST, 5, Stock.NONE), look(EAST, 2, Stock.LOW))
    assert at.run(MORNING).after[0].slot.region == "us-east-1"
    at.looks = (look(EAST, 1, Stock.NONE),)
    assert at.one().action is Action.NO_OP


def test_b78_what_others_use_of_a_quota_counts_and_ours_is_not_counted_twice() -> None:
    text = """
p: {need: A100:8, place: {in: aws, capacity: spot}}
q: {need: A100:8, place: {in: aws, capacity: spot}}
"""
    at = Scene(policy_of(text), (EAST,))
    quota = replace(a_quota(288, "p"), used=Decimal(96))
    at.memory = replace(at.memory, quotas=(quota,))
    at.carry_out()
    assert all(decision.after for decision in at.decide().values())
    # Both run now: of the 192 in use all are ours, and one more node would still fit.
    at.memory = replace(at.memory, quotas=(replace(quota, used=Decimal(192)),))
    assert [d.action for d in at.decide().values()] == [Action.NO_OP, Action.NO_OP]
    at.actual = replace(at.actual, pools={"p": at.actual.pools["p"]})
    at.memory = replace(at.memory, quotas=(replace(quota, used=Decimal(200)),))
    assert at.decide()["q"].after == ()


@pytest.mark.parametrize(
    ("unit", "limit", "fits"),
    [("gpu", 8, True), ("gpu", 7, False), ("node", 1, True), ("node", 0, False)],
)
def test_quotas_count_gpus_or_nodes_as_their_cloud_does(
    unit: str, limit: int, *, fits: bool
) -> None:
    at = Scene(policy_of(SPOT_ONLY), (EAST,))
    quota = replace(a_quota(limit), unit=unit, capacity=(), families=("P4",))
    at.memory = replace(at.memory, quotas=(quota,))
    assert bool(at.one().after) is fits


def test_a_zones_quota_bounds_only_who_must_be_in_the_zone() -> None:
    quota = replace(a_quota(0), zone="use1-az1")
    at = Scene(policy_of(SPOT_ONLY), (EAST,))
    at.memory = replace(at.memory, quotas=(quota,))
    assert at.one().after
    at.look(gpu_offer("10.00", zone="use1-az1"))
    assert not at.one().after
