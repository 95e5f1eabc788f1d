"""Instants as they are given on the command line: `--at 2026-12-01T10:12`."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from multicloud.errors import InvalidInputError
from multicloud.policy.zones import load_zone

_FORM = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[Tt ](?P<time>\d\d:\d\d(?::\d\d)?)(?:\.\d+)?"
    r"(?P<offset>[Zz]|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_EXPECTED = "Expected such as 2026-12-01T10:12 or 2026-12-01T10:12:00+08:00."
# Zone rules and calendars say little beyond, and date arithmetic must not run off its ends.
_FIRST_YEAR, _LAST_YEAR = 1971, 2998


def parse_at(text: str, zone: str | None) -> datetime:
    """The instant in UTC; fractions of a second are dropped.

    A time without an offset is the wall clock of `zone`; None or "" is no zone, or several.
    Raises: InvalidInputError for what is no time, lacks an offset, or is a wall clock time that
    comes twice or never.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InvalidInputError(f'"{text}" is not a time.', detail=_EXPECTED)
    try:
        wall = datetime.fromisoformat(f"{match['date']}T{match['time']}")
        offset = (match["offset"] or "").upper()
        instant = datetime.fromisoformat(f"{wall.isoformat()}{offset}") if offset else None
    except ValueError as error:
        raise InvalidInputError(
            f'"{text}" is no time of the calendar.', detail=_EXPECTED
        ) from error
    if not _FIRST_YEAR <= wall.year <= _LAST_YEAR:
        raise InvalidInputError(
            f'"{text}" is too far away.', detail=f"Expected {_FIRST_YEAR} to {_LAST_YEAR}."
        )
    if instant is not None:
        return instant.astimezone(UTC)
    if not zone:
        raise InvalidInputError(
            f'"{text}" has no offset, and the policies name no zone in common.',
            detail="Expected an offset.",
            hint=f"Write {wall.isoformat()}+08:00, or whichever it is.",
        )
    return _in_zone(wall, zone, text)


def parse_bound(text: str, zone: str) -> datetime:
    """As `parse_at`; a date alone is its first instant in `zone`, without one in UTC."""
    try:
        day = date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        return parse_at(text, zone)
    # Where clocks go forward at midnight the day begins later, and this lands there.
    first = datetime.combine(day, time(), load_zone(zone) if zone else UTC)
    return first.astimezone(UTC)


def _in_zone(wall: datetime, zone: str, text: str) -> datetime:
    info = load_zone(zone)
    first, second = (wall.replace(tzinfo=info, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    comes_twice = first.astimezone(UTC).astimezone(info).replace(tzinfo=None) == wall
    if comes_twice:
        choices = f"{_with_offset(first)} or {_with_offset(second)}"
        raise InvalidInputError(
            f'"{text}" comes twice in {zone}: the clocks go back.', hint=f"Write {choices}."
        )
    # Read with the offset before the gap a missing time lands behind it, and the other way round.
    around = sorted(side.astimezone(UTC).astimezone(info) for side in (first, second))
    raise InvalidInputError(
        f'"{text}" does not exist in {zone}: the clocks go forward.',
        hint=f"Write {' or '.join(_with_offset(side) for side in around)}.",
    )


def _with_offset(instant: datetime) -> str:
    offset = instant.utcoffset() or timedelta(0)
    sign = "-" if offset < timedelta(0) else "+"
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{instant.replace(tzinfo=None).isoformat()}{sign}{minutes // 60:02}:{minutes % 60:02}"
