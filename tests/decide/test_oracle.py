"""The choice against enumeration: every offer, every count, in the order of the rules."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decide.scene import SPOT, Scene, policy_of
from tests.decide.worlds import OFFERS, REGIONS

if TYPE_CHECKING:
    from multicloud.models.offer import Offer


class Choice(NamedTuple):
    """What enumeration finds, in the order in which ties are broken."""

    cost: Decimal
    place: int
    way: int
    is_spot: bool
    nodes: int
    region: str
    zone: str
    kind: str


def cheapest(
    offers: tuple[Offer, ...], gpus: int, regions: tuple[str, ...], cap: Decimal
) -> Choice | None:
    """The best of all offers for so many GPUs, or None."""
    found = []
    for offer in offers:
        if not offer.quotes or offer.region not in regions:
            continue
        usd, each = offer.quotes[-1].amount, int(offer.shape.gpus)
        if usd > cap * each:
            continue
        nodes = math.ceil(gpus / each)
        is_spot = offer.capacity_type is SPOT
        found.append(
            Choice(
                usd * nodes,
                regions.index(offer.region),
                0 if is_spot else 1,
                is_spot,
                nodes,
                offer.region,
                offer.zone or "",
                offer.shape.instance_type,
            )
        )
    return min(found, default=None)


@settings(max_examples=100, deadline=None)
@given(
    OFFERS,
    st.integers(1, 20),
    st.permutations(REGIONS).map(tuple),
    st.integers(1, 12).map(lambda n: Decimal(n) / 4),
)
def test_the_cheapest_whole_placement_wins(
    offers: tuple[Offer, ...], gpus: int, regions: tuple[str, ...], cap: Decimal
) -> None:
    places = ", ".join(f"aws/{region}" for region in regions)
    place = f"{{in: [{places}], capacity: [spot, on_demand], max_price: {cap}/gpu-h}}"
    text = f"p: {{need: {{gpu: A100, gpus: {gpus}}}, place: {place}}}"
    decision = Scene(policy_of(text), offers).one()
    best = cheapest(offers, gpus, regions, cap)
    if best is None:
        assert decision.after == ()
        assert decision.unmet is not None
        assert decision.unmet.gpus == gpus
        return
    (placement,) = decision.after
    assert decision.usd_per_hour_after == best.cost
    assert (placement.slot.region, placement.slot.instance_type, placement.nodes) == (
        best.region,
        best.kind,
        best.nodes,
    )
    if best.zone:
        assert placement.slot.zones == (best.zone,)
