"""The clock's part of conditions, worked out once for all pools that share a window."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.decide.reserve import instants
from multicloud.policy.calendar import calendar_for
from multicloud.policy.evaluate import Evaluation, Measure, evaluate
from multicloud.policy.window import market_parts, next_edge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from multicloud.models.condition import Condition
    from multicloud.models.pool import Pool

# How far ahead a change by the clock is looked for; beyond it the answer is "none".
HORIZON = timedelta(days=35)
# A pool with more edges than this and no change among them is said to have none.
MOST_EDGES = 200


class Clockwork:
    """Evaluates conditions and finds their edges; remembers what the clock alone decides."""

    def __init__(self, calendar: str | None) -> None:
        self._calendar = calendar_for(calendar)
        self._truths: dict[tuple[int, datetime], tuple[Evaluation, Condition]] = {}
        self._shared: dict[tuple[Condition, datetime], Evaluation] = {}
        self._edges: dict[tuple[Condition, datetime, datetime], datetime | None] = {}
        self._with_market: dict[int, tuple[bool, Condition]] = {}

    def evaluate(
        self, cond: Condition, at: datetime, *, measure: Measure, remembered: Mapping[str, bool]
    ) -> Evaluation:
        """The condition's truth at an instant."""
        if self._has_market(cond):
            return evaluate(
                cond, at, calendar=self._calendar, measure=measure, remembered=remembered
            )
        key = (id(cond), at)
        known = self._truths.get(key)
        if known is None:
            found = self._shared.get((cond, at))
            if found is None:
                found = evaluate(
                    cond, at, calendar=self._calendar, measure=measure, remembered=remembered
                )
                self._shared[cond, at] = found
            known = self._truths[key] = (found, cond)
        return known[0]

    def edges(self, pool: Pool, after: datetime, until: datetime) -> Iterator[datetime]:
        """Instants after `after`, up to `until`, at which a time part of any rule changes.

        So do a reservation's dates.
        """
        dated = sorted(instants(pool, after, until))
        at: datetime | None = after
        while at is not None:
            found = [self._next_edge(rule.when, at, until) for rule in pool.rules]
            found += [one for one in dated if one > at][:1]
            at = min((edge for edge in found if edge is not None), default=None)
            if at is not None:
                yield at

    def _next_edge(self, cond: Condition, after: datetime, until: datetime) -> datetime | None:
        key = (cond, after, until)
        if key not in self._edges:
            self._edges[key] = next_edge(cond, after, calendar=self._calendar, until=until)
        return self._edges[key]

    def _has_market(self, cond: Condition) -> bool:
        known = self._with_market.get(id(cond))
        if known is None:
            known = self._with_market[id(cond)] = (any(market_parts(cond)), cond)
        return known[0]
