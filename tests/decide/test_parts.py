"""Parts of a need: surplus, shares, merging."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from multicloud.decide.parts import NONE, Part, merge, shares_of, trimmed
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import UNPRICED, NodePrice, Placement, Slot
from multicloud.models.quote import PriceState
from tests.decide.scene import Scene, gpu_offer, policy_of, where

QUARTER = Fraction(1, 4)


def part(region: str, nodes: int, *, tier: int = 0, usd: int | None = 1, gpus: int = 1) -> Part:
    """Nodes in a region, each a quarter of the need per GPU."""
    slot = Slot(
        cloud=Cloud.AWS,
        region=region,
        zones=(),
        instance_type="x",
        capacity_type=CapacityType.SPOT,
    )
    price = UNPRICED
    if usd is not None:
        from decimal import Decimal

        price = NodePrice(usd=Decimal(usd), state=PriceState.FRESH, observed_at=None, source="test")
    placement = Placement(
        slot=slot, nodes=nodes, gpu="A100-40GB", gpus_per_node=Fraction(gpus), price=price
    )
    return Part(placement, tier, QUARTER * gpus)


def sizes_of(parts: tuple[Part, ...]) -> list[tuple[str, int]]:
    """Regions with node counts."""
    return where(p.placement for p in parts)


def test_the_lowest_tiers_dearest_go_first() -> None:
    parts = (part("a", 2), part("b", 2, tier=1, usd=5), part("c", 2, tier=1, usd=3))
    assert sizes_of(trimmed(parts)) == [("a", 2), ("c", 2)]
    assert sizes_of(trimmed(parts, Fraction(1, 2))) == [("a", 2)]
    assert sizes_of(trimmed(parts, NONE)) == []


def test_what_is_no_surplus_stays_as_it_is() -> None:
    one = part("a", 3)
    assert trimmed((one,)) == (one,)
    large = part("b", 1, tier=1, gpus=4)
    assert sizes_of(trimmed((one, large))) == [("b", 1)]
    assert sizes_of(trimmed((part("a", 3), part("b", 1, tier=1, gpus=2)))) == [("a", 2), ("b", 1)]


def test_unknown_prices_are_not_the_dearest() -> None:
    parts = (part("a", 4, usd=None), part("b", 1, usd=1))
    assert sizes_of(trimmed(parts)) == [("a", 4)]


def test_shares_stop_at_what_was_asked() -> None:
    parts = (part("a", 3), part("b", 3, tier=2))
    assert shares_of(parts, 3) == (3 * QUARTER, NONE, QUARTER)
    assert shares_of(parts, 3, QUARTER) == (QUARTER, NONE, NONE)


def test_nodes_at_one_place_are_one_placement() -> None:
    a, b = part("a", 1).placement, part("b", 2).placement
    assert merge((b, a, replace(b, nodes=3))) == (a, replace(b, nodes=5))
    assert merge(()) == ()


def test_a_large_node_below_makes_small_ones_above_needless() -> None:
    text = """
p:
  need: {gpu: A100, gpus: 8, spread: places}
  place: [{in: aws, capacity: spot, max_gpus: 4}, {in: aws, capacity: on_demand}]
"""
    offers = (
        gpu_offer("3.00", kind="a100x4", gpus=4),
        gpu_offer("2.00", capacity=CapacityType.ON_DEMAND),
    )
    decision = Scene(policy_of(text), offers).one()
    assert [(p.slot.instance_type, p.nodes) for p in decision.after] == [("p4d.24xlarge", 1)]
