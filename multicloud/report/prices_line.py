"""Where the prices of a plan come from and how old they are, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicloud.models.decision import Decision
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy

MARK = {
    PriceState.FRESH: "",
    PriceState.STALE: " (old)",
    PriceState.ESTIMATE: " (estimate)",
    PriceState.QUARANTINED: " (last good value; a jump awaits confirmation)",
    PriceState.PREPAID: " (prepaid)",
    PriceState.UNKNOWN: " (unknown)",
}


def prices_line(priced: Iterable[Placement], policy: Policy) -> str:
    """`aws spot 2025-06-28 (estimate) · tencent on_demand 2022-01-01, CNY at 7.20 (old)`."""
    seen: dict[str, None] = {}
    for placement in priced:
        seen[_one(placement, policy)] = None
    return " · ".join(seen)


def _one(placement: Placement, policy: Policy) -> str:
    price, slot = placement.price, placement.slot
    date = f" {price.observed_at:%Y-%m-%d}" if price.observed_at else ""
    rate = policy.fx.get(price.currency)
    currency = f", {price.currency} at {rate}" if price.currency != "USD" and rate else ""
    off = f", {price.discount * 100:.0f} % off" if price.discount else ""
    return f"{slot.cloud} {slot.capacity_type}{date}{currency}{off}{MARK[price.state]}"


def placements_of(decisions: Iterable[Decision]) -> list[Placement]:
    """What the decisions place, in order."""
    return [placement for decision in decisions for placement in decision.after]
