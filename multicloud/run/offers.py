"""`offers`: what meets a need anywhere, at the prices known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.catalog.market import build_market
from multicloud.catalog.query import find_offers
from multicloud.errors import InvalidInputError
from multicloud.models.need import Need
from multicloud.models.offer import CapacityType
from multicloud.models.pool import PriceTrust
from multicloud.policy.instants import parse_at
from multicloud.policy.need_text import need_text, parse_short_need
from multicloud.policy.places import parse_place
from multicloud.policy.scalars import ScalarError, parse_currency, parse_positive
from multicloud.run.inputs import load_project, load_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from decimal import Decimal
    from typing import TypeVar

    from multicloud.catalog.query import OfferRow

    T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersQuestion:
    """What the user typed: texts as given."""

    need: str
    places: tuple[str, ...]
    capacity: tuple[str, ...]
    fx: tuple[str, ...]
    at: str | None
    prices: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Offers, cheapest whole placement first, those without a price last."""

    need: str
    now: datetime
    rows: tuple[OfferRow, ...]
    warnings: tuple[str, ...]


def list_offers(question: OffersQuestion) -> Listing:
    """Answer it with the project's rates, discounts and sites where there is a project.

    Raises:
        InvalidInputError: a need, place, rate or instant that cannot be read.
    """
    need = Need(wishes=(_read(parse_short_need, question.need, "NEED"),))
    places = tuple(_read(parse_place, text, "--in") for text in question.places)
    root, project = load_project(Path.cwd())
    now = clock.utcnow() if question.at is None else parse_at(question.at, None)
    snapshot, warnings = load_snapshot(question.prices, project, root=root, now=now)
    market = build_market(
        snapshot,
        now=now,
        fx={**project.fx, **dict(_rate(text) for text in question.fx)},
        discounts=project.discounts,
        trust=PriceTrust(),
    )
    capacity = tuple(CapacityType(text) for text in question.capacity)
    return Listing(
        need=need_text(need.wishes),
        now=now,
        rows=find_offers(market, need, places=places, capacity=capacity),
        warnings=warnings,
    )


def _rate(text: str) -> tuple[str, Decimal]:
    currency, sign, rate = text.partition("=")
    if not sign:
        raise InvalidInputError(f'--fx "{text}" is no rate', detail="Expected CNY=7.20.")
    return _read(parse_currency, currency, "--fx"), _read(parse_positive, rate, "--fx")


def _read(parse: Callable[[str], T], text: str, what: str) -> T:
    try:
        return parse(text)
    except ScalarError as error:
        raise InvalidInputError(
            f"{what}: {error.summary}", detail=error.expected, hint=error.hint
        ) from error
