"""Windows and dates as they are written: `mon-fri 08:00-20:00 Europe/Berlin`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError
from multicloud.models.condition import DailyWindow, DateRange, DayKind, WeekWindow, Window
from multicloud.policy.near import did_you_mean
from multicloud.policy.scalars import ScalarError, parse_date
from multicloud.policy.window import MINUTES_A_DAY
from multicloud.policy.zones import check_zone

if TYPE_CHECKING:
    from datetime import date

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WORDS = (*DAYS, *(kind.value for kind in DayKind))
_FORM = "Expected [DAYS] HH:MM-HH:MM [ZONE] or DAY HH:MM-DAY HH:MM [ZONE]."
_TIME = re.compile(r"(\d\d):(\d\d)", re.ASCII)
_CRON = re.compile(r"[\d*][\d*/,-]*( [\d*A-Za-z?][\w*/,?#-]*){4,5}", re.ASCII)
_HABITS = {
    "weekend": "sat sun",
    "weekends": "sat sun",
    "weekday": "mon-fri",
    "weekdays": "mon-fri",
    "workdays": "workday",
    "holidays": "holiday",
    "daily": "no days at all: that is every day",
    "everyday": "no days at all: that is every day",
}


def parse_window(text: str) -> Window:
    """One window; `zone` is "" where the text names none.

    Raises: ScalarError with the reason for cron, seconds, windows without an end, `start = end`,
    unknown days and unknown zones.
    """
    words = re.sub(r"\s*-\s*", "-", text.strip()).split()
    shown = " ".join(words)
    at = next((i for i, word in enumerate(words) if ":" in word or word[0] in "-0123456789"), None)
    if at is None or _CRON.fullmatch(shown):
        raise ScalarError(f'"{shown}" is not a window.', expected=_FORM, hint=_why_not(shown))
    left, dash, right = (
        words[at].rpartition("-") if words[at][0] == "-" else words[at].partition("-")
    )
    if not dash or not right:
        raise ScalarError(f'"{shown}" has no end.', expected=_FORM, hint=_why_not(shown))
    days, rest = words[:at], words[at + 1 :]
    if right[0].isalpha():
        return _week_window(shown, days, left, right, rest)
    start, end = _minute(left, shown), _minute(right, shown, is_end=True)
    if start == end:
        raise ScalarError(
            f'"{shown}" starts and ends at {left}: is that nothing, or 24 hours?',
            expected="A whole day is 00:00-24:00.",
            hint=_whole_day(days, left),
        )
    weekdays, kinds = _days(days, shown)
    zone = _zone(rest, shown)
    return DailyWindow(start=start, end=end, zone=zone, weekdays=weekdays, kinds=kinds, text=shown)


def _week_window(
    shown: str, days: list[str], left: str, end_day: str, rest: list[str]
) -> WeekWindow:
    if len(days) != 1 or not rest:
        raise ScalarError(f'"{shown}" is not a window.', expected=_FORM)
    first, last = _day(days[0], shown), _day(end_day, shown)
    start, end = _minute(left, shown), _minute(rest[0], shown, is_end=True)
    if (first * MINUTES_A_DAY + start) == (last * MINUTES_A_DAY + end):
        raise ScalarError(
            f'"{shown}" starts and ends at the same time: is that nothing, or a week?',
            expected="A whole week is mon 00:00-sun 24:00.",
        )
    zone = _zone(rest[1:], shown)
    return WeekWindow(start_day=first, start=start, end_day=last, end=end, zone=zone, text=shown)


def _whole_day(days: list[str], time: str) -> str:
    prefix = " ".join([*days, ""])
    return f'For 24 hours from {time} write it as "{prefix}{time}-24:00" and "00:00-{time}".'


def _why_not(text: str) -> str:
    if _CRON.fullmatch(text):
        return "Cron names moments; a window has a start and an end."
    if "–" in text or "—" in text or " to " in text or ".." in text:
        return "Join start and end by a plain hyphen."
    if _TIME.search(text):
        return "A window has a start and an end: 08:00-20:00."
    return ""


def _minute(text: str, shown: str, *, is_end: bool = False) -> int:
    match = _TIME.fullmatch(text)
    hour, minute = (int(match[1]), int(match[2])) if match else (99, 99)
    if hour <= 23 and minute <= 59:
        return hour * 60 + minute
    if text == "24:00" and is_end:
        return MINUTES_A_DAY
    hint = ""
    if text.count(":") == 2:
        hint = "Windows have no seconds."
    elif text == "24:00":
        hint = "24:00 can only be an end; a window that starts then starts at 00:00."
    elif re.fullmatch(r"\d(:\d\d)?", text, re.ASCII):
        hint = f'Write "{text.partition(":")[0]:0>2}:{text.partition(":")[2] or "00"}".'
    raise ScalarError(
        f'"{text}" in "{shown}" is not a time of day.',
        expected="Expected HH:MM from 00:00 to 23:59, or 24:00 as an end.",
        hint=hint,
    )


def _days(words: list[str], shown: str) -> tuple[frozenset[int], frozenset[DayKind]]:
    weekdays: set[int] = set()
    kinds: set[DayKind] = set()
    for word in words:
        first, dash, last = word.lower().partition("-")
        if dash:
            begin, end = _day(first, shown), _day(last, shown)
            weekdays.update((begin + step) % 7 for step in range((end - begin) % 7 + 1))
        elif first in (DayKind.WORKDAY, DayKind.HOLIDAY):
            kinds.add(DayKind(first))
        else:
            weekdays.add(_day(first, shown))
    return frozenset(weekdays), frozenset(kinds)


def _day(word: str, shown: str) -> int:
    if word.lower() in DAYS:
        return DAYS.index(word.lower())
    if "," in word:
        hint = "Separate days by blanks."
    elif word.lower() in _HABITS:
        hint = f"Write {_HABITS[word.lower()]}."
    elif word[:3].lower() in DAYS:
        hint = f'Did you mean "{word[:3].lower()}"?'
    else:
        hint = did_you_mean(word, _WORDS)
    raise ScalarError(
        f'unknown day "{word}" in "{shown}".',
        expected="Expected mon to sun, workday or holiday.",
        hint=hint,
    )


def _zone(words: list[str], shown: str) -> str:
    if not words:
        return ""
    if len(words) > 1:
        raise ScalarError(
            f'"{" ".join(words)}" behind "{shown.split(words[0], 1)[0].strip()}" is not a zone.',
            expected=_FORM,
        )
    return parse_zone(words[0])


def parse_zone(text: str) -> str:
    """A key of the IANA database, in its own case."""
    try:
        check_zone(text)
    except InvalidInputError as error:
        raise ScalarError(error.summary, expected=error.detail, hint=error.hint) from error
    return text


def parse_dates(text: str) -> DateRange | str:
    """`2026-12-24`, `2026-12-19..2027-01-04`, or the name of a set in `dates:`."""
    if re.match(r"\d", text, re.ASCII) or ".." in text:
        return parse_date_range(text)
    return parse_set_name(text)


def parse_date_range(text: str) -> DateRange:
    """`2026-12-24` or `2026-12-19..2027-01-04`, both ends included."""
    first, dots, last = (part.strip() for part in text.partition(".."))
    begin = parse_date(first)
    end = parse_date(last) if dots else begin
    if end < begin:
        raise ScalarError(f'"{text}" ends before it begins.', expected="Expected FIRST..LAST.")
    return DateRange(first=begin, last=end)


@dataclass(frozen=True, slots=True)
class Moment:
    """A local date and time; `minute` None is the whole day, `zone` "" the policy's zone."""

    day: date
    minute: int | None
    zone: str


def parse_moment(text: str) -> Moment:
    """`2026-12-24`, `2026-12-24 18:00` or `2026-12-24 18:00 Europe/Berlin`."""
    words = text.split()
    if not 1 <= len(words) <= 3:
        raise ScalarError(f'"{text}" is not a time.', expected="Expected YYYY-MM-DD HH:MM [ZONE].")
    day = parse_date(words[0])
    minute = _minute(words[1], text) if len(words) > 1 else None
    return Moment(day, minute, parse_zone(words[2]) if len(words) > 2 else "")


def parse_set_name(text: str) -> str:
    """The name of a set of dates."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,62}", text, re.ASCII):
        raise ScalarError(
            f'"{text}" is neither a date nor a name.',
            expected="Expected 2026-12-24, 2026-12-19..2027-01-04 or a name from dates:.",
        )
    return text
