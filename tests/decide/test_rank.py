"""The total order inside a tier."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from multicloud.decide.amounts import nodes_for, total_gpus
from multicloud.models.need import Wish
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, Scene, gpu_offer, minutes, policy_of, where

if TYPE_CHECKING:
    from multicloud.models.offer import Offer


def chosen(need: str, place: str, *offers: Offer, head: str = "", extra: str = "") -> list[str]:
    """The choice and its fallbacks as `region type capacity nodes`, best first."""
    policy = policy_of(f"p: {{need: {need}, place: {place}{extra}}}", head=head)
    decision = Scene(policy, offers).one()
    return [
        f"{p.slot.region} {p.slot.instance_type} {p.slot.capacity_type} {p.nodes}"
        for p in (*decision.after, *decision.fallbacks)
    ]


EAST, WEST = gpu_offer("10.00"), gpu_offer("10.00", "us-west-2")


@pytest.mark.parametrize(
    ("place", "first"),
    [
        ("{in: aws, capacity: spot}", "us-east-1"),
        ("{in: [aws/us-west-2, aws/us-east-1], capacity: spot}", "us-west-2"),
        ("{in: [aws/us-*, aws/us-west-2], capacity: spot}", "us-east-1"),
    ],
)
def test_equal_cost_goes_by_the_list_of_places(place: str, first: str) -> None:
    assert chosen("A100:8", place, WEST, EAST)[0].startswith(first)


@pytest.mark.parametrize("ways", [("spot", "on_demand"), ("on_demand", "spot")])
def test_then_by_the_list_of_ways_to_buy(ways: tuple[str, str]) -> None:
    place = f"{{in: aws, capacity: [{', '.join(ways)}]}}"
    found = chosen("A100:8", place, EAST, gpu_offer("10.00", capacity=ON_DEMAND))
    assert [text.split()[2] for text in found] == list(ways)


@pytest.mark.parametrize("kinds", [("p4d.24xlarge", "a100x4"), ("a100x4", "p4d.24xlarge")])
def test_then_by_the_list_of_types(kinds: tuple[str, str]) -> None:
    place = f"{{in: aws, capacity: spot, instance_types: [{', '.join(kinds)}]}}"
    found = chosen("{gpu: A100, gpus: 8}", place, EAST, gpu_offer("5.00", kind="a100x4", gpus=4))
    assert [text.split()[1] for text in found] == list(kinds)


@pytest.mark.parametrize("need", ["[A100:8, H100:8]", "[H100:8, A100:8]"])
def test_then_by_the_needs_alternatives(need: str) -> None:
    h100 = gpu_offer("10.00", kind="p5.48xlarge", gpu="H100-SXM5")
    first = chosen(need, "{in: aws, capacity: spot}", EAST, h100)[0]
    assert ("p5" in first) == need.startswith("[H100")


def test_then_fewer_nodes_then_names() -> None:
    small = gpu_offer("5.00", kind="a100x4", gpus=4)
    twin = gpu_offer("10.00", kind="p4c.24xlarge")
    found = chosen("{gpu: A100, gpus: 8}", "{in: aws, capacity: spot}", small, EAST, twin)
    assert [text.split()[1] for text in found] == ["p4c.24xlarge", "p4d.24xlarge", "a100x4"]


def test_what_runs_wins_a_tie() -> None:
    scene = Scene(policy_of("p: {need: A100:8, place: {in: aws, capacity: spot}}"), (WEST,))
    scene.run(MORNING)
    seen = MORNING + minutes(120)
    scene.look(gpu_offer("10.00", seen=seen), gpu_offer("10.00", "us-west-2", seen=seen))
    assert where(scene.run(seen).after) == [("us-west-2", 1)]


def test_throughput_per_price() -> None:
    h100 = gpu_offer("20.00", kind="p5.48xlarge", gpu="H100-SXM5")
    unknown = gpu_offer("1.00", kind="p2.xlarge", gpu="K80")
    extra = ", prefer: {per_tflop: bf16}"
    need = "{gpu: any, gpu_memory: 10Gi, gpus: 8, per_node: 8}"
    found = chosen(need, "{in: aws, capacity: spot}", EAST, h100, unknown, extra=extra)
    assert [text.split()[1] for text in found] == ["p5.48xlarge", "p4d.24xlarge", "p2.xlarge"]


def test_one_offer_is_tried_once() -> None:
    found = chosen(
        "[A100:8, A100-40GB:8]", "[{in: aws, capacity: spot}, {in: any, capacity: spot}]", EAST
    )
    assert len(found) == 1


@pytest.mark.parametrize(
    ("wish", "gpus", "share", "nodes"),
    [
        (Wish(gpu="A100", gpus=16), 8, Fraction(1), 2),
        (Wish(gpu="A100", gpus=17), 8, Fraction(1), 3),
        (Wish(gpu="A100", gpus=16), 8, Fraction(1, 2), 1),
        (Wish(gpu="A100", gpus=16), 8, Fraction(9, 16), 2),
        (Wish(instance_type="x", nodes=4), 8, Fraction(1), 4),
        (Wish(instance_type="x", nodes=4), 8, Fraction(1, 3), 2),
        (Wish(gpu="A100", gpus=10**9), 8, Fraction(1), 125_000_000),
    ],
)
def test_nodes_for_a_share(wish: Wish, gpus: int, share: Fraction, nodes: int) -> None:
    assert nodes_for(wish, Fraction(gpus), share) == nodes
    assert total_gpus(wish, Fraction(gpus)) in (wish.gpus, wish.nodes * gpus)


def test_zones_share_the_nodes_evenly_cheapest_first() -> None:
    offers = tuple(
        gpu_offer(price, zone=zone)
        for price, zone in (("12.00", "use1-az1"), ("10.00", "use1-az2"), ("11.00", "use1-az3"))
    )
    text = "p: {need: {gpu: A100, gpus: %s, spread: zones}, place: {in: aws, capacity: spot}}"
    decision = Scene(policy_of(text % 32), offers).one()
    assert {p.slot.zones[0]: p.nodes for p in decision.after} == {
        "use1-az1": 1,
        "use1-az2": 2,
        "use1-az3": 1,
    }
    assert decision.usd_per_hour_after == Decimal("43.00")
    few = Scene(policy_of(text % 16), offers).one()
    assert {p.slot.zones[0] for p in few.after} == {"use1-az2", "use1-az3"}
    region = Scene(policy_of(text % 32), (*offers, gpu_offer("10.00"))).one()
    assert where(region.after) == [("us-east-1", 4)]
    assert region.after[0].slot.capacity_type is SPOT
