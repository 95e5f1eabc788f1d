from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.catalog.market import Market, build_market
from multicloud.catalog.snapshot import Snapshot, bundled_snapshot
from multicloud.models.need import Wish
from multicloud.models.offer import CapacityType, Cloud, Offer, OfferKey
from multicloud.models.place import Place
from multicloud.models.pool import Discount, PriceTrust
from multicloud.models.quote import PriceState
from tests.builders import NOON, a_quote, a_shape, an_offer

if TYPE_CHECKING:
    from random import Random

ANY = Place(text="any")
A100 = Wish(gpu="A100", gpus=8)
LATER = NOON + timedelta(minutes=5)


def market(
    *offers: Offer,
    now: datetime = LATER,
    fx: dict[str, Decimal] | None = None,
    discounts: tuple[Discount, ...] = (),
) -> Market:
    return build_market(
        Snapshot(offers=offers, source="test"),
        now=now,
        fx=fx or {},
        discounts=discounts,
        trust=PriceTrust(),
    )


def usd(
    *offers: Offer, fx: dict[str, Decimal] | None = None, discounts: tuple[Discount, ...] = ()
) -> Decimal | None:
    """What the only candidate costs."""
    (priced,) = market(*offers, fx=fx, discounts=discounts).candidates(A100)
    return priced.price.usd


def discount(
    off: str,
    *places: Place,
    capacity: tuple[CapacityType, ...] = (),
    instance_types: tuple[str, ...] = (),
    until: date | None = None,
) -> Discount:
    return Discount(
        places=places or (ANY,),
        capacity=capacity,
        instance_types=instance_types,
        off=Decimal(off),
        until=until,
    )


# --- Which offers a wish means -------------------------------------------------------------


def test_candidates_are_offers_of_the_gpu_in_order_of_key() -> None:
    t4 = an_offer("1", shape=a_shape("g4dn.xlarge", gpu="T4", gpus=1, gpu_memory_gib="16"))
    a100 = an_offer("10")
    big = an_offer("20", shape=a_shape("p4de.24xlarge", gpu="A100-80GB", gpu_memory_gib="80"))
    west = an_offer("10", region="eu-west-1")
    found = market(big, west, t4, a100)
    assert [p.offer for p in found.candidates(A100)] == [west, a100, big]
    assert [p.offer for p in found.candidates(Wish(gpu="t4", gpus=1))] == [t4]
    assert [p.offer for p in found.candidates(Wish(gpu="A100-80GB", gpus=8))] == [big]
    assert len(found.candidates(Wish(gpu="any", gpus=1))) == 4
    assert found.candidates(Wish(gpu="H100", gpus=8)) == ()
    assert found.candidates(Wish(gpu="nonsense", gpus=8)) == ()


def test_candidates_by_type_whatever_its_case() -> None:
    offer = an_offer("10")
    found = market(offer)
    assert [p.offer for p in found.candidates(Wish(instance_type="P4D.24xlarge", nodes=1))] == [
        offer
    ]
    assert found.candidates(Wish(instance_type="p5.48xlarge", nodes=1)) == ()


def test_a_share_of_a_gpu_is_a_candidate_only_for_who_takes_shares() -> None:
    quarter = an_offer("1", shape=a_shape("GN7.LARGE20", gpu="T4", gpus=Fraction(1, 4)))
    assert market(quarter).candidates(Wish(gpu="T4", gpus=1)) == ()
    assert market(quarter).candidates(Wish(gpu="any", gpus=1)) == ()
    assert len(market(quarter).candidates(Wish(gpu="T4", gpus=1, vgpu=True))) == 1
    assert len(market(quarter).candidates(Wish(instance_type="GN7.LARGE20", nodes=1))) == 1


def test_get_finds_one_offer_or_none() -> None:
    offer = an_offer("10")
    found = market(offer)
    priced = found.get(offer.key)
    assert priced is not None
    assert priced.price.usd == 10
    assert found.get(offer.key._replace(region="eu-west-1")) is None
    assert found.get(offer.key._replace(instance_type="p9.large")) is None


# --- What they cost ------------------------------------------------------------------------


def test_an_offer_without_a_quote_has_no_price() -> None:
    (priced,) = market(an_offer(None)).candidates(A100)
    assert priced.price.usd is None
    assert priced.price.state is PriceState.UNKNOWN
    assert not priced.no_rate


def test_b49_currencies_are_converted_or_refused_never_compared_raw() -> None:
    cny = an_offer(quotes=(a_quote("21.60", currency="CNY"),))
    assert usd(cny, fx={"CNY": Decimal("7.20")}) == 3
    (priced,) = market(cny).candidates(A100)
    assert priced.no_rate
    assert priced.price.usd is None
    assert priced.price.state is PriceState.UNKNOWN
    assert (priced.price.amount, priced.price.currency) == (Decimal("21.60"), "CNY")


def test_layers_are_joined_and_the_newest_quote_wins_whatever_its_layer() -> None:
    old, new = a_quote("9"), a_quote("10", observed_at=NOON + timedelta(minutes=1))
    one, other = an_offer(quotes=(new,)), an_offer(quotes=(old,))
    assert usd(one, other) == usd(other, one) == 10


def test_b35_an_unknown_row_never_hides_a_known_one() -> None:
    assert usd(an_offer("9"), an_offer(None)) == 9
    assert usd(an_offer(None), an_offer("9")) == 9


def test_of_two_layers_with_one_stamp_the_dearer_counts() -> None:
    assert usd(an_offer("9"), an_offer("10")) == usd(an_offer("10"), an_offer("9")) == 10


def test_a_jump_between_layers_is_quarantined_at_the_last_good_price() -> None:
    jump = a_quote("99", observed_at=NOON + timedelta(minutes=1))
    (priced,) = market(an_offer("10"), an_offer(quotes=(jump,))).candidates(A100)
    assert priced.price.usd == 10
    assert priced.price.state is PriceState.QUARANTINED
    assert priced.price.observed_at == NOON
    assert priced.doubted == jump


def test_unlike_shapes_of_one_offer_give_the_same_one_in_any_order() -> None:
    one, other = an_offer("1"), an_offer("1", shape=a_shape(vcpus=48))
    first = market(one, other).candidates(A100)
    assert first == market(other, one).candidates(A100)


# --- Discounts -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (discount("0.12"), "8.80"),
        (discount("0.12", Place(text="aws", cloud=Cloud.AWS)), "8.80"),
        (discount("0.12", Place(text="gcp", cloud=Cloud.GCP)), "10"),
        (discount("0.12", capacity=(CapacityType.SPOT,)), "10"),
        (discount("0.12", capacity=(CapacityType.SPOT, CapacityType.ON_DEMAND)), "8.80"),
        (discount("0.12", instance_types=("p4d.24xlarge",)), "8.80"),
        (discount("0.12", instance_types=("p4d.*",)), "8.80"),
        (discount("0.12", instance_types=("p5.*",)), "10"),
        (discount("0.12", until=NOON.date()), "8.80"),
        (discount("0.12", until=NOON.date() - timedelta(days=1)), "10"),
    ],
)
def test_discounts_come_off_the_list_price(given: Discount, expected: str) -> None:
    assert usd(an_offer("10"), discounts=(given,)) == Decimal(expected)


def test_the_first_discount_that_fits_counts_and_the_price_tells_it() -> None:
    (priced,) = market(
        an_offer("10"),
        discounts=(
            discount("0.5", Place(text="gcp", cloud=Cloud.GCP)),
            discount("0.12"),
            discount("0.3"),
        ),
    ).candidates(A100)
    assert priced.price.usd == Decimal("8.80")
    assert priced.price.discount == Decimal("0.12")
    assert priced.price.amount == 10


# --- As a whole ----------------------------------------------------------------------------

amounts = st.decimals("0.1", "50", places=2).map(str)
any_offer = st.builds(
    an_offer,
    st.none() | amounts,
    region=st.sampled_from(["us-east-1", "us-west-2"]),
    capacity=st.sampled_from([CapacityType.SPOT, CapacityType.ON_DEMAND]),
    observed_at=st.sampled_from([NOON, NOON + timedelta(minutes=3), NOON + timedelta(hours=3)]),
)


@given(st.lists(any_offer, max_size=8), st.randoms(use_true_random=False))
def test_a_market_is_the_same_in_any_order(offers: list[Offer], random: Random) -> None:
    shuffled = list(offers)
    random.shuffle(shuffled)
    one = [(p.key, p.price, p.doubted) for p in market(*offers).candidates(A100)]
    assert one == [(p.key, p.price, p.doubted) for p in market(*shuffled).candidates(A100)]
    assert len({key for key, _, _ in one}) == len(one)


def bundled(now: datetime, **fx: str) -> Market:
    return build_market(
        bundled_snapshot().for_sites({}),
        now=now,
        fx={name: Decimal(rate) for name, rate in fx.items()},
        discounts=(),
        trust=PriceTrust(),
    )


@pytest.mark.parametrize(
    ("key", "price", "state"),
    [
        (("aws", "us-east-1", "", "p4d.24xlarge", "spot"), "7.24602186", PriceState.ESTIMATE),
        (("aws", "us-east-1", "", "p4d.24xlarge", "on_demand"), "21.957642", PriceState.STALE),
        (("aws", "us-east-1", "", "g4dn.xlarge", "on_demand"), "0.526", PriceState.STALE),
        (("aws", "us-west-2", "", "p4d.24xlarge", "spot"), None, PriceState.UNKNOWN),
        (("aws", "us-west-2", "", "p4d.24xlarge", "on_demand"), None, PriceState.UNKNOWN),
    ],
)
def test_bundled_prices_of_the_day_night_policy(
    key: tuple[str, ...], price: str | None, state: PriceState
) -> None:
    cloud, region, zone, kind, capacity = key
    priced = bundled(datetime(2026, 12, 1, 2, 12, tzinfo=UTC)).get(
        OfferKey(Cloud(cloud), region, zone, kind, CapacityType(capacity))
    )
    assert priced is not None
    assert priced.price.usd == (None if price is None else Decimal(price))
    assert priced.price.state is state


def test_bundled_tencent_price_is_the_higher_column_in_yuan() -> None:
    key = OfferKey(Cloud.TENCENT, "ap-guangzhou", "", "GN7.2XLARGE32", CapacityType.ON_DEMAND)
    priced = bundled(datetime(2026, 12, 1, tzinfo=UTC), CNY="7.20").get(key)
    assert priced is not None
    assert (priced.price.amount, priced.price.currency) == (Decimal("8.68"), "CNY")
    assert priced.price.usd == Decimal("8.68") / Decimal("7.20")
    assert priced.price.state is PriceState.STALE


def many(count: int) -> Snapshot:
    """The bundled offers again and again, in regions of their own."""
    offers = bundled_snapshot().offers
    copies = (count // len(offers)) + 1
    spread = (
        replace(offer, region=f"{offer.region}-{copy}")
        for copy in range(copies)
        for offer in offers
    )
    return Snapshot(offers=tuple(spread)[:count], source="test")


@pytest.mark.slow
@pytest.mark.parametrize(("count", "budget_s"), [(6_000, 0.05), (60_000, 0.5)])
def test_a_query_is_quick(count: int, budget_s: float) -> None:
    # Ten times the figures aimed at and the best of five, for busy machines.
    offers = many(count).offers
    took: list[float] = []
    for _ in range(5):
        snapshot = Snapshot(offers=offers, source="test")
        began = perf_counter()
        found = build_market(snapshot, now=LATER, fx={}, discounts=(), trust=PriceTrust())
        assert len(found.candidates(A100)) > 100
        took.append(perf_counter() - began)
    assert min(took) < budget_s
