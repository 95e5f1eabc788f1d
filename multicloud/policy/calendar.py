"""Workdays and public holidays of a country, from the `holidays` library."""

from __future__ import annotations

import difflib
from functools import lru_cache
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError

if TYPE_CHECKING:
    from datetime import date

    from holidays.holiday_base import HolidayBase

_SATURDAY = 5

# Countries whose government moves workdays onto weekends by a decree for each year, so that a
# year without any such day in the library is a year whose decree the library does not know yet.
# CN: State Council notices (every year since 2007 has make-up days).
# HU: decrees of the ministry of the economy; RU: decrees on the transfer of days off.
# TW: the calendar of the Directorate-General of Personnel; VN: notices of the prime minister.
# These four skip a year now and then: for them the absence is a doubt, not a certainty.
DECREED_EACH_YEAR = frozenset({"CN", "HU", "RU", "TW", "VN"})


class Calendar:
    """Which local dates are workdays and which are public holidays.

    Public holidays are off, make-up weekend days are on, other weekend days are off and are no
    holidays. Without a country it is Monday to Friday. Dates are local dates of the window's
    zone; nothing here knows of instants.
    """

    __slots__ = ("_days", "_workdays", "code")

    def __init__(self, code: str | None, days: HolidayBase | None) -> None:
        self.code = code
        self._days = days
        self._workdays: dict[date, bool] = {}

    def is_workday(self, day: date) -> bool:
        """Whether people work that day."""
        if self._days is None:
            return day.weekday() < _SATURDAY
        known = self._workdays.get(day)
        if known is None:
            known = self._workdays[day] = bool(self._days.is_working_day(day))
        return known

    def is_holiday(self, day: date) -> bool:
        """Whether it is a public holiday; an ordinary Sunday is none."""
        return self._days is not None and day in self._days and not self.is_workday(day)

    def doubt(self, year: int) -> str:
        """Why the year's dates are not certain, in a sentence; empty when they are."""
        if self._days is None:
            return ""
        days = self._days
        years = range(days.start_year, days.end_year + 1)
        if year not in years:
            return f"the holidays of {self.code} are known from {years[0]} to {years[-1]} only."
        names = days.__class__(years=year, subdiv=days.subdiv)
        mark = str(getattr(days, "estimated_label", "") or "").replace("%s", "").strip()
        if any("estimated" in name or (mark and mark in name) for name in names.values()):
            return f"some holidays of {self.code} in {year} are estimates, not an official list."
        country = str(self.code).partition("-")[0]
        if country in DECREED_EACH_YEAR and not any(
            day.year == year for day in names.weekend_workdays
        ):
            return f"the library has no make-up workdays of {self.code} for {year} (yet)."
        return ""


@lru_cache(maxsize=64)
def calendar_for(code: str | None) -> Calendar:
    """The calendar of `CN`, `US-CA`, ...; None is Monday to Friday.

    The library is imported here, on first need: it costs a tenth of a second.
    Raises: InvalidInputError with near misses for a code that it does not know.
    """
    if code is None:
        return Calendar(None, None)
    import holidays

    country, _, part = code.partition("-")
    found = _entity(country, part)
    if found is not None:
        return Calendar(code, found)
    # Only now: listing what there is loads every country, another tenth of a second.
    known = holidays.list_supported_countries(include_aliases=False)
    if country not in known:
        raise InvalidInputError(
            f'unknown country "{country}".',
            detail="Expected an ISO 3166 code with or without a part: CN, US-CA.",
            hint=_near(country, list(known)),
        )
    if part and part not in known[country]:
        raise InvalidInputError(
            f'unknown part "{part}" of {country}.',
            detail=f"{country} has {', '.join(known[country]) or 'no parts'}.",
            hint=_near(part, known[country]),
        )
    return Calendar(code, holidays.country_holidays(country, subdiv=part or None))


def _entity(country: str, part: str) -> HolidayBase | None:
    """The library's calendar by its own codes, aliases left out; None when it has none."""
    import holidays

    try:
        found = holidays.country_holidays(country, subdiv=part or None)
    except NotImplementedError:
        return None
    is_own = found.country == country and (not part or part in found.subdivisions)
    return found if is_own else None


def _near(word: str, known: list[str]) -> str:
    near = [name for name in known if name.casefold() == word.casefold()]
    near = near or difflib.get_close_matches(word.upper(), known, n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(near)}?" if near else ""
