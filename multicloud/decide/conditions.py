"""Every rule's condition, evaluated with prices from the market (POLICY meaning 6)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.catalog.fx import from_usd
from multicloud.decide.amounts import nodes_for, total_gpus
from multicloud.decide.feasible import Criteria
from multicloud.models.condition import Truth
from multicloud.models.decision import RuleTrace
from multicloud.models.offer import CapacityType
from multicloud.models.pool import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from multicloud.decide.book import Book, TierIndex
    from multicloud.decide.clockwork import Clockwork
    from multicloud.models.condition import PriceCondition
    from multicloud.models.need import Need, Wish
    from multicloud.models.pool import Pool, Rule

# Rates are divided and multiplied: what is left of that beyond these decimals is noise.
EXACT = Decimal("1E-12")
ANY_CAPACITY = (CapacityType.RESERVED, CapacityType.ON_DEMAND, CapacityType.SPOT)


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What the rules' conditions came to at one instant.

    `matches` are positions of the rules that hold, in order. `truths` are those to remember:
    what was remembered of conditions still in the text, brought up to date.
    """

    rules: tuple[RuleTrace, ...]
    matches: tuple[int, ...]
    truths: Mapping[str, bool]
    warnings: tuple[str, ...]


class Measures:
    """The cheapest whole placement that a rule's price conditions look at, over fresh quotes."""

    def __init__(self, pool: Pool, rule: Rule, book: Book, fx: Mapping[str, Decimal]) -> None:
        self._pool = pool
        self._rule = rule
        self._book = book
        self._fx = fx
        self.unmeasured: list[PriceCondition] = []
        self.any_known = False

    def __call__(self, cond: PriceCondition) -> Decimal | None:
        """Cost per hour in the condition's currency and unit; None when nothing fresh is known."""
        need = (cond.of.need if cond.of else None) or self._rule.need
        costs: list[tuple[Decimal, Decimal]] = []
        for wish, index in self._indexes(cond, need):
            for group in index.groups:
                self.any_known = True
                if group.fresh_usd is not None:
                    nodes = nodes_for(wish, group.gpus)
                    gpus = total_gpus(wish, group.gpus)
                    units = Decimal(gpus.numerator) / gpus.denominator
                    divisor = units if cond.threshold.per_gpu else Decimal(nodes)
                    if divisor:
                        costs.append((group.fresh_usd * nodes, divisor))
        found = None
        if costs:
            cost, units = min(costs)
            found = from_usd(cost / units, cond.threshold.currency, self._fx)
        if found is None:
            self.unmeasured.append(cond)
            return None
        return found.quantize(EXACT).normalize()

    def _indexes(self, cond: PriceCondition, need: Need) -> Iterator[tuple[Wish, TierIndex]]:
        only_in = self._pool.only_in
        for wish in need.wishes:
            if cond.of is not None:
                yield (
                    wish,
                    self._book.index(
                        Criteria(
                            wish=wish,
                            places=cond.of.places,
                            not_in=(),
                            only_in=only_in,
                            capacity=cond.of.capacity or ANY_CAPACITY,
                            instance_types=(),
                            min_discount=None,
                        )
                    ),
                )
            elif not isinstance(self._rule.outcome, Fixed):
                for tier in self._rule.outcome:
                    yield wish, self._book.of_tier(tier, wish, only_in)


def judge_rules(
    pool: Pool,
    now: datetime,
    *,
    clockwork: Clockwork,
    book: Book,
    fx: Mapping[str, Decimal],
    remembered: Mapping[str, bool],
) -> Verdicts:
    """Evaluate every condition of every rule; set-asides and quotas do not enter."""
    traces: list[RuleTrace] = []
    matches: list[int] = []
    truths: dict[str, bool] = {}
    warnings: list[str] = []
    for position, rule in enumerate(pool.rules):
        measure = Measures(pool, rule, book, fx)
        found = clockwork.evaluate(rule.when, now, measure=measure, remembered=remembered)
        truths.update(found.truths)
        if found.truth is Truth.YES:
            matches.append(position)
        traces.append(
            RuleTrace(name=rule.name, when=rule.when_text, truth=found.truth, detail=found.detail)
        )
        warnings.extend(_doubts(rule, measure, remembered))
    return Verdicts(tuple(traces), tuple(matches), truths, tuple(dict.fromkeys(warnings)))


def matches_at(
    pool: Pool, at: datetime, *, clockwork: Clockwork, truths: Mapping[str, bool]
) -> tuple[int, ...]:
    """Positions of the rules that hold at an instant if price conditions stay as they are."""
    return tuple(
        position
        for position, rule in enumerate(pool.rules)
        if clockwork.evaluate(rule.when, at, measure=_nothing, remembered=truths).truth is Truth.YES
    )


def _nothing(_: PriceCondition) -> Decimal | None:
    """A measure that knows no price, so that every condition keeps its truth."""
    return None


def _doubts(rule: Rule, measure: Measures, remembered: Mapping[str, bool]) -> Iterator[str]:
    """What people should know of conditions that no fresh price decides."""
    for cond in measure.unmeasured:
        why = "its price is old" if measure.any_known else "it has no price"
        last = remembered.get(cond.key)
        if last is None:
            yield f'{rule.name}: {why}, so it counts as "no".'
        else:
            yield f'{rule.name}: {why}, so it stays "{"yes" if last else "no"}".'
