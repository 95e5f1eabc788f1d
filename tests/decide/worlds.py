"""Strategies: small worlds of offers, policies and memories, all of them valid."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from multicloud.models.memory import Memory, SetAside, SetAsideReason
from multicloud.models.offer import Cloud, Offer
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, Scene, gpu_offer, minutes, policy_of

if TYPE_CHECKING:
    from multicloud.models.pool import Policy

REGIONS = ("us-east-1", "us-west-2", "eu-west-1")
ZONES = {
    "us-east-1": ("use1-az1", "use1-az2"),
    "us-west-2": ("usw2-az1", "usw2-az2"),
    "eu-west-1": ("euw1-az1", "euw1-az2"),
}
KINDS = (("p4d.24xlarge", 8), ("a100x4", 4), ("a100x1", 1))
PRICES = st.integers(1, 12).map(lambda n: str(Decimal(n) / 4))

PLACES = (
    "{in: aws, capacity: spot}",
    "{in: [aws/us-west-2, aws], capacity: [spot, on_demand]}",
    "[{in: aws/us-east-1, capacity: spot, max_price: 1.50/gpu-h}, {in: aws}]",
    "[{in: aws, capacity: spot, max_price: 1/gpu-h, wait: 20m}, {in: aws}]",
    "[{in: aws, capacity: spot, max_gpus: 4}, {in: aws, capacity: [spot, on_demand]}]",
    "[{in: aws/*/use1-az1, capacity: spot, min_discount: 30%}, {in: aws, not_in: aws/eu-west-1}]",
)
NEEDS = (
    "A100:8",
    "{gpu: A100, gpus: 4}",
    "3 x A100:4",
    "{gpu: A100, gpus: 8, spread: places}",
    "{gpu: A100, gpus: 9, spread: zones}",
    "{gpu: A100, gpus: 16, min_gpus: 8, interconnect: nvlink}",
    "{instance_type: p4d.24xlarge, nodes: 3}",
    "[p4d.24xlarge-like]",
)[:-1]


@cache
def policy_at(need: int, place: int, rules: int) -> Policy:
    """One of a few policies; compiled once."""
    text = f"p:\n  need: {NEEDS[need]}\n"
    place_text = PLACES[place]
    if "spread: places" not in NEEDS[need]:
        place_text = place_text.replace(", max_gpus: 4", "")
    if rules == 0:
        text += f"  place: {place_text}\n"
    elif rules == 1:
        text += f"  rules: [{{name: day, when: '08:00-20:00', place: {place_text}}}]\n"
        text += "  otherwise: off\n"
    else:
        text += f"""  rules:
    - {{name: cheap, when: {{price: {{below: 1/gpu-h}}}}, if_none: next, place: {PLACES[0]}}}
    - {{name: rest, place: {place_text}}}
"""
    return policy_of(text)


POLICIES = st.builds(
    policy_at,
    st.integers(0, len(NEEDS) - 1),
    st.integers(0, len(PLACES) - 1),
    st.integers(0, 2),
)


@st.composite
def an_offer_of_any_kind(draw: st.DrawFn) -> Offer:
    """AWS offers that tie often; fresh, old or unpriced; zonal or for the region."""
    region = draw(st.sampled_from(REGIONS))
    kind, gpus = draw(st.sampled_from(KINDS))
    per_gpu = draw(st.none() | PRICES)
    price = None if per_gpu is None else str(Decimal(per_gpu) * gpus)
    return gpu_offer(
        price,
        region,
        seen=MORNING - minutes(draw(st.sampled_from((0, 60, 60 * 24 * 60)))),
        capacity=draw(st.sampled_from((SPOT, ON_DEMAND))),
        kind=kind,
        gpus=gpus,
        zone=draw(st.none() | st.sampled_from(ZONES[region])),
    )


OFFERS = st.lists(an_offer_of_any_kind(), max_size=14, unique_by=lambda offer: offer.key).map(tuple)


@st.composite
def a_mark(draw: st.DrawFn) -> SetAside:
    """A set-aside of spot nodes somewhere, in force or over."""
    region = draw(st.sampled_from(REGIONS))
    since = MORNING - minutes(draw(st.integers(0, 60)))
    return SetAside(
        cloud=Cloud.AWS,
        region=region,
        zone=draw(st.sampled_from(("", *ZONES[region]))),
        instance_type=draw(st.sampled_from(KINDS))[0],
        capacity_type=draw(st.sampled_from((SPOT, ON_DEMAND))),
        reason=draw(st.sampled_from(SetAsideReason)),
        since=since,
        until=since + minutes(30),
    )


MARKS = st.lists(a_mark(), max_size=4).map(tuple)


@st.composite
def a_scene(draw: st.DrawFn) -> Scene:
    """A world with a past: decided and carried out earlier, at other prices, with losses."""
    scene = Scene(draw(POLICIES), draw(OFFERS), memory=Memory(is_stored=True))
    if draw(st.booleans()):
        scene.run(MORNING - minutes(draw(st.sampled_from((5, 30, 90, 600)))))
        scene.offers = draw(OFFERS)
    for name, actual in scene.actual.pools.items():
        lost = draw(st.integers(0, 2))
        if lost:
            regions = {p.slot.region.replace("-", "_") for p in actual.placements}
            most = min(p.nodes for p in actual.placements)
            scene.alive(name, **dict.fromkeys(sorted(regions), max(0, most - lost)))
    scene.memory = replace(scene.memory, set_asides=draw(MARKS))
    scene.now = MORNING
    return scene
