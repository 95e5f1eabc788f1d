"""Rows of tiers: sorted, shared, and at the prices of the past."""

from __future__ import annotations

from decimal import Decimal

from multicloud.decide.book import Book
from multicloud.models.decision import Reject
from multicloud.models.pool import Tier
from multicloud.models.quote import PriceState
from tests.decide.scene import MORNING, SPOT, gpu_offer, minutes
from tests.decide.test_feasible import ANY, WISH, book_of, criteria

HERE, THERE = gpu_offer("10.00"), gpu_offer("8.00", "us-west-2")


def test_rows_are_grouped_by_node_and_sorted_by_price() -> None:
    small = gpu_offer("1.00", kind="a100x1", gpus=1)
    index = book_of(HERE, THERE, small, gpu_offer(None, "eu-west-1")).index(criteria())
    assert [(int(g.gpus), [r.key.region for r in g.rows]) for g in index.groups] == [
        (1, ["us-east-1"]),
        (8, ["us-west-2", "us-east-1"]),
    ]
    assert index.rejected == {Reject.NO_PRICE: 1}
    assert (index.size, len(index.by_key)) == (4, 4)
    assert index.quotes[HERE.key] == Decimal("10.00")
    assert index.silent_regions == {"eu-west-1": 1}


def test_equal_questions_share_their_rows() -> None:
    book = book_of(HERE)
    tier = Tier(places=(ANY,), capacity=(SPOT,))
    other = Tier(places=(ANY,), capacity=(SPOT,))
    assert book.of_tier(tier, WISH, ()) is book.of_tier(other, WISH, ())
    assert book.of_tier(tier, WISH, ()) is book.of_tier(tier, WISH, ())
    index = book.of_tier(tier, WISH, ())
    assert book.quotes((index, index)) is book.quotes((index,))


def test_the_lowest_fresh_price_is_not_always_the_first() -> None:
    old = gpu_offer("5.00", "eu-west-1", seen=MORNING - minutes(24 * 60))
    (group,) = book_of(HERE, THERE, old).index(criteria()).groups
    assert (group.prices[0], group.fresh_usd) == (Decimal("5.00"), Decimal("8.00"))
    (group,) = book_of(old).index(criteria()).groups
    assert group.fresh_usd is None


def test_past_prices_stand_in_for_the_markets() -> None:
    market = book_of(HERE, THERE, gpu_offer("9.00", "eu-west-1")).market
    past = {HERE.key: Decimal("3.00"), THERE.key: None}
    opened = Book(market, past).index(criteria())
    assert [(r.key.region, r.priced.price.usd) for g in opened.groups for r in g.rows] == [
        ("us-east-1", Decimal("3.00")),
        ("eu-west-1", Decimal("9.00")),
    ]
    closed = Book(market, past, closed=True)
    assert [r.key.region for g in closed.index(criteria()).groups for r in g.rows] == ["us-east-1"]
    price = closed.price(HERE.key)
    assert price is not None
    assert price.state is PriceState.FRESH
    unknown = closed.price(THERE.key)
    assert unknown is not None
    assert (unknown.usd, unknown.state) == (None, PriceState.UNKNOWN)
    assert closed.price(gpu_offer("1", "mars-1").key) is None


def test_quotes_in_doubt_are_listed() -> None:
    from dataclasses import replace

    from tests.builders import a_quote

    jump = a_quote("1.00", observed_at=MORNING)
    before = a_quote("10.00", observed_at=MORNING - minutes(60))
    index = book_of(replace(HERE, quotes=(before, jump)), THERE).index(criteria())
    assert [row.key.region for row, _ in index.doubted] == ["us-east-1"]
    assert set(index.oldest_fresh) == {SPOT}
