"""Which of an offer's quotes counts, and what it may decide (POLICY: quotes)."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from multicloud.catalog.fx import to_usd
from multicloud.models.offer import CapacityType
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from multicloud.models.pool import PriceTrust
    from multicloud.models.quote import Quote

# A jump is believed when a look this much later agrees this closely: POLICY, quotes.
CONFIRM_AFTER = timedelta(minutes=10)
CONFIRM_WITHIN = Decimal("0.10")


class Standing(NamedTuple):
    """The quote that counts and its state; `doubted` is the newer one that does not yet."""

    quote: Quote
    state: PriceState
    doubted: Quote | None = None


def standing_quote(
    quotes: Sequence[Quote],
    *,
    now: datetime,
    fx: Mapping[str, Decimal],
    trust: PriceTrust,
    capacity: CapacityType,
) -> Standing | None:
    """The newest known quote not later than `now`, or the last good one behind a jump.

    Order of `quotes` and the layers they come from do not matter; of two with one stamp the
    dearer counts. None when none is known by `now`. An estimate is no ground to doubt a real
    quote, and a quote in a currency without a rate can be neither doubted nor a ground.
    """
    known = quotes
    if len(quotes) > 1 or (quotes and quotes[0].observed_at > now):
        known = [quote for quote in quotes if quote.observed_at <= now]
    if len(known) > 1:
        return _walk(_one_per_instant(known, fx), now, fx, trust, capacity)
    return Standing(known[0], _state(known[0], now, trust, capacity)) if known else None


def _one_per_instant(quotes: Sequence[Quote], fx: Mapping[str, Decimal]) -> list[Quote]:
    """Quotes in order of time, the dearer of those with one stamp."""

    def rank(quote: Quote) -> tuple[bool, Decimal, bool, str, str]:
        usd = to_usd(quote.amount, quote.currency, fx)
        return (
            usd is not None,
            quote.amount if usd is None else usd,
            not quote.estimate,
            quote.currency,
            quote.source,
        )

    dearest: dict[datetime, Quote] = {}
    for quote in quotes:
        rival = dearest.get(quote.observed_at)
        if rival is None or rank(quote) > rank(rival):
            dearest[quote.observed_at] = quote
    return [dearest[instant] for instant in sorted(dearest)]


def _walk(
    quotes: list[Quote],
    now: datetime,
    fx: Mapping[str, Decimal],
    trust: PriceTrust,
    capacity: CapacityType,
) -> Standing:
    """Follow the quotes in time, believing a jump only once a later look confirms it."""
    good = quotes[0]
    doubted: Quote | None = None
    for quote in quotes[1:]:
        if _follows(quote, good, fx, trust.jump):
            good, doubted = quote, None
        elif doubted is None or not _within(quote, doubted, fx, 1 + CONFIRM_WITHIN):
            doubted = quote
        elif quote.observed_at - doubted.observed_at >= CONFIRM_AFTER:
            good, doubted = quote, None
    if doubted is not None:
        return Standing(good, PriceState.QUARANTINED, doubted)
    return Standing(good, _state(good, now, trust, capacity))


def _follows(quote: Quote, good: Quote, fx: Mapping[str, Decimal], jump: Decimal) -> bool:
    """Whether a quote may follow the last good one without being confirmed."""
    if quote.accepted or (good.estimate and not quote.estimate):
        return True
    return _within(quote, good, fx, jump)


def _within(one: Quote, other: Quote, fx: Mapping[str, Decimal], factor: Decimal) -> bool:
    """Whether the dearer is at most `factor` times the cheaper; true when not comparable."""
    if one.currency == other.currency:
        first, second = one.amount, other.amount
    else:
        usd = to_usd(one.amount, one.currency, fx), to_usd(other.amount, other.currency, fx)
        if usd[0] is None or usd[1] is None:
            return True
        first, second = usd[0], usd[1]
    return max(first, second) <= min(first, second) * factor


def _state(quote: Quote, now: datetime, trust: PriceTrust, capacity: CapacityType) -> PriceState:
    """What a quote that is believed is worth at `now`; one of exactly the age limit is fresh."""
    if quote.estimate:
        return PriceState.ESTIMATE
    is_spot = capacity is CapacityType.SPOT
    max_age = trust.max_age_spot if is_spot else trust.max_age_on_demand
    return PriceState.FRESH if now - quote.observed_at <= max_age else PriceState.STALE
