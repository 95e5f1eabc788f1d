"""Facts that a policy or the project may state: rates, discounts, commitments, limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.pool import Commitment, Discount, Limits
from multicloud.policy import kinds as k
from multicloud.policy.check import join

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.policy.context import Context
    from multicloud.policy.reader import Reader


def compile_fx(top: Reader) -> Mapping[str, Decimal]:
    """Units of each currency per 1 USD."""
    rates = top.sub("fx")
    if rates is None:
        return {}
    found = {currency: rates.value(currency, k.NUMBER) for currency in rates}
    return {currency: rate for currency, rate in found.items() if rate is not None}


def compile_discounts(top: Reader) -> tuple[Discount, ...]:
    """Negotiated shares off list quotes, in the order written."""
    found = []
    for item in top.subs("discounts"):
        off = item.value("off", k.SHARE)
        if off is None:
            continue
        if not 0 < off < 1:
            item.fault("off", "leaves nothing to pay, or all.", detail="Expected such as 12%.")
        found.append(
            Discount(
                places=item.many("in", k.PLACE),
                capacity=item.many("capacity", k.CAPACITY),
                instance_types=item.many("instance_types", k.TEXT),
                off=off,
                until=item.value("until", k.DATE),
            )
        )
    return tuple(found)


def compile_commitments(top: Reader, context: Context) -> tuple[Commitment, ...]:
    """What is paid for whether used or not, in the order written."""
    return tuple(
        commitment
        for item in top.subs("commitments")
        if (commitment := _commitment(item, context)) is not None
    )


def _commitment(item: Reader, context: Context) -> Commitment | None:
    kind, fee = item.value("kind", k.COMMITMENT_KIND), item.value("fee", k.SPEND)
    start, until = instant_of(item, "from", context), instant_of(item, "until", context)
    if start is not None and until is not None and until <= start:
        item.fault("until", "is not after from.")
    if kind is None or fee is None:
        return None
    return Commitment(
        kind=kind,
        places=item.many("in", k.PLACE),
        instance_type=item.value("instance_type", k.TEXT),
        nodes=item.value("nodes", k.COUNT),
        fee_per_hour=fee.per_hour,
        currency=context.money(fee.currency, item.where("fee"), join(item.path, "fee")),
        start=start,
        until=until,
        ids=item.many("ids", k.TEXT),
    )


def instant_of(item: Reader, key: str, context: Context) -> datetime | None:
    """A moment in UTC, its day's end for `until`; None without one."""
    moment = item.value(key, k.MOMENT)
    if moment is None:
        return None
    path = join(item.path, key)
    return context.instant(moment, item.where(key), path, is_end=key == "until")


def compile_limits(top: Reader, context: Context) -> Limits | None:
    """Guards of one run; None when the file has none."""
    limits = top.sub("limits")
    if limits is None:
        return None
    spend = limits.value("spend", k.SPEND)
    currency = "USD"
    if spend is not None:
        path = join(limits.path, "spend")
        currency = context.money(spend.currency, limits.where("spend"), path)
    return Limits(
        spend=None if spend is None else spend.per_hour,
        spend_currency=currency,
        new_nodes=limits.value("new_nodes", k.COUNT),
        destroyed_nodes=limits.value("destroyed_nodes", k.COUNT),
    )
