"""Times, amounts and counts as reasons say them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.decision import Reject
from multicloud.policy.zones import load_zone

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

A_WEEK = 7


def when(at: datetime, now: datetime, zone: str) -> str:
    """`20:00`, `Wed 20:00` or `2026-12-24 20:00`: as short as it is clear, in the zone or UTC."""
    mark = "" if zone else "Z"
    local, here = (_local(moment, zone) for moment in (at, now))
    days = (local.date() - here.date()).days
    clock = f"{local:%H:%M}{mark}"
    if days == 0:
        return clock
    return f"{local:%a} {clock}" if 0 < days < A_WEEK else f"{local:%Y-%m-%d} {clock}"


def _local(at: datetime, zone: str) -> datetime:
    return at.astimezone(load_zone(zone)) if zone else at


def duration(span: timedelta) -> str:
    """`2d`, `1h 30m`, `15m`: in the policy's own units."""
    minutes = int(span.total_seconds() // 60)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n}{unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "m")) if n]
    return " ".join(parts) or "0m"


def percent(share: Decimal) -> str:
    """`10 %`, `7.5 %`."""
    return f"{(share * 100).quantize(Decimal('0.1')).normalize():f} %"


def money(usd: Decimal | None) -> str:
    """An amount to cents for people; `?` when it is unknown."""
    return "?" if usd is None else f"{usd:,.2f}"


def plural(count: int, noun: str) -> str:
    """`1 offer`, `2 offers`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def counts(lost: Mapping[Reject, int], cap: str) -> str:
    """`20 over cap 2.50/gpu-h, 12 outside only_in, 5 no price`: the most frequent first."""
    order = sorted((reason for reason in Reject if lost.get(reason)), key=lambda r: -lost[r])
    return ", ".join(f"{lost[reason]} {_named(reason, cap)}" for reason in order)


def _named(reason: Reject, cap: str) -> str:
    if reason is Reject.OVER_CAP and cap:
        return f"over cap {cap}"
    return reason.value
