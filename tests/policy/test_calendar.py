from __future__ import annotations

from datetime import date, timedelta

import pytest

from multicloud.errors import InvalidInputError
from multicloud.policy.calendar import DECREED_EACH_YEAR, calendar_for


def test_without_a_country_it_is_monday_to_friday() -> None:
    calendar = calendar_for(None)
    monday = date(2026, 1, 5)
    days = [calendar.is_workday(monday + timedelta(days=n)) for n in range(7)]
    assert days == [True] * 5 + [False] * 2
    assert not calendar.is_holiday(date(2026, 1, 1))
    assert calendar.doubt(2026) == ""


@pytest.mark.parametrize(
    ("day", "is_workday", "is_holiday"),
    [
        ("2026-01-04", True, False),  # a Sunday that makes up for 2 January
        ("2026-02-14", True, False),  # a Saturday that makes up for the Spring Festival
        ("2026-01-02", False, True),
        ("2026-10-01", False, True),
        ("2026-10-10", True, False),  # a Saturday that makes up for the National Day
        ("2026-10-17", False, False),
        ("2026-12-01", True, False),
    ],
)
def test_china_makes_up_for_its_holidays(day: str, is_workday: bool, is_holiday: bool) -> None:
    calendar = calendar_for("CN")
    assert calendar.is_workday(date.fromisoformat(day)) is is_workday
    assert calendar.is_holiday(date.fromisoformat(day)) is is_holiday


def test_a_part_of_a_country_has_days_of_its_own() -> None:
    cesar_chavez = date(2026, 3, 31)
    assert calendar_for("US").is_workday(cesar_chavez)
    assert not calendar_for("US-CA").is_workday(cesar_chavez)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("CNN", "CN"), ("cn", "CN"), ("US-XX", "CA"), ("Germany", ""), ("", ""), ("US-ca", "CA")],
)
def test_unknown_codes_are_refused(code: str, expected: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        calendar_for(code)
    assert expected in f"{error.value.detail} {error.value.hint}"


def test_years_without_a_decree_are_doubtful() -> None:
    assert calendar_for("CN").doubt(2026) == ""
    assert "make-up workdays of CN for 2031" in calendar_for("CN").doubt(2031)
    assert "from" in calendar_for("CN").doubt(2200)
    assert calendar_for("DE").doubt(2031) == ""


def test_estimated_holidays_are_doubtful() -> None:
    assert "estimates" in calendar_for("TR").doubt(2040)


@pytest.mark.parametrize("code", sorted(DECREED_EACH_YEAR))
def test_decreed_calendars_have_known_make_up_days(code: str) -> None:
    assert any(calendar_for(code).doubt(year) == "" for year in (2024, 2025, 2026))
