"""Every rule's condition, evaluated with prices from the market (POLICY meaning 6)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.catalog.fx import from_usd
from multicloud.decide.amounts import nodes_for, total_gpus
from multicloud.decide.availability import looks_at
from multicloud.decide.feasible import Criteria
from multicloud.models.condition import AvailabilityCondition, Truth
from multicloud.models.decision import RuleTrace
from multicloud.models.offer import CapacityType
from multicloud.models.pool import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from multicloud.decide.book import Book, TierIndex
    from multicloud.decide.clockwork import Clockwork
    from multicloud.models.condition import MarketCondition, PriceCondition
    from multicloud.models.need import Need, Wish
    from multicloud.models.place import Place
    from multicloud.models.pool import Pool, Rule

# Rates are divided and multiplied: what is left of that beyond these decimals is noise.
EXACT = Decimal("1E-12")
ANY_CAPACITY = (CapacityType.RESERVED, CapacityType.ON_DEMAND, CapacityType.SPOT)


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What the rules' conditions came to at one instant.

    `matches` are positions of the rules that hold, in order. `truths` are those to remember:
    what was remembered of conditions still in the text, brought up to date. `flips` are
    instants at which time alone may turn one.
    """

    rules: tuple[RuleTrace, ...]
    matches: tuple[int, ...]
    truths: Mapping[str, bool]
    warnings: tuple[str, ...]
    flips: tuple[datetime, ...] = ()


class Measures:
    """What a rule's price and availability conditions look at.

    Prices are those of the cheapest whole placement, over fresh quotes. `flips` are instants
    at which time alone may turn an availability condition.
    """

    def __init__(self, pool: Pool, rule: Rule, book: Book, fx: Mapping[str, Decimal]) -> None:
        self._pool = pool
        self._rule = rule
        self._book = book
        self._fx = fx
        self.unmeasured: list[MarketCondition] = []
        self.any_known = False
        self.flips: list[datetime] = []

    def __call__(self, cond: MarketCondition) -> Decimal | None:
        """Cost or share, as `policy.evaluate.Measure` has it; None when nothing tells it."""
        found = self._share(cond) if isinstance(cond, AvailabilityCondition) else self._cost(cond)
        if found is None:
            self.unmeasured.append(cond)
        return found

    def _share(self, cond: AvailabilityCondition) -> Decimal | None:
        market = self._book.market
        keys = {
            key
            for wish in self._rule.need.wishes
            for key in self._index(wish, cond.places, cond.capacity).by_key
        }
        looks = looks_at(market.snapshot.looks_by_offer, keys, market.now, cond.last)
        flip = looks.next_flip(market.now, cond.last, cond.at_least)
        if flip is not None:
            self.flips.append(flip)
        return looks.share(market.now - cond.last)

    def _cost(self, cond: PriceCondition) -> Decimal | None:
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
        if not costs:
            return None
        cost, units = min(costs)
        found = from_usd(cost / units, cond.threshold.currency, self._fx)
        return None if found is None else found.quantize(EXACT).normalize()

    def _indexes(self, cond: PriceCondition, need: Need) -> Iterator[tuple[Wish, TierIndex]]:
        for wish in need.wishes:
            if cond.of is not None:
                capacity = cond.of.capacity or ANY_CAPACITY
                yield wish, self._index(wish, cond.of.places, capacity)
            elif not isinstance(self._rule.outcome, Fixed):
                for tier in self._rule.outcome:
                    yield wish, self._book.of_tier(tier, wish, self._pool.only_in)

    def _index(
        self, wish: Wish, places: tuple[Place, ...], capacity: tuple[CapacityType, ...]
    ) -> TierIndex:
        return self._book.index(
            Criteria(
                wish=wish,
                places=places,
                not_in=(),
                only_in=self._pool.only_in,
                capacity=capacity,
                instance_types=(),
                min_discount=None,
            )
        )


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
    flips: list[datetime] = []
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
        flips.extend(measure.flips)
    return Verdicts(
        tuple(traces), tuple(matches), truths, tuple(dict.fromkeys(warnings)), tuple(flips)
    )


def matches_at(
    pool: Pool, at: datetime, *, clockwork: Clockwork, truths: Mapping[str, bool]
) -> tuple[int, ...]:
    """Positions of the rules that hold at an instant if price conditions stay as they are."""
    return tuple(
        position
        for position, rule in enumerate(pool.rules)
        if clockwork.evaluate(rule.when, at, measure=_nothing, remembered=truths).truth is Truth.YES
    )


def _nothing(_: MarketCondition) -> Decimal | None:
    """A measure that knows nothing, so that every condition keeps its truth."""
    return None


def _doubts(rule: Rule, measure: Measures, remembered: Mapping[str, bool]) -> Iterator[str]:
    """What people should know of conditions that the market does not decide."""
    for cond in measure.unmeasured:
        if isinstance(cond, AvailabilityCondition):
            why = "nobody looked at its stock lately"
        else:
            why = "its price is old" if measure.any_known else "it has no price"
        last = remembered.get(cond.key)
        if last is None:
            yield f'{rule.name}: {why}, so it counts as "no".'
        else:
            yield f'{rule.name}: {why}, so it stays "{"yes" if last else "no"}".'
