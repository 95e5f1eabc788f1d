"""Currencies into US dollars at the policy's own rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal


def to_usd(amount: Decimal, currency: str, fx: Mapping[str, Decimal]) -> Decimal | None:
    """The amount in USD, exact up to Decimal's division; None when no rate is known.

    `fx` is units of a currency per 1 USD, as a policy's `fx:` has it. USD needs no rate.
    """
    if currency == "USD":
        return amount
    rate = fx.get(currency)
    return amount / rate if rate else None


def from_usd(usd: Decimal, currency: str, fx: Mapping[str, Decimal]) -> Decimal | None:
    """The USD amount in another currency; None when no rate is known."""
    if currency == "USD":
        return usd
    rate = fx.get(currency)
    return usd * rate if rate else None
