"""Membership of windows in the wall clock of their zone, and when it changes.

Windows are half-open and judged by local time alone: an instant is turned into local time and
compared. Hence a window inside the repeated hour of autumn lasts twice as long, and one inside
the hour that spring skips has no minutes.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from multicloud.models.condition import (
    AllOf,
    Always,
    AnyOf,
    AvailabilityCondition,
    Condition,
    DailyWindow,
    DateRange,
    DayKind,
    MarketCondition,
    Not,
    PriceCondition,
    TimeCondition,
    WeekWindow,
    Window,
)
from multicloud.policy.zones import load_zone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from zoneinfo import ZoneInfo

    from multicloud.policy.calendar import Calendar

MINUTES_A_DAY = 24 * 60
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
# Edges are sought in stretches that double: most windows have one in the first.
_FIRST_STRETCH = timedelta(days=1)
_LONGEST_STRETCH = timedelta(days=16)
# No zone is further from UTC; a wall clock bound outside of the stretch and this is none of it.
_FARTHEST_OFFSET = timedelta(hours=25)
# A week window has begun at most a week before one of its instants, a daily one a day; one more
# day covers zones that skip a date.
_LOOK_BACK_DAYS = 8


def contains(window: Window, instant: datetime, calendar: Calendar) -> bool:
    """Whether `instant` (aware) lies inside the window."""
    return start_date(window, instant, calendar) is not None


def start_date(window: Window, instant: datetime, calendar: Calendar) -> date | None:
    """The local date on which the stretch of the window around `instant` began, or None."""
    local = instant.astimezone(load_zone(window.zone))
    match window:
        case DailyWindow():
            return _daily_start(window, local, calendar)
        case WeekWindow():
            return _week_start(window, local)
        case _:
            assert_never(window)


def _daily_start(window: DailyWindow, local: datetime, calendar: Calendar) -> date | None:
    # Whole minutes are enough: bounds are whole minutes, and 07:59:59 is before 08:00.
    minute = local.hour * 60 + local.minute
    today = local.date()
    if window.start < window.end:
        inside = window.start <= minute < window.end
        return today if inside and _starts_on(window, today, calendar) else None
    if minute >= window.start and _starts_on(window, today, calendar):
        return today
    yesterday = today - _DAY
    if minute < window.end and _starts_on(window, yesterday, calendar):
        return yesterday
    return None


def _starts_on(window: DailyWindow, day: date, calendar: Calendar) -> bool:
    if not window.weekdays and not window.kinds:
        return True
    if day.weekday() in window.weekdays:
        return True
    if DayKind.WORKDAY in window.kinds and calendar.is_workday(day):
        return True
    return DayKind.HOLIDAY in window.kinds and calendar.is_holiday(day)


def _week_start(window: WeekWindow, local: datetime) -> date | None:
    since_start = (
        (local.weekday() - window.start_day) * MINUTES_A_DAY
        + local.hour * 60
        + local.minute
        - window.start
    ) % (7 * MINUTES_A_DAY)
    if since_start >= _week_length(window):
        return None
    days_back = (window.start + since_start) // MINUTES_A_DAY
    return local.date() - timedelta(days=days_back)


def _week_length(window: WeekWindow) -> int:
    begin = window.start_day * MINUTES_A_DAY + window.start
    end = window.end_day * MINUTES_A_DAY + window.end
    # mon 00:00-sun 24:00 is the whole week, not nothing.
    return (end - begin) % (7 * MINUTES_A_DAY) or 7 * MINUTES_A_DAY


def holds(cond: TimeCondition, instant: datetime, calendar: Calendar) -> bool:
    """Whether any window with an allowed start date contains `instant`."""
    if not cond.windows:
        return _allowed(cond, instant.astimezone(load_zone(cond.zone)).date())
    for window in cond.windows:
        begun = start_date(window, instant, calendar)
        if begun is not None and _allowed(cond, begun):
            return True
    return False


def _allowed(cond: TimeCondition, day: date) -> bool:
    if cond.dates is not None and not _in_any(cond.dates, day):
        return False
    return not _in_any(cond.skip, day)


def _in_any(ranges: Iterable[DateRange], day: date) -> bool:
    return any(r.first <= day <= r.last for r in ranges)


def next_edge(
    cond: Condition, after: datetime, *, calendar: Calendar, until: datetime
) -> datetime | None:
    """The first instant in (after, until] at which a time part of `cond` changes its truth.

    Every time part counts, whatever the others say: the whole condition need not change. The
    answer is in UTC; None means that nothing changes up to `until`.
    """
    found: datetime | None = None
    for part in time_parts(cond):
        edge = _edge_of(part, after.astimezone(UTC), calendar, found or until.astimezone(UTC))
        found = edge or found
    return found


def edges(
    cond: Condition, after: datetime, *, calendar: Calendar, until: datetime
) -> tuple[datetime, ...]:
    """Every instant in (after, until] at which a time part of `cond` changes its truth, in UTC.

    The same instants as by repeated `next_edge`, at a fraction of the cost.
    """
    begin, end = after.astimezone(UTC), until.astimezone(UTC)
    found: set[datetime] = set()
    for part in time_parts(cond):
        truth = holds(part, begin, calendar)
        for instant in sorted(_bounds(part, begin, end, calendar)):
            if holds(part, instant, calendar) != truth:
                truth = not truth
                found.add(instant)
    return tuple(sorted(found))


def time_parts(cond: Condition) -> Iterator[TimeCondition]:
    """All time conditions inside `cond`, in the order in which they are written."""
    match cond:
        case TimeCondition():
            yield cond
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from time_parts(part)
        case Not(part=part):
            yield from time_parts(part)
        case Always() | PriceCondition() | AvailabilityCondition():
            return
        case _:
            assert_never(cond)


def market_parts(cond: Condition) -> Iterator[MarketCondition]:
    """All price and availability conditions inside `cond`, in the order in which they stand."""
    match cond:
        case PriceCondition() | AvailabilityCondition():
            yield cond
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from market_parts(part)
        case Not(part=part):
            yield from market_parts(part)
        case Always() | TimeCondition():
            return
        case _:
            assert_never(cond)


def _edge_of(
    cond: TimeCondition, after: datetime, calendar: Calendar, until: datetime
) -> datetime | None:
    before = holds(cond, after, calendar)
    begin, stretch = after, _FIRST_STRETCH
    while begin < until:
        end = min(begin + stretch, until)
        for instant in sorted(_bounds(cond, begin, end, calendar)):
            if holds(cond, instant, calendar) != before:
                return instant
        begin, stretch = end, min(2 * stretch, _LONGEST_STRETCH)
    return None


def _bounds(
    cond: TimeCondition, begin: datetime, end: datetime, calendar: Calendar
) -> set[datetime]:
    """Instants in (begin, end] that may be edges: starts, ends, and changes of the clocks.

    Between two of them local time runs on without crossing a bound, so nothing can change.
    """
    found: set[datetime] = set()
    low = begin.replace(tzinfo=None) - _FARTHEST_OFFSET
    high = end.replace(tzinfo=None) + _FARTHEST_OFFSET
    for name, walls in _walls_by_zone(cond, begin, end, calendar):
        zone = load_zone(name)
        years = range((begin - 2 * _DAY).year, (end + 2 * _DAY).year + 1)
        changes = [change for year in years for change in clock_changes(name, year)]
        found.update(changes)
        # Only near a change does a wall clock time come twice.
        near = any(begin - 2 * _DAY < change < end + 2 * _DAY for change in changes)
        for wall in walls:
            if low <= wall <= high:
                for fold in (0, 1) if near else (0,):
                    found.add(wall.replace(tzinfo=zone, fold=fold).astimezone(UTC))
    return {instant for instant in found if begin < instant <= end}


def _walls_by_zone(
    cond: TimeCondition, begin: datetime, end: datetime, calendar: Calendar
) -> Iterator[tuple[str, Iterable[datetime]]]:
    for window in cond.windows:
        yield window.zone, _walls(cond, window, begin, end, calendar)
    if not cond.windows:
        days = (
            day
            for dates in (*(cond.dates or ()), *cond.skip)
            for day in (dates.first, min(dates.last, date.max - _DAY) + _DAY)
        )
        yield cond.zone, [datetime.combine(day, time()) for day in days]


def _walls(
    cond: TimeCondition, window: Window, begin: datetime, end: datetime, calendar: Calendar
) -> Iterator[datetime]:
    """Local starts and ends of the stretches of a window that may touch (begin, end]."""
    day = begin.date() - (_LOOK_BACK_DAYS if isinstance(window, WeekWindow) else 2) * _DAY
    last = end.date() + _DAY
    while day <= last:
        match window:
            case DailyWindow():
                starts = _starts_on(window, day, calendar)
                length = (window.end - window.start) % MINUTES_A_DAY or MINUTES_A_DAY
            case WeekWindow():
                starts = day.weekday() == window.start_day
                length = _week_length(window)
            case _:
                assert_never(window)
        if starts and _allowed(cond, day):
            start = datetime.combine(day, time()) + timedelta(minutes=window.start)
            yield start
            yield start + timedelta(minutes=length)
        day += _DAY


@lru_cache(maxsize=512)
def clock_changes(zone: str, year: int) -> tuple[datetime, ...]:
    """Instants (UTC) in the UTC year at which the zone's offset changes, oldest first."""
    info = load_zone(zone)
    day = datetime(year, 1, 1, tzinfo=UTC)
    last = datetime(year, 12, 31, tzinfo=UTC)
    found = []
    while day <= last:
        if _offset(info, day) != _offset(info, day + _DAY):
            found.append(_change_between(info, day, day + _DAY))
        day += _DAY
    return tuple(found)


def _change_between(zone: ZoneInfo, low: datetime, high: datetime) -> datetime:
    old = _offset(zone, low)
    while high - low > _SECOND:
        middle = low + ((high - low) // 2 // _SECOND) * _SECOND
        if _offset(zone, middle) == old:
            low = middle
        else:
            high = middle
    return high


def _offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    offset = instant.astimezone(zone).utcoffset()
    if offset is None:  # pragma: no cover - ZoneInfo always has one for an aware instant
        raise AssertionError(zone)
    return offset
