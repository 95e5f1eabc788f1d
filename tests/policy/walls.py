"""An independent reading of windows: lay every stretch out as wall clock times, then look.

Slow and plain on purpose; the code under test calculates within weeks and days instead.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, available_timezones

from multicloud.models.condition import DailyWindow, WeekWindow, Window

if TYPE_CHECKING:
    from collections.abc import Iterator

MINUTE = timedelta(minutes=1)
Changes = tuple[tuple[datetime, timedelta], ...]
NOT_ZONES = frozenset({"Factory", "localtime", "posixrules"})


def daily(
    start: int, end: int, zone: str = "UTC", weekdays: frozenset[int] = frozenset()
) -> DailyWindow:
    """A daily window by minutes of the day."""
    return DailyWindow(
        start=start, end=end, zone=zone, weekdays=weekdays, kinds=frozenset(), text="test"
    )


def weekly(start_day: int, start: int, end_day: int, end: int, zone: str = "UTC") -> WeekWindow:
    """A week window."""
    return WeekWindow(
        start_day=start_day, start=start, end_day=end_day, end=end, zone=zone, text="test"
    )


def stretches(window: Window, first: date, last: date) -> list[tuple[datetime, datetime]]:
    """Wall clock stretches of the window that start on the local dates first..last."""
    found = []
    day = first
    while day <= last:
        midnight = datetime.combine(day, time())
        if isinstance(window, DailyWindow):
            if not window.weekdays or day.weekday() in window.weekdays:
                start = midnight + window.start * MINUTE
                end = midnight + window.end * MINUTE
                found.append((start, end if end > start else end + timedelta(days=1)))
        elif day.weekday() == window.start_day:
            start = midnight + window.start * MINUTE
            end = midnight + window.end * MINUTE
            while (end - window.end * MINUTE).weekday() != window.end_day or end <= start:
                end += timedelta(days=1)
            found.append((start, end))
        day += timedelta(days=1)
    return found


def is_inside(window: Window, instant: datetime) -> bool:
    """Membership by laying out the week around the instant."""
    wall = instant.astimezone(ZoneInfo(window.zone)).replace(tzinfo=None)
    around = stretches(window, wall.date() - timedelta(days=8), wall.date())
    return any(start <= wall < end for start, end in around)


@cache
def covered(window: Window, first: date, last: date) -> frozenset[datetime]:
    """Every wall clock minute inside the window, whatever its zone: for many looks."""
    return frozenset(
        start + minute * MINUTE
        for start, end in stretches(window, first - timedelta(days=8), last)
        for minute in range((end - start) // MINUTE)
    )


def offset_changes(zone: str, first: datetime, last: datetime) -> Changes:
    """UTC hours at which the offset was seen changed, with the new offset, by looking at each."""
    info = ZoneInfo(zone)
    found = []
    before = first.astimezone(info).utcoffset()
    for day in each(first, last, timedelta(hours=12)):
        if day.astimezone(info).utcoffset() == before:
            continue
        for hour in each(day - timedelta(hours=12), day, timedelta(minutes=30)):
            offset = hour.astimezone(info).utcoffset()
            if offset != before and offset is not None:
                found.append((hour, offset))
                before = offset
    return tuple(found)


@cache
def zones_by_history(
    first: datetime, last: datetime
) -> dict[tuple[timedelta | None, Changes], list[str]]:
    """All zones, put together where their offsets are the same at all times in between."""
    found: dict[tuple[timedelta | None, Changes], list[str]] = {}
    for zone in sorted(available_timezones() - NOT_ZONES):
        start = first.astimezone(ZoneInfo(zone)).utcoffset()
        found.setdefault((start, offset_changes(zone, first, last)), []).append(zone)
    return found


def each(first: datetime, last: datetime, step: timedelta) -> Iterator[datetime]:
    """Instants from first to last, both included."""
    instant = first
    while instant <= last:
        yield instant
        instant += step


def utc(text: str) -> datetime:
    """An instant from RFC 3339."""
    return datetime.fromisoformat(text).astimezone(UTC)
