"""Caps per GPU and per node, in the account's currency, rounded down."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from multicloud.decide.bid import bid_for, cap_note, cap_usd, node_amount
from multicloud.models.offer import Cloud
from multicloud.models.quote import Price
from tests.decide.scene import ON_DEMAND, gpu_offer

FX = {"CNY": Decimal("7.20")}


def cap(amount: str, currency: str = "USD", *, per_gpu: bool = True) -> Price:
    """A policy's price."""
    return Price(amount=Decimal(amount), currency=currency, per_gpu=per_gpu, text=amount)


@pytest.mark.parametrize(
    ("price", "gpus", "amount"),
    [
        (cap("1.50"), Fraction(8), "12.00"),
        (cap("1.50"), Fraction(1, 4), "0.375"),
        (cap("1.50", per_gpu=False), Fraction(8), "1.50"),
    ],
)
def test_a_price_for_one_node(price: Price, gpus: Fraction, amount: str) -> None:
    assert node_amount(price, gpus) == Decimal(amount)


def test_a_quote_exactly_at_the_cap_fits_in_any_currency() -> None:
    for cents in range(1, 400):
        amount = Decimal(cents) / 100
        limit = cap_usd(cap(str(amount), "CNY"), Fraction(8), FX)
        assert limit == amount * 8 / FX["CNY"]
    assert cap_usd(cap("1", "EUR"), Fraction(8), FX) is None


@pytest.mark.parametrize(
    ("cloud", "price", "expected"),
    [
        (Cloud.AWS, cap("1.50"), "12.0000"),
        (Cloud.AWS, cap("0.33333"), "2.6666"),
        (Cloud.AZURE, cap("0.333333"), "2.66666"),
        (Cloud.AWS, cap("7.20", "CNY"), "8.0000"),
        (Cloud.TENCENT, cap("1.00"), "57.6000"),
        (Cloud.TENCENT, cap("1.00", "CNY"), "8.0000"),
        (Cloud.ALIBABA, cap("0.3337", "CNY"), "2.66"),
        (Cloud.GCP, cap("1.50"), None),
        (Cloud.ORACLE, cap("1.50"), None),
        (Cloud.AWS, cap("1.50", "EUR"), None),
        (Cloud.AWS, None, None),
    ],
)
def test_the_rendered_bid(cloud: Cloud, price: Price | None, expected: str | None) -> None:
    bid = bid_for(gpu_offer("10.00", cloud=cloud), price, FX)
    assert (None if bid is None else str(bid)) == expected


def test_on_demand_takes_no_bid() -> None:
    assert bid_for(gpu_offer("10.00", capacity=ON_DEMAND), cap("2"), FX) is None


def test_without_a_quote_the_default_sites_currency_counts() -> None:
    assert bid_for(gpu_offer(None, cloud=Cloud.TENCENT), cap("1.00"), FX) == Decimal("57.6")


@pytest.mark.parametrize("cloud", list(Cloud))
def test_a_note_exactly_where_no_bid_is_rendered(cloud: Cloud) -> None:
    takes_none = cloud in (Cloud.GCP, Cloud.ORACLE)
    assert cap_note(cloud) == ("watched, not enforced" if takes_none else "")
