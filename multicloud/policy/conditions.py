"""Conditions: what stands under `when`, with zones, calendars and date sets filled in."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.condition import (
    AllOf,
    Always,
    AnyOf,
    Condition,
    DailyWindow,
    DateRange,
    Not,
    PriceCondition,
    PriceScope,
    TimeCondition,
    Window,
)
from multicloud.models.offer import CapacityType
from multicloud.models.place import Place
from multicloud.policy import kinds as k
from multicloud.policy.availability import compile_availability
from multicloud.policy.check import join
from multicloud.policy.near import did_you_mean
from multicloud.policy.needs import compile_need
from multicloud.policy.reader import Reader, nodes, parsed
from multicloud.policy.yaml_source import Mapping, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicloud.models.quote import Price
    from multicloud.policy.context import Context

# How far beyond its threshold a price condition ends, when it does not say.
_BAND = Decimal("0.05")
_ANYWHERE = (Place(text="any"),)

Compiled = tuple[Condition, str]
"""A condition and its text for people."""


def compile_when(node: Node | None, path: str, context: Context, own_scope: str) -> Compiled:
    """The condition of a rule; None holds always.

    `own_scope` is the normal text of the rule's tiers and need, "" when it has no tiers: it is
    part of the key of price conditions that look at them.
    """
    if node is None:
        return Always(), "always"
    if not isinstance(node, Mapping):
        base = _windows(nodes(node), path, context)
        return base, base.text
    condition = Reader(node, path, context.problems)
    found: list[Compiled] = []
    if {"time", "dates", "skip"} & set(condition):
        found.append(_time(condition, context))
    found += _market(condition, context, own_scope)
    for key, kind, word in (("all", AllOf, " and "), ("any", AnyOf, " or ")):
        if key in condition:
            found.append(_many(condition, key, kind, word, context, own_scope))
    if "not" in condition:
        inner, text = compile_when(condition.get("not"), join(path, "not"), context, own_scope)
        found.append((Not(part=inner), f"not ({text})"))
    if not node.entries:
        condition.fault("", "is an empty condition.", detail="Leave when out for always.")
    if len(found) == 1:
        return found[0]
    return AllOf(parts=tuple(part for part, _ in found)), " and ".join(t for _, t in found)


def _market(condition: Reader, context: Context, own_scope: str) -> list[Compiled]:
    price, availability = condition.sub("price"), condition.sub("availability")
    found = [] if price is None else _price(price, context, own_scope)
    if availability is not None:
        found.append(compile_availability(availability, own_scope))
    return found


def _many(
    condition: Reader,
    key: str,
    kind: Callable[..., AllOf | AnyOf],
    word: str,
    context: Context,
    own_scope: str,
) -> Compiled:
    path = join(condition.path, key)
    inner = [
        compile_when(part, f"{path}[{index}]", context, own_scope)
        for index, part in enumerate(nodes(condition.get(key)))
    ]
    text = word.join(text for _, text in inner)
    return kind(parts=tuple(part for part, _ in inner)), f"({text})" if len(inner) > 1 else text


def _windows(items: tuple[Node, ...], path: str, context: Context) -> TimeCondition:
    windows = [window for item in items if (window := _window(item, path, context))]
    return TimeCondition(
        windows=tuple(windows),
        dates=None,
        skip=(),
        zone=context.timezone or (windows[0].zone if windows else ""),
        text=", ".join(window.text for window in windows),
    )


def _window(node: Node, path: str, context: Context) -> Window | None:
    window = parsed(node, k.WINDOW)
    if window is None:
        return None
    zone = context.zone(window.zone, node.where, path)
    if isinstance(window, DailyWindow) and window.kinds and context.calendar is None:
        word = " and ".join(sorted(window.kinds))
        context.problems.add(
            node.where,
            path,
            f'"{word}" needs a calendar.',
            detail="Expected workdays: at the top of the file.",
            hint="Add workdays: CN (or US-CA, ...), or name weekdays: mon-fri.",
        )
    return replace(window, zone=zone)


def _time(condition: Reader, context: Context) -> Compiled:
    base = _windows(nodes(condition.get("time")), join(condition.path, "time"), context)
    dates = _dates(condition, "dates", context) if "dates" in condition else None
    skip = _dates(condition, "skip", context)
    parts = [base.text] if base.text else []
    parts += [f"on {_written(condition, 'dates')}"] if dates is not None else []
    parts += [f"but {_written(condition, 'skip')}"] if "skip" in condition else []
    zone = base.zone
    if "time" not in condition:
        zone = context.zone("", condition.where(), condition.path)
    words = " ".join(parts)
    return replace(base, dates=dates, skip=skip, zone=zone, text=words), words


def _written(condition: Reader, key: str) -> str:
    items = nodes(condition.get(key))
    return ", ".join(" ".join(getattr(item, "text", "").split()) for item in items)


def _dates(condition: Reader, key: str, context: Context) -> tuple[DateRange, ...]:
    found: list[DateRange] = []
    for node, value in condition.items(key, k.DATES):
        if isinstance(value, DateRange):
            found.append(value)
        elif value in context.dates:
            found.extend(context.dates[value])
        else:
            context.problems.add(
                node.where,
                join(condition.path, key),
                f'no set "{value}" stands under dates:.',
                detail="Expected a date, FIRST..LAST, or the name of a set.",
                hint=did_you_mean(value, list(context.dates)),
            )
    return tuple(found)


def _price(price: Reader, context: Context, own_scope: str) -> list[Compiled]:
    if ("below" in price) == ("above" in price):
        price.fault("", "Expected below or above, and not both.", detail="As in 1.00/gpu-h.")
        return []
    side = "above" if "above" in price else "below"
    written = price.value(side, k.PRICE)
    if written is None:
        return []
    threshold = context.price(written, price.where(side), join(price.path, side))
    until = _until(price, threshold, side, context)
    scope, scope_text = _scope(price, context)
    if scope is None and not own_scope:
        price.fault(
            "",
            "looks at the tiers of its rule, which has none.",
            detail="Expected of: {in: PLACE, capacity: ...}.",
        )
    unit = f"{threshold.currency}/{'gpu-h' if threshold.per_gpu else 'node-h'}"
    limits = f"{side} {plain(threshold.amount)} until {plain(until)} {unit}"
    condition = PriceCondition(
        above=side == "above",
        threshold=threshold,
        until=until,
        of=scope,
        key=f"price {limits} of {scope_text or own_scope}",
    )
    return [(condition, f"price {side} {threshold.text}")]


def default_until(threshold: Price, *, above: bool) -> Decimal:
    """Where a price condition ends when it does not say: 5 % beyond."""
    return threshold.amount * (1 - _BAND if above else 1 + _BAND)


def _until(price: Reader, threshold: Price, side: str, context: Context) -> Decimal:
    written = price.value("until", k.PRICE)
    above = side == "above"
    if written is None:
        return default_until(threshold, above=above)
    until = context.price(written, price.where("until"), join(price.path, "until"))
    if (until.currency, until.per_gpu) != (threshold.currency, threshold.per_gpu):
        price.fault("until", f'"{until.text}" has another unit than "{threshold.text}".')
    elif until.amount > threshold.amount if above else until.amount < threshold.amount:
        beyond = "at most" if above else "at least"
        price.fault(
            "until",
            f'"{until.text}" lies on the wrong side.',
            detail=f"Expected {beyond} {threshold.text}: the condition ends there.",
        )
    return until.amount


def _scope(price: Reader, context: Context) -> tuple[PriceScope | None, str]:
    of = price.sub("of")
    if of is None:
        return None, ""
    node = of.get("need")
    need = compile_need(node, join(of.path, "need"), context.problems) if node else None
    places = of.many("in", k.PLACE) or _ANYWHERE
    capacity = of.many("capacity", k.CAPACITY) or (CapacityType.ON_DEMAND,)
    text = f"{' '.join(place.text for place in places)} {' '.join(capacity)}"
    if need:
        text = f"{text} for {need.text}"
    return PriceScope(places=places, capacity=capacity, need=need), text


def plain(amount: Decimal) -> str:
    """A number in its shortest plain form: 1.00 is 1, 1E+2 is 100."""
    return f"{amount.normalize():f}"
