"""Conditions of rules, as data. Their truth is computed in `policy.evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date, timedelta
    from decimal import Decimal

    from multicloud.models.need import Need
    from multicloud.models.offer import CapacityType
    from multicloud.models.place import Place
    from multicloud.models.quote import Price


class Truth(StrEnum):
    """Kleene's three values."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class DayKind(StrEnum):
    """Days that a calendar names, beside the weekdays."""

    WORKDAY = "workday"
    HOLIDAY = "holiday"


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyWindow:
    """`[DAYS] HH:MM-HH:MM [ZONE]`: half-open in the wall clock of `zone`.

    `weekdays` (0 = Monday) and `kinds` name the local date on which the window starts; both
    empty means every day, both given means any of them. Minutes count from midnight; `end` is
    at most 1440, and an `end` not after `start` lies on the next day.
    """

    start: int
    end: int
    zone: str
    weekdays: frozenset[int]
    kinds: frozenset[DayKind]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekWindow:
    """`DAY HH:MM-DAY HH:MM [ZONE]`: one stretch a week, half-open, that may wrap the week."""

    start_day: int
    start: int
    end_day: int
    end: int
    zone: str
    text: str


Window = DailyWindow | WeekWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRange:
    """Local dates, both ends included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """Holds at every instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCondition:
    """In any of `windows` whose start date is in `dates` (when given) and not in `skip`.

    Without windows the whole local days of `dates` in `zone` count. `dates` None means no
    filter; an empty tuple matches no date. `text` is the condition as written.
    """

    windows: tuple[Window, ...]
    dates: tuple[DateRange, ...] | None
    skip: tuple[DateRange, ...]
    zone: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceScope:
    """Whose price a condition looks at; `need` None means the rule's own."""

    places: tuple[Place, ...]
    capacity: tuple[CapacityType, ...]
    need: Need | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceCondition:
    """On below `threshold` and off above `until` (or the mirror of it when `above`).

    Both are per hour in the threshold's currency and unit. `of` None means the tiers of the
    condition's own rule without their caps. `key` is the condition's text in a normal form:
    the name under which its truth is remembered.
    """

    above: bool
    threshold: Price
    until: Decimal
    of: PriceScope | None
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailabilityCondition:
    """The rule's nodes were to be had in at least the share `at_least` of the looks of `last`.

    A look is what a cloud said of the stock of one region at one instant: it counts when any
    offer in `places` with one of `capacity` was to be had. The best region decides. `key` is as
    in `PriceCondition`.
    """

    places: tuple[Place, ...]
    capacity: tuple[CapacityType, ...]
    last: timedelta
    at_least: Decimal
    key: str


MarketCondition = PriceCondition | AvailabilityCondition
"""What the market decides: its truth is remembered while the market says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Always | TimeCondition | PriceCondition | AvailabilityCondition | AllOf | AnyOf | Not
