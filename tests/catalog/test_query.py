from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from multicloud.catalog.market import Market, build_market
from multicloud.catalog.query import find_offers
from multicloud.catalog.snapshot import Snapshot
from multicloud.models.need import Need, Wish
from multicloud.models.offer import CapacityType, Cloud, Offer
from multicloud.models.place import Place
from multicloud.models.pool import PriceTrust
from tests.builders import NOON, a_shape, an_offer

if TYPE_CHECKING:
    from random import Random

EIGHT = an_offer("14.00")
ONE = a_shape("a2-highgpu-1g", cloud=Cloud.GCP, gpus=1, vcpus=12, memory_gib="85")


def market(*offers: Offer) -> Market:
    return build_market(
        Snapshot(offers=offers, source="test"),
        now=NOON + timedelta(minutes=1),
        fx={},
        discounts=(),
        trust=PriceTrust(),
    )


def single(price: str | None) -> Offer:
    return an_offer(price, cloud=Cloud.GCP, region="us-central1", shape=ONE)


def need(*wishes: Wish) -> Need:
    return Need(wishes=wishes)


def test_b66_the_whole_placement_is_what_costs() -> None:
    found = market(EIGHT, single("2.00"))
    first = find_offers(found, need(Wish(gpu="A100", gpus=8)))
    assert [(r.offer.shape.instance_type, r.nodes, r.usd_per_hour) for r in first] == [
        ("p4d.24xlarge", 1, Decimal(14)),
        ("a2-highgpu-1g", 8, Decimal(16)),
    ]
    second = find_offers(found, need(Wish(gpu="A100", gpus=2)))
    assert [(r.offer.shape.instance_type, r.nodes, r.usd_per_hour) for r in second] == [
        ("a2-highgpu-1g", 2, Decimal(4)),
        ("p4d.24xlarge", 1, Decimal(14)),
    ]


def test_surplus_is_told_and_costs_per_gpu_divide_by_the_nodes_gpus() -> None:
    (row,) = find_offers(market(EIGHT), need(Wish(gpu="A100", gpus=10)))
    assert (row.nodes, row.gpus, row.surplus) == (2, Fraction(16), Fraction(6))
    assert (row.usd_per_hour, row.usd_per_gpu_hour) == (Decimal(28), Decimal("1.75"))


def test_by_type_nothing_is_surplus() -> None:
    wish = Wish(instance_type="p4d.24xlarge", nodes=2)
    (row,) = find_offers(market(EIGHT), need(wish))
    assert (row.nodes, row.gpus, row.surplus) == (2, Fraction(16), Fraction(0))
    share = an_offer("1", shape=a_shape("GN7.LARGE20", gpu="T4", gpus=Fraction(1, 4)))
    (row,) = find_offers(market(share), need(Wish(instance_type="GN7.LARGE20", nodes=1)))
    assert (row.gpus, row.surplus) == (Fraction(1, 4), Fraction(0))


def test_unknown_prices_come_last_and_are_never_0() -> None:
    unpriced = an_offer(None, region="us-west-2")
    rows = find_offers(market(unpriced, EIGHT), need(Wish(gpu="A100", gpus=8)))
    assert [row.usd_per_hour for row in rows] == [Decimal(14), None]
    assert rows[1].usd_per_gpu_hour is None


def test_the_first_alternative_that_an_offer_meets_counts() -> None:
    wishes = (Wish(gpu="A100", gpus=16, per_node=8), Wish(gpu="A100", gpus=4))
    rows = find_offers(market(EIGHT, single("2.00")), need(*wishes))
    assert [(row.alternative, row.nodes) for row in rows] == [(1, 4), (0, 2)]


def test_ties_go_to_firmer_capacity_then_fewer_nodes_then_names() -> None:
    spot = an_offer("16.00", capacity=CapacityType.SPOT)
    demand = an_offer("16.00", region="us-west-2")
    small = single("2.00")
    rows = find_offers(market(spot, small, demand), need(Wish(gpu="A100", gpus=8)))
    assert [row.key for row in rows] == [demand.key, small.key, spot.key]


def test_places_and_capacity_narrow_it_down() -> None:
    spot = an_offer("5.00", capacity=CapacityType.SPOT)
    found = market(EIGHT, spot, single("2.00"))
    aws = Place(text="aws", cloud=Cloud.AWS)
    rows = find_offers(
        found, need(Wish(gpu="A100", gpus=8)), places=(aws,), capacity=(CapacityType.SPOT,)
    )
    assert [row.key for row in rows] == [spot.key]


prices = st.none() | st.integers(1, 4).map(str)
offers = st.builds(
    an_offer,
    prices,
    region=st.sampled_from(["us-east-1", "us-west-2", "eu-west-1"]),
    capacity=st.sampled_from([CapacityType.SPOT, CapacityType.ON_DEMAND]),
)


@given(st.lists(offers, max_size=8), st.randoms(use_true_random=False))
def test_ranking_does_not_depend_on_the_order_of_offers(
    given_offers: list[Offer], random: Random
) -> None:
    shuffled = list(given_offers)
    random.shuffle(shuffled)
    wanted = need(Wish(gpu="A100", gpus=8))
    one = find_offers(market(*given_offers), wanted)
    assert [row.key for row in one] == [row.key for row in find_offers(market(*shuffled), wanted)]
    known = [row.usd_per_hour for row in one if row.usd_per_hour is not None]
    assert known == sorted(known)
