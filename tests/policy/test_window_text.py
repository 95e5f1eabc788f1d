from __future__ import annotations

from datetime import date

import pytest

from multicloud.models.condition import DailyWindow, DateRange, DayKind, WeekWindow
from multicloud.policy.scalars import ScalarError
from multicloud.policy.window_text import (
    Moment,
    parse_date_range,
    parse_dates,
    parse_moment,
    parse_window,
)


def refusal(text: str) -> str:
    with pytest.raises(ScalarError) as error:
        parse_window(text)
    return " ".join((error.value.summary, error.value.expected, error.value.hint))


@pytest.mark.parametrize(
    ("text", "start", "end", "weekdays"),
    [
        ("mon-fri 08:00-20:00", 480, 1200, {0, 1, 2, 3, 4}),
        ("20:00-08:00", 1200, 480, set()),
        ("sat sun 10:00-24:00", 600, 1440, {5, 6}),
        ("SUN-Thu 06:00 - 22:30", 360, 1350, {6, 0, 1, 2, 3}),
        ("sat-sat 00:00-00:01", 0, 1, {5}),
        ("fri-mon wed 00:00-24:00", 0, 1440, {4, 5, 6, 0, 2}),
    ],
)
def test_daily_windows(text: str, start: int, end: int, weekdays: set[int]) -> None:
    window = parse_window(text)
    assert isinstance(window, DailyWindow)
    assert (window.start, window.end) == (start, end)
    assert set(window.weekdays) == weekdays
    assert window.zone == ""


def test_kinds_of_days_and_a_zone() -> None:
    window = parse_window("workday sat  09:00-18:00  Asia/Shanghai")
    assert isinstance(window, DailyWindow)
    assert window.kinds == {DayKind.WORKDAY}
    assert window.weekdays == {5}
    assert window.zone == "Asia/Shanghai"
    assert window.text == "workday sat 09:00-18:00 Asia/Shanghai"


def test_week_windows() -> None:
    window = parse_window("Fri 20:00-mon 08:00 Etc/GMT-8")
    assert isinstance(window, WeekWindow)
    assert (window.start_day, window.start, window.end_day, window.end) == (4, 1200, 0, 480)
    assert window.zone == "Etc/GMT-8"


def test_b10_start_equal_to_end_has_two_readings() -> None:
    said = refusal("sat-sun 03:00-03:00")
    assert "nothing, or 24 hours" in said
    assert "00:00-24:00" in said


def test_a_week_window_of_nothing_or_a_week() -> None:
    assert "nothing, or a week" in refusal("mon 08:00-mon 08:00")
    assert "mon 00:00-sun 24:00" in refusal("tue 00:00-mon 24:00")
    assert isinstance(parse_window("mon 00:00-sun 24:00"), WeekWindow)


def test_b14_24_is_an_end() -> None:
    window = parse_window("08:00-24:00")
    assert isinstance(window, DailyWindow)
    assert window.end == 1440


@pytest.mark.parametrize("time", ["24:00", "25:00", "12:60", "7", "-1:00", "08:00:61", "8:00"])
def test_b14_what_is_no_time(time: str) -> None:
    said = refusal(f"{time}-20:30")
    assert "not a time of day" in said or "not a window" in said
    assert "HH:MM" in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 8 * * 1-5", "Cron names moments"),
        ("*/5 * * * *", "Cron names moments"),
        ("08:00:00-20:00:00", "no seconds"),
        ("mon-fri 08:00", "has no end"),
        ("08:00-", "has no end"),
        ("mon", "not a window"),
        ("", "not a window"),
        ("8:00-20:00", 'Write "08:00"'),
        ("08:00 to 20:00", "has no end"),
        ("08:00–20:00", "plain hyphen"),
        ("mon,tue 08:00-20:00", "Separate days by blanks"),
        ("monday 08:00-20:00", 'Did you mean "mon"'),
        ("weekend 08:00-20:00", "Write sat sun"),
        ("workdays 08:00-20:00", "Write workday"),
        ("mon-fry 08:00-20:00", "unknown day"),
        ("mno 08:00-20:00", 'Did you mean "mon"'),
        ("08:00-20:00 CST", "Asia/Shanghai, America/Chicago or America/Havana"),
        ("08:00-20:00 IST", "Asia/Kolkata, Asia/Jerusalem or Europe/Dublin"),
        ("08:00-20:00 +08:00", "name the place"),
        ("08:00-20:00 UTC+8", "name the place"),
        ("08:00-20:00 asia/tokyo", "Did you mean Asia/Tokyo"),
        ("08:00-20:00 Tokyo", "Did you mean Asia/Tokyo"),
        ("08:00-20:00 Europe/Berlin x", "is not a zone"),
        ("fri 20:00-mon", "not a window"),
        ("sat fri 20:00-mon 08:00", "not a window"),
    ],
)
def test_what_is_refused_and_why(text: str, expected: str) -> None:
    assert expected in refusal(text)


def test_dates() -> None:
    eve = date(2026, 12, 24)
    assert parse_dates("2026-12-24") == DateRange(first=eve, last=eve)
    assert parse_dates("2026-12-24..2027-01-04") == DateRange(first=eve, last=date(2027, 1, 4))
    assert parse_dates("closing_days") == "closing_days"


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-01",
        "2026-02-30",
        "24.12.2026",
        "2026-12-24..2026-12-01",
        "..",
        "2026-1-1",
        "0001-01-01",
    ],
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(ScalarError):
        parse_dates(text)


def test_a_set_has_no_names_of_sets() -> None:
    with pytest.raises(ScalarError, match="not a date"):
        parse_date_range("closing")


def test_moments() -> None:
    day = date(2026, 12, 24)
    assert parse_moment("2026-12-24") == Moment(day, None, "")
    assert parse_moment("2026-12-24 18:30 Asia/Tokyo") == Moment(day, 18 * 60 + 30, "Asia/Tokyo")
    for text in ("", "2026-12-24 25:00", "2026-12-24 18:00 CST", "2026-12-24 18:00 UTC x"):
        with pytest.raises(ScalarError):
            parse_moment(text)
