"""The truth of a condition at an instant, in three values, with the reason in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, assert_never

from multicloud.models.condition import (
    AllOf,
    Always,
    AnyOf,
    AvailabilityCondition,
    Condition,
    MarketCondition,
    Not,
    PriceCondition,
    TimeCondition,
    Truth,
)
from multicloud.policy.window import holds

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.policy.calendar import Calendar

Measure = Callable[[MarketCondition], Decimal | None]
"""Cost per hour of what a price condition looks at, in the condition's own currency and unit,
over fresh quotes only; None when no fresh quote tells it. Of an availability condition: the
share of looks in which it was to be had; None without a look."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a condition came to.

    `truths` holds every price or availability condition inside it whose truth is known now,
    keyed by `.key`: that is what a run remembers. `detail` says why, in words for people.
    """

    truth: Truth
    detail: str
    truths: Mapping[str, bool] = field(default_factory=dict)


def evaluate(
    cond: Condition,
    now: datetime,
    *,
    calendar: Calendar,
    measure: Measure,
    remembered: Mapping[str, bool],
) -> Evaluation:
    """Evaluate every part of `cond`, also those that cannot change the outcome any more.

    Pure, given a pure `measure`. Price conditions keep their remembered truth between their two
    thresholds and while no fresh price is known, availability conditions without a look.
    """

    def visit(part: Condition) -> Evaluation:
        match part:
            case Always():
                return Evaluation(Truth.YES, "always")
            case TimeCondition():
                inside = holds(part, now, calendar)
                return _of_bool(inside, f"{part.text} {'holds' if inside else 'does not hold'}")
            case PriceCondition():
                return _price(part, measure(part), remembered.get(part.key))
            case AvailabilityCondition():
                return _availability(part, measure(part), remembered.get(part.key))
            case Not():
                inner = visit(part.part)
                return Evaluation(_negate(inner.truth), f"not ({inner.detail})", inner.truths)
            case AllOf() | AnyOf():
                return _combine(part, [visit(inner) for inner in part.parts])
            case _:
                assert_never(part)

    return visit(cond)


def _of_bool(value: bool, detail: str) -> Evaluation:  # noqa: FBT001 - the value is the question
    return Evaluation(Truth.YES if value else Truth.NO, detail)


def _negate(truth: Truth) -> Truth:
    return {Truth.YES: Truth.NO, Truth.NO: Truth.YES}.get(truth, Truth.UNKNOWN)


def _combine(cond: AllOf | AnyOf, inner: list[Evaluation]) -> Evaluation:
    """Kleene's `and` and `or`: one deciding part is enough, else unknown wins over the rest."""
    decides, otherwise = (Truth.NO, Truth.YES) if isinstance(cond, AllOf) else (Truth.YES, Truth.NO)
    truths: dict[str, bool] = {}
    for part in inner:
        truths.update(part.truths)
    for truth in (decides, Truth.UNKNOWN):
        details = [part.detail for part in inner if part.truth is truth]
        if details:
            return Evaluation(truth, "; ".join(details), truths)
    return Evaluation(otherwise, "; ".join(part.detail for part in inner), truths)


def _price(cond: PriceCondition, price: Decimal | None, last: bool | None) -> Evaluation:  # noqa: FBT001 - a remembered truth
    unit = f"{cond.threshold.currency}/{'gpu-h' if cond.threshold.per_gpu else 'node-h'}"
    if price is None:
        return _kept(cond, last, "fresh price")
    value, detail = _judge(cond, price, last)
    shown = f"{_figure(price)} {unit} {detail}"
    return Evaluation(Truth.YES if value else Truth.NO, shown, {cond.key: value})


def _availability(
    cond: AvailabilityCondition,
    share: Decimal | None,
    last: bool | None,  # noqa: FBT001 - a remembered truth
) -> Evaluation:
    if share is None:
        return _kept(cond, last, "look at its stock")
    value = share >= cond.at_least
    detail = f"was to be had in {share:.0%} of looks, {cond.at_least:.0%} are asked for"
    return Evaluation(Truth.YES if value else Truth.NO, detail, {cond.key: value})


def _kept(cond: MarketCondition, last: bool | None, what: str) -> Evaluation:  # noqa: FBT001 - a remembered truth
    """The truth of a condition on which the market says nothing."""
    if last is None:
        return Evaluation(Truth.UNKNOWN, f"no {what}, and no record of one")
    kept = _of_bool(last, f'no {what}: stays "{"yes" if last else "no"}"')
    return Evaluation(kept.truth, kept.detail, {cond.key: last})


def _judge(cond: PriceCondition, price: Decimal, last: bool | None) -> tuple[bool, str]:  # noqa: FBT001 - a remembered truth
    limit, until = cond.threshold.amount, cond.until
    word, back = ("above", "below") if cond.above else ("below", "above")
    if price > limit if cond.above else price < limit:
        return True, f"is {word} {limit}"
    if price < until if cond.above else price > until:
        return False, f"is {back} {until}" if until != limit else f"is not {word} {limit}"
    if last is None:
        return False, f"is between {limit} and {until}, with no record: no"
    return last, f'is between {limit} and {until}: stays "{"yes" if last else "no"}"'


def _figure(price: Decimal) -> str:
    """Two decimals, or more for small prices: for people only."""
    places = Decimal("0.01") if price >= 1 else Decimal("0.0001")
    return f"{price.quantize(places):f}"
