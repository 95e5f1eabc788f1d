from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multicloud.models.condition import (
    AllOf,
    AnyOf,
    DailyWindow,
    DateRange,
    Not,
    TimeCondition,
    Window,
)
from multicloud.policy.calendar import calendar_for
from multicloud.policy.window import contains, edges, holds, next_edge, start_date
from multicloud.policy.window_text import parse_window
from tests.policy.walls import (
    MINUTE,
    covered,
    daily,
    each,
    is_inside,
    utc,
    weekly,
    zones_by_history,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PLAIN = calendar_for(None)
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
LAST = datetime(2028, 1, 1, tzinfo=UTC)


def inside(window: str, instant: str) -> bool:
    return contains(parse_window(window), utc(instant), PLAIN)


def when(*windows: Window, **filters: tuple[DateRange, ...]) -> TimeCondition:
    return TimeCondition(
        windows=windows,
        dates=filters.get("dates"),
        skip=filters.get("skip", ()),
        zone=windows[0].zone if windows else "Europe/Berlin",
        text="test",
    )


def flips(cond: TimeCondition, first: datetime, last: datetime) -> list[datetime]:
    """Edges by looking at every minute."""
    before = holds(cond, first, PLAIN)
    found = []
    for instant in each(first + MINUTE, last, MINUTE):
        if holds(cond, instant, PLAIN) != before:
            before = not before
            found.append(instant)
    return found


@pytest.mark.parametrize(
    ("instant", "expected"),
    [("2026-11-01T18:00:00Z", True), ("2026-11-06T20:00:00Z", False)],
)
def test_b01_weekday_and_hour_are_both_local(instant: str, expected: bool) -> None:
    assert inside("mon-fri 06:30-19:30 Pacific/Auckland", instant) is expected


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        ("2026-01-12T23:59:30", True),
        ("2026-01-13T00:00:00", True),
        ("2026-01-13T01:59:59", True),
        ("2026-01-13T02:00:00", False),
        ("2026-01-17T01:00:00", True),
        ("2026-01-12T01:00:00", False),
    ],
)
def test_b03_a_window_over_midnight_belongs_to_its_start(local: str, expected: bool) -> None:
    assert inside("mon-fri 08:00-02:00 Europe/Madrid", f"{local}+01:00") is expected


def test_b03_no_flap_at_midnight() -> None:
    window = parse_window("mon-fri 08:00-02:00 Europe/Madrid")
    ticks = each(utc("2026-01-12T22:59:00Z"), utc("2026-01-12T23:01:00Z"), timedelta(seconds=1))
    assert {contains(window, tick, PLAIN) for tick in ticks} == {True}


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        ("2026-11-01T08:00:00Z", True),
        ("2026-11-05T20:29:00Z", True),
        ("2026-11-06T08:00:00Z", False),
    ],
)
def test_b06_a_range_of_days_may_wrap(instant: str, expected: bool) -> None:
    assert inside("sun-thu 06:00-22:30 Asia/Jerusalem", instant) is expected


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        ("2026-06-09T00:01:00", True),
        ("2026-06-10T03:00:00", True),
        ("2026-06-12T17:59:59", True),
        ("2026-06-12T18:00:00", False),
        ("2026-06-14T12:00:00", False),
        ("2026-06-15T07:59:59", False),
        ("2026-06-15T08:00:00", True),
    ],
)
def test_b07_a_week_window_is_one_stretch(local: str, expected: bool) -> None:
    assert inside("mon 08:00-fri 18:00 America/New_York", f"{local}-04:00") is expected


def test_b07_has_two_edges_a_week() -> None:
    cond = when(parse_window("mon 08:00-fri 18:00 America/New_York"))
    found = edges(cond, utc("2026-06-07T00:00Z"), calendar=PLAIN, until=utc("2026-06-21T00:00Z"))
    assert found == (
        utc("2026-06-08T12:00Z"),
        utc("2026-06-12T22:00Z"),
        utc("2026-06-15T12:00Z"),
        utc("2026-06-19T22:00Z"),
    )


def test_b12_gmt_is_no_summer_time() -> None:
    assert not inside("09:00-17:00 GMT", "2026-07-01T08:30:00Z")
    assert inside("09:00-17:00 Europe/London", "2026-07-01T08:30:00Z")


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [("2026-10-24T18:00Z", "2026-10-25T05:00Z", 11), ("2026-03-28T19:00Z", "2026-03-29T04:00Z", 9)],
)
def test_b18_a_night_over_a_change_of_clocks(start: str, end: str, hours: int) -> None:
    cond = when(parse_window("20:00-06:00 Europe/Paris"))
    found = edges(
        cond, utc(start) - timedelta(hours=1), calendar=PLAIN, until=utc(end) + timedelta(hours=1)
    )
    assert found == (utc(start), utc(end))
    assert (utc(end) - utc(start)) == timedelta(hours=hours)


def test_b18_the_evening_after_the_change() -> None:
    assert inside("20:00-06:00 Europe/Paris", "2026-10-25T19:00:00Z")
    assert not inside("20:00-06:00 Europe/Paris", "2026-10-25T18:30:00Z")


def test_b20_the_repeated_hour_counts_twice() -> None:
    window = "01:00-02:00 America/New_York"
    assert inside(window, "2026-11-01T05:30:00Z")
    assert inside(window, "2026-11-01T06:30:00Z")
    assert not inside(window, "2026-11-01T04:59:59Z")
    assert not inside(window, "2026-11-01T07:00:00Z")
    found = edges(
        when(parse_window(window)),
        utc("2026-11-01T00:00Z"),
        calendar=PLAIN,
        until=utc("2026-11-01T12:00Z"),
    )
    assert found == (utc("2026-11-01T05:00Z"), utc("2026-11-01T07:00Z"))


def test_b22_the_next_start_is_not_skipped_over_a_short_day() -> None:
    cond = when(parse_window("sun 12:00-14:00 Europe/Berlin"))
    after = utc("2026-03-26T11:00Z")
    edge = next_edge(cond, after, calendar=PLAIN, until=after + timedelta(days=30))
    assert edge == utc("2026-03-29T10:00:00Z")


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        ("2026-01-15T02:29:00Z", False),
        ("2026-01-15T02:30:00Z", True),
        ("2026-01-15T09:00:00Z", True),
        ("2026-01-15T12:30:00Z", True),
        ("2026-01-15T18:00:00Z", False),
    ],
)
def test_b34_windows_in_two_zones(instant: str, expected: bool) -> None:
    cond = when(
        parse_window("mon-fri 08:00-18:00 Europe/London"),
        parse_window("mon-fri 08:00-18:00 Asia/Kolkata"),
    )
    assert holds(cond, utc(instant), PLAIN) is expected


def test_a_window_inside_the_skipped_hour_has_no_minutes() -> None:
    cond = when(parse_window("02:15-02:45 Europe/Berlin"))
    day = utc("2026-03-28T23:00Z")
    assert edges(cond, day, calendar=PLAIN, until=day + timedelta(hours=23)) == ()


def test_a_window_that_the_clocks_cut_begins_at_the_change() -> None:
    cond = when(parse_window("02:30-05:00 Europe/Berlin"))
    day = utc("2026-03-28T23:00Z")
    found = edges(cond, day, calendar=PLAIN, until=day + timedelta(hours=23))
    assert found == (utc("2026-03-29T01:00Z"), utc("2026-03-29T03:00Z"))


def test_a_window_that_the_repeated_hour_cuts_comes_twice() -> None:
    cond = when(parse_window("02:30-05:00 Europe/Berlin"))
    day = utc("2026-10-24T22:00Z")
    found = edges(cond, day, calendar=PLAIN, until=day + timedelta(hours=25))
    assert found == (
        utc("2026-10-25T00:30Z"),
        utc("2026-10-25T01:00Z"),
        utc("2026-10-25T01:30Z"),
        utc("2026-10-25T04:00Z"),
    )


def test_dates_and_skip_look_at_the_start_of_the_window() -> None:
    eve = (DateRange(first=date(2026, 12, 24), last=date(2026, 12, 24)),)
    night = daily(20 * 60, 8 * 60)
    only, but = when(night, dates=eve), when(night, skip=eve)
    for instant, expected in (
        ("2026-12-24T07:59Z", False),
        ("2026-12-24T20:00Z", True),
        ("2026-12-25T07:59Z", True),
        ("2026-12-25T20:00Z", False),
    ):
        assert holds(only, utc(instant), PLAIN) is expected
        assert holds(but, utc(instant), PLAIN) is not expected


def test_dates_without_windows_are_whole_local_days() -> None:
    cond = when(dates=(DateRange(first=date(2026, 10, 24), last=date(2026, 10, 25)),))
    found = edges(cond, utc("2026-10-01T00:00Z"), calendar=PLAIN, until=utc("2026-11-01T00:00Z"))
    assert found == (utc("2026-10-23T22:00Z"), utc("2026-10-25T23:00Z"))


def test_no_dates_at_all_never_hold() -> None:
    assert not holds(when(daily(0, 1440), dates=()), utc("2026-05-04T12:00Z"), PLAIN)


def test_the_start_date_of_a_long_week_window_lies_a_week_back() -> None:
    window = weekly(0, 8 * 60, 0, 6 * 60)
    assert start_date(window, utc("2026-06-15T05:00Z"), PLAIN) == date(2026, 6, 8)
    assert start_date(window, utc("2026-06-15T07:00Z"), PLAIN) is None
    assert start_date(window, utc("2026-06-15T08:00Z"), PLAIN) == date(2026, 6, 15)


def test_make_up_days_and_holidays_of_china() -> None:
    calendar = calendar_for("CN")
    window = parse_window("workday 08:00-20:00 Asia/Shanghai")
    rest = parse_window("holiday 08:00-20:00 Asia/Shanghai")
    sunday_at_work, holiday, sunday = "2026-01-04", "2026-10-01", "2026-01-11"
    for day, work, off in (
        (sunday_at_work, True, False),
        (holiday, False, True),
        (sunday, False, False),
    ):
        noon = utc(f"{day}T12:00:00+08:00")
        assert contains(window, noon, calendar) is work
        assert contains(rest, noon, calendar) is off


def test_every_time_part_has_edges() -> None:
    morning, noon = when(daily(360, 480)), when(daily(720, 780))
    cond = AnyOf(parts=(AllOf(parts=(morning,)), Not(part=noon)))
    day = utc("2026-05-04T00:00Z")
    found = edges(cond, day, calendar=PLAIN, until=day + timedelta(days=1))
    assert [edge.hour for edge in found] == [6, 8, 12, 13]
    assert next_edge(cond, day, calendar=PLAIN, until=day + timedelta(days=1)) == found[0]


def test_adjoining_windows_have_no_edge_between() -> None:
    cond = when(daily(480, 720), daily(720, 960))
    day = utc("2026-05-04T00:00Z")
    found = edges(cond, day, calendar=PLAIN, until=day + timedelta(hours=23))
    assert [edge.hour for edge in found] == [8, 16]


@st.composite
def windows(draw: st.DrawFn) -> Window:
    zone = draw(
        st.sampled_from(
            [
                "America/New_York",
                "Australia/Lord_Howe",
                "Europe/Berlin",
                "America/Havana",
                "Asia/Beirut",
                "Africa/Casablanca",
                "Pacific/Apia",
                "America/St_Johns",
                "Asia/Kathmandu",
                "UTC",
            ]
        )
    )
    start = draw(st.integers(0, 1439))
    end = draw(st.integers(0, 1440).filter(lambda end: end != start))
    if draw(st.booleans()):
        days = draw(st.frozensets(st.integers(0, 6)))
        return daily(start, end, zone, days)
    return weekly(draw(st.integers(0, 6)), start, draw(st.integers(0, 6)), end, zone)


START = datetime(2010, 1, 1, tzinfo=UTC)
instants = st.timedeltas(timedelta(0), timedelta(days=27 * 365)).map(lambda passed: START + passed)


@given(windows(), instants)
def test_membership_is_that_of_the_walls(window: Window, instant: datetime) -> None:
    assert contains(window, instant, PLAIN) is is_inside(window, instant)


@settings(max_examples=25)
@given(windows(), st.sampled_from(["2026-03-07", "2026-03-28", "2026-10-24", "2026-10-31"]))
def test_edges_are_those_of_a_minute_by_minute_look(window: Window, day: str) -> None:
    first = utc(f"{day}T00:00Z")
    last = first + timedelta(days=2)
    cond = when(window)
    expected = flips(cond, first, last)
    assert list(edges(cond, first, calendar=PLAIN, until=last)) == expected
    one = next_edge(cond, first, calendar=PLAIN, until=last)
    assert one == (expected[0] if expected else None)


@given(windows(), instants)
def test_walking_by_next_edge_finds_all_edges(window: Window, first: datetime) -> None:
    cond = when(window)
    last = first + timedelta(days=20)
    walked = []
    edge = next_edge(cond, first, calendar=PLAIN, until=last)
    while edge is not None:
        walked.append(edge)
        edge = next_edge(cond, edge, calendar=PLAIN, until=last)
    assert tuple(walked) == edges(cond, first, calendar=PLAIN, until=last)


SHAPES = (
    daily(90, 150),
    daily(22 * 60, 2 * 60, weekdays=frozenset({5, 6})),
    weekly(5, 150, 6, 120),
)


def looks(zone: str, instants: Iterable[datetime]) -> None:
    """Hold three windows against the walls at every instant, all of them near the first."""
    info = ZoneInfo(zone)
    tried = [replace(shape, zone=zone) for shape in SHAPES]
    month = None
    for instant in instants:
        wall = instant.astimezone(info).replace(tzinfo=None)
        if month != (wall.year, wall.month):
            month = (wall.year, wall.month)
            begin = wall.date().replace(day=1)
            walls = [covered(shape, begin, begin + timedelta(days=31)) for shape in SHAPES]
        for window, minutes in zip(tried, walls, strict=True):
            assert contains(window, instant, PLAIN) is (wall in minutes), (zone, window, instant)


def around(change: datetime, step: timedelta) -> Iterator[datetime]:
    return each(change - timedelta(days=2), change + timedelta(days=2), step)


def test_all_zones_two_days_around_each_change_of_clocks() -> None:
    histories = zones_by_history(FIRST, LAST)
    assert sum(len(zones) for zones in histories.values()) > 400
    changing = 0
    for (_, changes), zones in histories.items():
        for change, _ in changes:
            changing += 1
            for zone in zones:
                looks(zone, (change - MINUTE, change, change + MINUTE))
            looks(zones[0], around(change, 30 * MINUTE))
    assert changing > 50


@pytest.mark.slow
def test_one_zone_of_each_history_over_two_years() -> None:
    for zones in zones_by_history(FIRST, LAST).values():
        looks(zones[0], each(FIRST, LAST, 5 * MINUTE))


@pytest.mark.slow
def test_all_zones_two_days_around_each_change_by_the_minute() -> None:
    for (_, changes), zones in zones_by_history(FIRST, LAST).items():
        for change, _ in changes[:2]:
            for zone in zones:
                looks(zone, around(change, MINUTE))


def test_next_edge_is_none_when_nothing_changes() -> None:
    whole = when(weekly(0, 0, 6, 1440))
    day = utc("2026-05-04T00:00Z")
    assert holds(whole, day, PLAIN)
    assert next_edge(whole, day, calendar=PLAIN, until=day + timedelta(days=400)) is None


def test_windows_take_naive_minutes_only_from_the_zone() -> None:
    window = daily(8 * 60, 9 * 60, "Asia/Tokyo")
    assert isinstance(window, DailyWindow)
    assert contains(window, utc("2026-05-04T08:30:00+09:00"), PLAIN)
    assert not contains(window, utc("2026-05-04T08:30:00Z"), PLAIN)
