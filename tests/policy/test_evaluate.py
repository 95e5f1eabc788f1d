from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from itertools import product

import pytest

from multicloud.models.condition import (
    AllOf,
    Always,
    AnyOf,
    Condition,
    Not,
    PriceCondition,
    TimeCondition,
    Truth,
)
from multicloud.models.quote import Price
from multicloud.policy.calendar import calendar_for
from multicloud.policy.evaluate import Evaluation, evaluate
from tests.policy.walls import daily

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN


def price(
    key: str = "k", *, below: str = "1.00", until: str = "1.20", above: bool = False
) -> PriceCondition:
    threshold = Price(amount=Decimal(below), currency="USD", per_gpu=True, text=f"{below}/gpu-h")
    return PriceCondition(above=above, threshold=threshold, until=Decimal(until), of=None, key=key)


def clock(*, now: bool) -> TimeCondition:
    window = daily(0, 1440) if now else daily(0, 60)
    return TimeCondition(windows=(window,), dates=None, skip=(), zone="UTC", text="clock")


def judge(
    cond: Condition, quote: str | None = None, remembered: dict[str, bool] | None = None
) -> Evaluation:
    return evaluate(
        cond,
        NOON,
        calendar=calendar_for(None),
        measure=lambda _: None if quote is None else Decimal(quote),
        remembered=remembered or {},
    )


@pytest.mark.parametrize(
    ("quote", "last", "expected"),
    [
        ("0.99", None, YES),
        ("0.99", False, YES),
        ("1.00", None, NO),
        ("1.00", True, YES),
        ("1.10", None, NO),
        ("1.10", True, YES),
        ("1.10", False, NO),
        ("1.20", True, YES),
        ("1.21", True, NO),
        (None, None, UNKNOWN),
        (None, True, YES),
        (None, False, NO),
    ],
)
def test_a_price_below(quote: str | None, last: bool | None, expected: Truth) -> None:
    remembered = {} if last is None else {"k": last}
    found = judge(price(), quote, remembered)
    assert found.truth is expected
    assert found.truths == ({} if expected is UNKNOWN else {"k": expected is YES})


@pytest.mark.parametrize(
    ("quote", "last", "expected"),
    [
        ("2.01", None, YES),
        ("2.00", None, NO),
        ("1.90", True, YES),
        ("1.80", True, YES),
        ("1.79", True, NO),
        ("1.90", False, NO),
    ],
)
def test_a_price_above_is_the_mirror(quote: str, last: bool | None, expected: Truth) -> None:
    remembered = {} if last is None else {"k": last}
    cond = price(below="2.00", until="1.80", above=True)
    assert judge(cond, quote, remembered).truth is expected


def test_another_conditions_record_is_not_used() -> None:
    assert judge(price(), None, {"other": True}).truth is UNKNOWN


def truth_of(value: Truth) -> Condition:
    if value is UNKNOWN:
        return price()
    return clock(now=value is YES)


KLEENE_AND = {(YES, YES): YES, (YES, NO): NO, (NO, NO): NO, (UNKNOWN, NO): NO}
KLEENE_OR = {(YES, YES): YES, (YES, NO): YES, (NO, NO): NO, (UNKNOWN, YES): YES}


@pytest.mark.parametrize(("one", "other"), list(product(Truth, Truth)))
def test_all_and_any_are_kleenes(one: Truth, other: Truth) -> None:
    parts = (truth_of(one), truth_of(other))

    def look_up(table: dict[tuple[Truth, Truth], Truth]) -> Truth:
        return table.get((one, other), table.get((other, one), UNKNOWN))

    assert judge(AllOf(parts=parts)).truth is look_up(KLEENE_AND)
    assert judge(AnyOf(parts=parts)).truth is look_up(KLEENE_OR)


@pytest.mark.parametrize(("one", "expected"), [(YES, NO), (NO, YES), (UNKNOWN, UNKNOWN)])
def test_not_leaves_unknown_alone(one: Truth, expected: Truth) -> None:
    assert judge(Not(part=truth_of(one))).truth is expected


def test_always() -> None:
    assert judge(Always()).truth is YES


def test_every_price_is_evaluated_also_where_it_cannot_matter() -> None:
    cond = AllOf(parts=(clock(now=False), AnyOf(parts=(clock(now=True), price("a"))), price("b")))
    found = judge(cond, "0.50")
    assert found.truth is NO
    assert found.truths == {"a": True, "b": True}


def test_the_reason_is_that_of_the_deciding_parts() -> None:
    found = judge(AllOf(parts=(clock(now=True), price())), "1.50")
    assert found.detail == "1.50 USD/gpu-h is above 1.20"
    kept = judge(price(), None, {"k": False})
    assert kept.detail == 'no fresh price: stays "no"'
    between = judge(price(), "0.0123")
    assert between.detail == "0.0123 USD/gpu-h is below 1.00"
