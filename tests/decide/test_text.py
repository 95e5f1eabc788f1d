"""Times, amounts and counts in words."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from multicloud.decide.text import counts, duration, money, percent, plural, when
from multicloud.models.decision import Reject
from tests.builders import at

NOW = at("2026-12-01T02:12:00Z")


@pytest.mark.parametrize(
    ("instant", "zone", "text"),
    [
        ("2026-12-01T12:00:00Z", "Asia/Shanghai", "20:00"),
        ("2026-12-01T12:00:00Z", "", "12:00Z"),
        ("2026-12-01T16:00:00Z", "Asia/Shanghai", "Wed 00:00"),
        ("2026-12-07T15:59:00Z", "Asia/Shanghai", "Mon 23:59"),
        ("2026-12-07T16:00:00Z", "Asia/Shanghai", "2026-12-08 00:00"),
        ("2026-11-30T12:00:00Z", "Asia/Shanghai", "2026-11-30 20:00"),
    ],
)
def test_times_are_as_short_as_they_are_clear(instant: str, zone: str, text: str) -> None:
    assert when(at(instant), NOW, zone) == text


@pytest.mark.parametrize(
    ("minutes", "text"),
    [(0, "0m"), (15, "15m"), (90, "1h 30m"), (24 * 60, "1d"), (24 * 60 * 2 + 61, "2d 1h 1m")],
)
def test_durations(minutes: int, text: str) -> None:
    assert duration(timedelta(minutes=minutes)) == text


def test_amounts_and_counts() -> None:
    assert (money(None), money(Decimal("1234.5"))) == ("?", "1,234.50")
    assert (percent(Decimal("0.1")), percent(Decimal("0.075"))) == ("10 %", "7.5 %")
    assert (plural(1, "offer"), plural(2, "offer")) == ("1 offer", "2 offers")
    lost = {Reject.NO_PRICE: 5, Reject.OVER_CAP: 20, Reject.OUTSIDE_BOUNDARY: 12, Reject.QUOTA: 0}
    assert counts(lost, "2.50/gpu-h") == "20 over cap 2.50/gpu-h, 12 outside only_in, 5 no price"
    assert counts({Reject.OVER_CAP: 1}, "") == "1 over the cap"
