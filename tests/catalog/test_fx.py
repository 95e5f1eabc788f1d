from __future__ import annotations

from decimal import Decimal

import pytest

from multicloud.catalog.fx import from_usd, to_usd

RATES = {"CNY": Decimal("7.20"), "XXX": Decimal(0)}


@pytest.mark.parametrize(
    ("amount", "currency", "usd"),
    [("3.20", "USD", "3.20"), ("21.60", "CNY", "3"), ("1", "EUR", None), ("1", "XXX", None)],
)
def test_rates_are_units_per_dollar(amount: str, currency: str, usd: str | None) -> None:
    expected = None if usd is None else Decimal(usd)
    assert to_usd(Decimal(amount), currency, RATES) == expected


def test_there_and_back() -> None:
    assert from_usd(Decimal(3), "CNY", RATES) == Decimal("21.60")
    assert from_usd(Decimal(3), "USD", {}) == 3
    assert from_usd(Decimal(3), "EUR", RATES) is None
