"""What the store knows of offers: prices, stock, rates and quotas, each write in one transaction.

A part of a feed is written whole with the mark that it was read, so that a refresh that was
killed goes on where it was, and two at once only do the same twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.store import facts, prices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from sqlalchemy import Connection

    from multicloud.models.account import Quota
    from multicloud.models.feed import Batch, InterruptionRate, Look, PricePoint, Rate
    from multicloud.models.offer import Cloud, OfferKey
    from multicloud.models.quote import Quote

    Opening = Callable[[], AbstractContextManager[Connection]]


class MarketStore:
    """One target's offers; every method raises StoreError when the database cannot be used."""

    def __init__(self, target: str, *, reading: Opening, writing: Opening) -> None:
        self._target = target
        self._reading = reading
        self._writing = writing

    def save(self, cloud: Cloud, part: str, batch: Batch) -> prices.Saved:
        """Write all that a part of a feed told, and that it was read."""
        with self._writing() as connection:
            saved = prices.save_looked(connection, self._target, batch.points, batch.looked_at)
            facts.save_looks(connection, self._target, batch.looks)
            facts.save_rates(connection, self._target, batch.rates)
            facts.save_interruptions(connection, self._target, batch.interruptions)
            if batch.quotas_of:
                facts.save_quotas(connection, self._target, cloud, batch)
            facts.mark_refreshed(connection, self._target, cloud, part, batch.looked_at)
        return saved

    def import_points(self, points: Iterable[PricePoint]) -> int:
        """Write points of any age, all or none; how many were new."""
        with self._writing() as connection:
            return prices.save_history(connection, self._target, points)

    def import_looks(self, looks: Sequence[Look]) -> int:
        """Write looks at stock of any age; how many were new."""
        with self._writing() as connection:
            return facts.save_looks(connection, self._target, looks)

    def has_prices(self) -> bool:
        """Whether any offer has been seen."""
        with self._reading() as connection:
            return prices.count(connection, self._target) > 0

    def quotes(self, now: datetime) -> Mapping[OfferKey, tuple[Quote, ...]]:
        """The newest prices of every offer not later than `now`, oldest first."""
        found: dict[OfferKey, tuple[Quote, ...]] = {}
        with self._reading() as connection:
            for key, told in prices.quotes(connection, self._target, now):
                found[key] = (*found.get(key, ()), *told)
        return found

    def history(
        self,
        start: datetime,
        end: datetime,
        *,
        takes: Callable[[OfferKey], bool] = lambda _: True,
    ) -> Iterator[prices.History]:
        """Prices first seen from `start` to `end`, both included, by offer and time.

        Only of offers that `takes` says yes to.
        """
        with self._reading() as connection:
            yield from prices.history(connection, self._target, start, end, takes=takes)

    def accept(self, key: OfferKey, site: str) -> int:
        """Believe the newest price of an offer; how many prices that were."""
        with self._writing() as connection:
            return prices.accept(connection, self._target, key, site)

    def looks(self, after: datetime, until: datetime) -> tuple[Look, ...]:
        """Looks at stock within `(after, until]`, by offer and time."""
        with self._reading() as connection:
            return facts.looks(connection, self._target, after, until)

    def rates(self) -> tuple[Rate, ...]:
        """Rates of commitments."""
        with self._reading() as connection:
            return facts.rates(connection, self._target)

    def interruptions(self) -> tuple[InterruptionRate, ...]:
        """How often clouds take spot nodes back."""
        with self._reading() as connection:
            return facts.interruptions(connection, self._target)

    def quotas(self, after: datetime, until: datetime) -> tuple[Quota, ...]:
        """What the accounts may have, as told within `(after, until]`."""
        with self._reading() as connection:
            return facts.quotas(connection, self._target, after, until)

    def refreshed(self) -> Mapping[tuple[Cloud, str], datetime]:
        """When each part of each feed was last read whole."""
        with self._reading() as connection:
            return facts.refreshed(connection, self._target)
