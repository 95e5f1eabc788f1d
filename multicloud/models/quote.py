"""Prices: what was seen, where, when, and what it is worth to a decision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal


class PriceState(StrEnum):
    """What a quote may decide (POLICY: quotes): only a fresh one moves a pool."""

    FRESH = "fresh"
    STALE = "stale"
    ESTIMATE = "estimate"
    QUARANTINED = "quarantined"
    PREPAID = "prepaid"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One observed price of one node for one hour, always above zero.

    `currency` is ISO 4217, `observed_at` is UTC, `source` names feed and document. `estimate`
    marks a figure that nobody quoted (bundled AWS spot). `site` is the account side that pays
    it (`china`, `intl`) on clouds with two price lists, else empty. A person has `accepted` a
    quote that is to be believed however far it jumped. An unknown price is the
    absence of a quote, never a zero.
    """

    amount: Decimal
    currency: str
    observed_at: datetime
    source: str
    estimate: bool = False
    site: str = ""
    accepted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """An amount of money per hour as a policy writes it: `2.10/gpu-h`, `15 CNY/node-h`."""

    amount: Decimal
    currency: str
    per_gpu: bool
    text: str
