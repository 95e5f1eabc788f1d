"""A cap as the clouds take it: a spot node's bid, in the account's currency (POLICY meaning 5)."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from functools import cache
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.fx import from_usd, to_usd
from multicloud.models.offer import CapacityType

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from multicloud.models.offer import Cloud, Offer
    from multicloud.models.quote import Price


def node_amount(price: Price, gpus_per_node: Fraction) -> Decimal:
    """What the policy's price comes to for one node of so many GPUs, in its own currency."""
    if not price.per_gpu:
        return price.amount
    if gpus_per_node.denominator == 1:
        return price.amount * gpus_per_node.numerator
    return price.amount * gpus_per_node.numerator / gpus_per_node.denominator


def cap_usd(cap: Price, gpus_per_node: Fraction, fx: Mapping[str, Decimal]) -> Decimal | None:
    """The cap in USD per node-hour; None when its currency has no rate.

    Multiplied first and converted last, as quotes are, so that a quote exactly at the cap fits.
    """
    return to_usd(node_amount(cap, gpus_per_node), cap.currency, fx)


def bid_for(offer: Offer, cap: Price | None, fx: Mapping[str, Decimal]) -> Decimal | None:
    """The rendered bid per node-hour, rounded down to the cloud's decimals; None for none.

    In the currency that the offer's cloud bills in at the quote's site. Without a cap, off
    spot, and on clouds that take no cap (see `cap_note`), nothing is rendered.
    """
    facts = CLOUDS[offer.cloud]
    if cap is None or offer.capacity_type is not CapacityType.SPOT or not facts.bid.rendered:
        return None
    currency = _billing_currency(offer)
    amount = node_amount(cap, offer.shape.gpus)
    if cap.currency != currency:
        usd = to_usd(amount, cap.currency, fx)
        converted = None if usd is None else from_usd(usd, currency, fx)
        if converted is None:
            return None
        amount = converted
    return amount.quantize(_unit(facts.bid.decimals), rounding=ROUND_DOWN)


def cap_note(cloud: Cloud) -> str:
    """What people must know of a cap there: empty where it is rendered as the bid."""
    bid = CLOUDS[cloud].bid
    return "" if bid.rendered else bid.note


def _billing_currency(offer: Offer) -> str:
    """The currency of the newest quote's account side; the default site's without a quote."""
    site = offer.quotes[-1].site if offer.quotes else ""
    return _currency(offer.cloud, site)


@cache
def _unit(decimals: int) -> Decimal:
    """The smallest step of a bid with so many decimals."""
    return Decimal(1).scaleb(-decimals)


@cache
def _currency(cloud: Cloud, site: str) -> str:
    return CLOUDS[cloud].currency(site)
