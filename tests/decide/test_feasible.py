"""Judging one offer: shape, place, way of buying."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from multicloud.catalog.fit import shape_fault
from multicloud.catalog.market import build_market
from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.book import Book, usd_of
from multicloud.decide.feasible import Criteria, Judge, Row
from multicloud.models.decision import Reject
from multicloud.models.need import Interconnect, Wish
from multicloud.models.offer import CapacityType, Cloud, Offer
from multicloud.models.place import Place
from multicloud.models.pool import PriceTrust
from tests.builders import a_shape
from tests.decide.scene import MORNING, ON_DEMAND, SPOT, gpu_offer

ANY = Place(text="any")
WISH = Wish(gpu="A100", gpus=8)


def place(text: str) -> Place:
    """`CLOUD[/REGION[/ZONE]]`."""
    cloud, region, zone = (*text.split("/"), "*", "*")[:3]
    return Place(text=text, cloud=Cloud(cloud), region=region, zone=zone)


def criteria(**changes: object) -> Criteria:
    """Anything that has an A100, spot or on demand."""
    base = Criteria(
        wish=WISH,
        places=(ANY,),
        not_in=(),
        only_in=(),
        capacity=(SPOT, ON_DEMAND),
        instance_types=(),
        min_discount=None,
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # field by name


def book_of(*offers: Offer) -> Book:
    """The rows of a market of these offers."""
    market = build_market(
        Snapshot(offers=offers, source="test"),
        now=MORNING,
        fx={},
        discounts=(),
        trust=PriceTrust(),
    )
    return Book(market)


def fate(offer: Offer, asked: Criteria, *others: Offer) -> Row | Reject:
    """What becomes of one offer."""
    book = book_of(offer, *others)
    priced = book.market.get(offer.key)
    assert priced is not None
    return Judge(asked, book).judge(priced)


@pytest.mark.parametrize(
    ("wish", "shape", "fault"),
    [
        (WISH, a_shape(), None),
        (replace(WISH, gpu_memory_gib=Decimal(40)), a_shape(), None),
        (replace(WISH, gpu_memory_gib=Decimal(41)), a_shape(), Reject.TOO_SMALL),
        (replace(WISH, vcpus=96), a_shape(), None),
        (replace(WISH, vcpus=97), a_shape(), Reject.TOO_SMALL),
        (replace(WISH, memory_gib=Decimal(1152)), a_shape(), None),
        (replace(WISH, memory_gib=Decimal(1153)), a_shape(), Reject.TOO_SMALL),
        (replace(WISH, arch="arm64"), a_shape(), Reject.WRONG_ARCH),
        (WISH, a_shape(gpus=Fraction(1, 4)), Reject.WRONG_SHAPE),
        (WISH, a_shape(gpus=Fraction(3, 2)), Reject.WRONG_SHAPE),
        (WISH, a_shape(gpus=0), Reject.WRONG_SHAPE),
        (replace(WISH, per_node=8), a_shape(), None),
        (replace(WISH, per_node=4), a_shape(), Reject.WRONG_SHAPE),
        (replace(WISH, interconnect=Interconnect.NVLINK), a_shape(), None),
        (
            replace(WISH, interconnect=Interconnect.NVLINK),
            replace(a_shape(), gpu_link="pcie"),
            Reject.NO_INTERCONNECT,
        ),
        (
            replace(WISH, interconnect=Interconnect.NVLINK),
            replace(a_shape(), gpu_link="xgmi"),
            None,
        ),
        (replace(WISH, interconnect=Interconnect.RDMA), a_shape(), Reject.NO_INTERCONNECT),
        (replace(WISH, interconnect=Interconnect.RDMA), a_shape(fabric="efa"), None),
    ],
)
def test_shapes(wish: Wish, shape: object, fault: Reject | None) -> None:
    assert shape_fault(wish, shape) is fault  # type: ignore[arg-type]  # a Shape


@pytest.mark.parametrize(
    ("asked", "reject"),
    [
        (criteria(), None),
        (criteria(only_in=(place("aws/us-east-1"),)), None),
        (criteria(only_in=(place("aws/eu-*"),)), Reject.OUTSIDE_BOUNDARY),
        (criteria(places=(place("aws/eu-*"),)), Reject.OUTSIDE_TIER),
        (criteria(not_in=(place("aws/us-east-1"),)), Reject.OUTSIDE_TIER),
        (criteria(places=(place("aws/us-east-1/use1-az9"),)), Reject.OUTSIDE_TIER),
        (criteria(capacity=(ON_DEMAND,)), Reject.WRONG_CAPACITY),
        (criteria(instance_types=("P4D.24XLARGE",)), None),
        (criteria(instance_types=("p5.48xlarge",)), Reject.WRONG_TYPE),
        (criteria(wish=replace(WISH, per_node=4)), Reject.WRONG_SHAPE),
    ],
)
def test_places_ways_and_types(asked: Criteria, reject: Reject | None) -> None:
    found = fate(gpu_offer("10.00"), asked)
    assert isinstance(found, Row) if reject is None else found is reject


def test_zones_are_those_that_boundary_and_tier_allow() -> None:
    asked = criteria(
        places=(place("aws/*/use1-az2"), place("aws/us-east-1/use1-az[134]")),
        not_in=(place("aws/*/use1-az4"),),
        only_in=(place("aws/*/use1-az[1234]"),),
    )
    row = fate(gpu_offer("10.00"), asked)
    assert isinstance(row, Row)
    assert row.zones == ("use1-az1", "use1-az2", "use1-az3")
    assert row.position == (0, 0, 0)
    zonal = fate(gpu_offer("10.00", zone="use1-az3"), asked)
    assert isinstance(zonal, Row)
    assert (zonal.zones, zonal.position) == (("use1-az3",), (1, 0, 0))
    assert fate(gpu_offer("10.00", zone="use1-az4"), asked) is Reject.OUTSIDE_TIER
    assert fate(gpu_offer("10.00", zone="use1-az5"), asked) is Reject.OUTSIDE_BOUNDARY


def test_zone_names_of_the_account_are_understood() -> None:
    row = fate(gpu_offer("10.00"), criteria(places=(place("aws/us-east-1/us-east-1a"),)))
    assert isinstance(row, Row)
    assert len(row.zones) == 1
    assert row.zones[0].startswith("use1-az")


def test_a_region_that_nobody_knows_has_no_zones() -> None:
    row = fate(gpu_offer("10.00", "mars-1"), criteria())
    assert isinstance(row, Row)
    assert row.zones == ()


def test_what_needs_a_reservation_is_no_candidate() -> None:
    only = replace(gpu_offer("10.00"), reservation_only=True)
    assert fate(only, criteria()) is Reject.NEEDS_RESERVATION
    reserved = gpu_offer("10.00", capacity=CapacityType.RESERVED)
    assert fate(reserved, criteria()) is Reject.WRONG_CAPACITY


@pytest.mark.parametrize(
    ("spot", "dear"), [("7.99", False), ("8.00", False), ("8.01", True), ("20.00", True)]
)
def test_min_discount_includes_its_bound(spot: str, dear: bool) -> None:
    asked = criteria(min_discount=Decimal("0.20"))
    row = fate(gpu_offer(spot), asked, gpu_offer("10.00", capacity=ON_DEMAND))
    assert isinstance(row, Row)
    assert row.is_dear is dear


def test_min_discount_compares_zonal_spot_with_the_regions_on_demand() -> None:
    asked = criteria(min_discount=Decimal("0.20"))
    zonal = gpu_offer("8.00", zone="use1-az1")
    row = fate(zonal, asked, gpu_offer("10.00", capacity=ON_DEMAND))
    assert isinstance(row, Row)
    assert not row.is_dear
    unknown = fate(zonal, asked, gpu_offer(None, capacity=ON_DEMAND))
    assert isinstance(unknown, Row)
    assert unknown.is_dear
    on_demand = fate(gpu_offer("10.00", capacity=ON_DEMAND), asked)
    assert isinstance(on_demand, Row)
    assert not on_demand.is_dear


def test_a_row_without_a_price_has_no_cost() -> None:
    book = book_of(gpu_offer(None))
    (row,) = book.index(criteria()).unpriced
    with pytest.raises(AssertionError):
        usd_of(row)


def test_offers_of_one_shape_are_judged_alike() -> None:
    there = replace(gpu_offer("10.00"), region="us-west-2")
    here = replace(gpu_offer("10.00"), shape=there.shape)
    index = book_of(here, there).index(criteria(wish=replace(WISH, per_node=4)))
    assert index.rejected == {Reject.WRONG_SHAPE: 2}
