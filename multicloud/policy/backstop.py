"""When a cloud's own schedule may safely empty a pool, should nobody run the program.

The times go into the cloud's text and stay there, so they must be right in every week of every
year: dates, holidays and prices count as if they could be either way.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, assert_never

from multicloud.models.condition import (
    AllOf,
    Always,
    AnyOf,
    AvailabilityCondition,
    Condition,
    DailyWindow,
    Not,
    PriceCondition,
    TimeCondition,
)
from multicloud.models.pool import Fixed, WeeklyTime
from multicloud.policy.calendar import calendar_for
from multicloud.policy.window import contains, edges, time_parts
from multicloud.policy.zones import load_zone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.condition import Window
    from multicloud.models.pool import Outcome, Rule

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEK = timedelta(days=7)
_MINUTE = timedelta(minutes=1)
# Any year would do that has summer time where a zone has it.
_FIRST_MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
_WEEKS = 52
_NO_CALENDAR = calendar_for(None)
# A schedule may be carried out late; nodes that came meanwhile must not be the ones to go.
_LATE = (timedelta(0), timedelta(minutes=5), timedelta(minutes=10))


class Chance(NamedTuple):
    """Whether a condition can hold at an instant, and whether it can fail to."""

    yes: bool
    no: bool


def weekly_times(
    rules: tuple[Rule, ...], otherwise: Outcome | None, after: timedelta
) -> tuple[WeeklyTime, ...]:
    """The times of the week, in UTC, that lie `after` the end of what may keep a pool on.

    A time at which the pool may be on in any week, by any date or price, is left out: it would
    end nodes that work. Where summer time moves an end there is a time for either offset. Empty
    when no time is safe, as for a pool that is always on.
    """
    pool = (rules, otherwise)
    if any(not zone for zone in _zones(rules)):
        return ()  # a fault of the policy, told elsewhere
    weeks = tuple(_weeks(rules))
    ends = {(end + after - week) % _WEEK // _MINUTE for week in weeks for end in _ends(pool, week)}
    safe = [
        minute
        for minute in ends
        if not any(
            _may_be_on(pool, week + minute * _MINUTE + late) for week in weeks for late in _LATE
        )
    ]
    days_at: dict[str, list[int]] = {}
    for minute in sorted(safe):
        day, minute_of_day = divmod(minute, 24 * 60)
        days_at.setdefault(f"{minute_of_day // 60:02}:{minute_of_day % 60:02}", []).append(day)
    return tuple(
        WeeklyTime(days=tuple(DAYS[day] for day in days), time=time)
        for time, days in sorted(days_at.items())
    )


def _weeks(rules: tuple[Rule, ...]) -> Iterator[datetime]:
    """One Monday for each way in which the rules' zones stand to UTC for a whole week."""
    zones = sorted(_zones(rules))
    seen = set()
    for number in range(_WEEKS):
        monday = _FIRST_MONDAY + number * _WEEK
        first, last = (
            tuple(at.astimezone(load_zone(zone)).utcoffset() for zone in zones)
            for at in (monday - timedelta(days=1), monday + _WEEK)
        )
        if first == last and first not in seen:
            seen.add(first)
            yield monday


def _zones(rules: tuple[Rule, ...]) -> set[str]:
    return {w.zone for rule in rules for part in time_parts(rule.when) for w in part.windows}


def _ends(pool: tuple[tuple[Rule, ...], Outcome | None], week: datetime) -> Iterator[datetime]:
    """Instants of a week at which the pool, until then perhaps on, is off by the clock."""
    rules, _ = pool
    loose = AnyOf(parts=tuple(part for rule in rules for part in _on_every_date(rule.when)))
    first, last = week - _MINUTE, week + _WEEK - _MINUTE
    for edge in edges(loose, first, calendar=_NO_CALENDAR, until=last):
        if _may_be_on(pool, edge - _MINUTE) and not _may_be_on(pool, edge):
            yield edge


def _may_be_on(pool: tuple[tuple[Rule, ...], Outcome | None], at: datetime) -> bool:
    rules, otherwise = pool
    for rule in rules:
        chance = _chance(rule.when, at)
        if chance.yes and rule.outcome is not Fixed.OFF:
            return True
        if not chance.no:
            return False
    return otherwise not in (None, Fixed.OFF)


def _chance(when: Condition, at: datetime) -> Chance:
    match when:
        case Always():
            return Chance(yes=True, no=False)
        case PriceCondition() | AvailabilityCondition():
            return Chance(yes=True, no=True)
        case TimeCondition():
            return _time_chance(when, at)
        case Not():
            inner = _chance(when.part, at)
            return Chance(yes=inner.no, no=inner.yes)
        case AllOf():
            parts = [_chance(part, at) for part in when.parts]
            return Chance(yes=all(p.yes for p in parts), no=any(p.no for p in parts))
        case AnyOf():
            parts = [_chance(part, at) for part in when.parts]
            return Chance(yes=any(p.yes for p in parts), no=all(p.no for p in parts))
        case _:
            assert_never(when)


def _time_chance(when: TimeCondition, at: datetime) -> Chance:
    """Named dates and kinds of days could be any; without windows so are whole days."""
    if not when.windows:
        return Chance(yes=True, no=True)
    on = [window for window in when.windows if contains(_any_kind(window), at, _NO_CALENDAR)]
    filtered = when.dates is not None or bool(when.skip)
    certain = [window for window in on if not (isinstance(window, DailyWindow) and window.kinds)]
    return Chance(yes=bool(on), no=filtered or not certain)


def _any_kind(window: Window) -> Window:
    if isinstance(window, DailyWindow) and window.kinds:
        return replace(window, weekdays=frozenset(), kinds=frozenset())
    return window


def _on_every_date(when: Condition) -> Iterator[TimeCondition]:
    """The time parts of a condition on every date, for finding where windows begin and end."""
    for part in time_parts(when):
        if part.windows:
            windows = tuple(map(_any_kind, part.windows))
            yield replace(part, windows=windows, dates=None, skip=())
