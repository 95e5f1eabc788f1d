"""What the parts of a policy need to know of the whole while they are compiled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from multicloud.policy.zones import load_zone

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from multicloud.errors import Where
    from multicloud.models.condition import DateRange
    from multicloud.models.quote import Price
    from multicloud.policy.problems import Problems
    from multicloud.policy.window_text import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The policy's own settings; `timezone` and `calendar` are "" and None when not given."""

    problems: Problems
    timezone: str
    calendar: str | None
    currency: str
    fx: Mapping[str, Decimal]
    dates: Mapping[str, tuple[DateRange, ...]]

    def zone(self, own: str, where: Where, path: str) -> str:
        """The zone of something that may name one; a fault when nobody does."""
        found = own or self.timezone
        if not found:
            self.problems.add(
                where,
                path,
                "has no time zone.",
                detail="Expected timezone: at the top of the file, or a zone behind the window.",
                hint="Add timezone: Europe/Berlin, or whichever it is.",
            )
        return found

    def money(self, currency: str, where: Where, path: str) -> str:
        """The currency of an amount that may name one; a fault when it has no rate."""
        found = currency or self.currency
        if found != "USD" and found not in self.fx:
            self.problems.add(
                where,
                path,
                f"no rate is known for {found}.",
                detail="Amounts in it could not be held against prices.",
                hint=f"Add fx: {{{found}: UNITS_PER_USD}}.",
            )
        return found

    def price(self, price: Price, where: Where, path: str) -> Price:
        """A price with its currency filled in."""
        return replace(price, currency=self.money(price.currency, where, path))

    def instant(
        self, moment: Moment, where: Where, path: str, *, is_end: bool = False
    ) -> datetime | None:
        """A local date-time in UTC; a day alone is its beginning, or its end when `is_end`.

        Of a time that comes twice the first is meant.
        """
        name = self.zone(moment.zone, where, path)
        if not name:
            return None
        minute = (24 * 60 if is_end else 0) if moment.minute is None else moment.minute
        wall = datetime.combine(moment.day, time()) + timedelta(minutes=minute)
        return wall.replace(tzinfo=load_zone(name)).astimezone(UTC)
