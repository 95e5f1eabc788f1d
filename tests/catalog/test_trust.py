"""Which quote counts: POLICY, meaning 7."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.catalog.trust import Standing, standing_quote
from multicloud.models.offer import CapacityType
from multicloud.models.pool import PriceTrust
from multicloud.models.quote import PriceState, Quote
from tests.builders import NOON, a_quote

if TYPE_CHECKING:
    from random import Random

FX = {"CNY": Decimal("7.20")}


def seen(amount: str, minutes: int, currency: str = "USD", *, estimate: bool = False) -> Quote:
    """A quote of so many minutes after noon."""
    when = NOON + timedelta(minutes=minutes)
    return a_quote(amount, observed_at=when, currency=currency, estimate=estimate)


def standing(
    *quotes: Quote,
    now: datetime = NOON + timedelta(hours=1),
    trust: PriceTrust = PriceTrust(),
    capacity: CapacityType = CapacityType.ON_DEMAND,
) -> Standing:
    found = standing_quote(quotes, now=now, fx=FX, trust=trust, capacity=capacity)
    assert found is not None
    return found


@pytest.mark.parametrize("quotes", [(), (seen("1.00", 1),)])
def test_nothing_known_is_nothing(quotes: tuple[Quote, ...]) -> None:
    found = standing_quote(quotes, now=NOON, fx=FX, trust=PriceTrust(), capacity=CapacityType.SPOT)
    assert found is None


def test_the_newest_not_later_than_now_counts() -> None:
    found = standing(seen("1.00", 0), seen("1.10", 30), seen("1.20", 61))
    assert found.quote.amount == Decimal("1.10")


def test_of_two_with_one_stamp_the_dearer_counts() -> None:
    assert standing(seen("1.00", 0), seen("1.20", 0)).quote.amount == Decimal("1.20")
    # 7.90 CNY are 1.097 USD: less than 1.20 USD, though 7.90 is the larger figure.
    assert standing(seen("1.20", 0), seen("7.90", 0, "CNY")).quote.currency == "USD"
    # What has no rate cannot be compared, and does not hide what has.
    assert standing(seen("1.20", 0), seen("9.00", 0, "JPY")).quote.currency == "USD"


@pytest.mark.parametrize(
    ("capacity", "age", "state"),
    [
        (CapacityType.SPOT, timedelta(hours=6), PriceState.FRESH),
        (CapacityType.SPOT, timedelta(hours=6, seconds=1), PriceState.STALE),
        (CapacityType.ON_DEMAND, timedelta(days=30), PriceState.FRESH),
        (CapacityType.ON_DEMAND, timedelta(days=30, seconds=1), PriceState.STALE),
        (CapacityType.RESERVED, timedelta(days=30), PriceState.FRESH),
    ],
)
def test_age_limits(capacity: CapacityType, age: timedelta, state: PriceState) -> None:
    assert standing(seen("1", 0), now=NOON + age, capacity=capacity).state is state


def test_an_estimate_stays_one_however_old() -> None:
    found = standing(seen("1", 0, estimate=True), now=NOON + timedelta(days=900))
    assert found.state is PriceState.ESTIMATE


def test_b38_a_jump_is_quarantined_and_the_last_good_price_kept() -> None:
    found = standing(seen("4.12", 0), seen("0.02", 30))
    assert (found.quote.amount, found.state) == (Decimal("4.12"), PriceState.QUARANTINED)
    assert found.doubted == seen("0.02", 30)


@pytest.mark.parametrize(
    ("amount", "is_jump"),
    [("4.00", False), ("4.01", True), ("0.25", False), ("0.249", True), ("1.00", False)],
)
def test_a_jump_is_more_than_the_factor_either_way(amount: str, is_jump: bool) -> None:
    assert (standing(seen("1.00", 0), seen(amount, 5)).doubted is not None) is is_jump


@pytest.mark.parametrize(
    ("second", "minutes", "is_believed"),
    [
        ("9.00", 20, True),
        ("9.00", 19, False),
        ("9.90", 20, True),
        ("9.91", 20, False),
        ("8.182", 20, True),
        ("8.18", 20, False),
    ],
)
def test_a_later_look_confirms_a_jump(second: str, minutes: int, is_believed: bool) -> None:
    found = standing(seen("1.00", 0), seen("9.00", 10), seen(second, minutes))
    assert (found.state is PriceState.FRESH) is is_believed
    assert found.quote.amount == Decimal(second if is_believed else "1.00")


def test_looks_too_close_together_confirm_when_one_is_late_enough() -> None:
    looks = [seen("9.00", minute) for minute in (10, 13, 16, 19)]
    assert standing(seen("1.00", 0), *looks).state is PriceState.QUARANTINED
    assert standing(seen("1.00", 0), *looks, seen("9.00", 20)).quote.amount == 9


def test_a_return_to_the_last_good_price_ends_the_quarantine() -> None:
    found = standing(seen("1.00", 0), seen("9.00", 10), seen("1.05", 12))
    assert (found.quote.amount, found.state) == (Decimal("1.05"), PriceState.FRESH)


def test_another_wild_price_starts_the_quarantine_anew() -> None:
    found = standing(seen("1.00", 0), seen("9.00", 10), seen("90.00", 25), seen("9.00", 40))
    assert found.state is PriceState.QUARANTINED
    assert found.quote.amount == 1


def test_an_estimate_is_no_ground_to_doubt_a_real_price() -> None:
    found = standing(seen("1.00", 0, estimate=True), seen("9.00", 10))
    assert (found.quote.amount, found.state) == (Decimal("9.00"), PriceState.FRESH)


def test_an_estimate_that_jumps_is_doubted_too() -> None:
    found = standing(seen("1.00", 0), seen("9.00", 10, estimate=True))
    assert found.state is PriceState.QUARANTINED


def test_jumps_are_measured_across_currencies() -> None:
    assert standing(seen("1.00", 0), seen("7.20", 10, "CNY")).doubted is None
    assert standing(seen("1.00", 0), seen("72.0", 10, "CNY")).doubted is not None
    # Without a rate nothing can be said of a jump: the newest counts, and is then "no rate".
    assert standing(seen("1.00", 0), seen("99", 10, "JPY")).quote.currency == "JPY"


def test_the_factor_is_the_policys() -> None:
    trust = PriceTrust(jump=Decimal(10))
    assert standing(seen("1.00", 0), seen("9.00", 10), trust=trust).doubted is None


def test_an_old_spot_quote_is_stale() -> None:
    now = NOON + timedelta(hours=9, minutes=10)
    found = standing(seen("1.00", 0), now=now, capacity=CapacityType.SPOT)
    assert found.state is PriceState.STALE


def test_order_of_quotes_does_not_matter() -> None:
    quotes = (seen("1.00", 0), seen("1.20", 0), seen("9.00", 10), seen("9.10", 25))
    assert {standing(*order) for order in permutations(quotes)} == {standing(*quotes)}


quotes_of_a_day = st.builds(
    seen,
    amount=st.decimals("0.01", "99", places=2).map(str),
    minutes=st.integers(0, 90),
    currency=st.sampled_from(["USD", "CNY", "JPY"]),
    estimate=st.booleans(),
)


@given(st.lists(quotes_of_a_day, min_size=1, max_size=6), st.randoms())
def test_any_order_gives_the_same_and_never_a_price_nobody_quoted(
    quotes: list[Quote], random: Random
) -> None:
    shuffled = list(quotes)
    random.shuffle(shuffled)
    results = []
    for order in (quotes, shuffled):
        found = standing_quote(
            order,
            now=NOON + timedelta(hours=1),
            fx=FX,
            trust=PriceTrust(),
            capacity=CapacityType.SPOT,
        )
        results.append(found)
    assert results[0] == results[1]
    known = [quote for quote in quotes if quote.observed_at <= NOON + timedelta(hours=1)]
    assert (results[0] is None) == (not known)
    if results[0] is not None:
        assert results[0].quote in known
