"""Budgets: what may be spent in a calendar month, day or hour of the policy's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.pool import Budget, Fixed, Period
from multicloud.policy import kinds as k
from multicloud.policy.check import join
from multicloud.policy.zones import load_zone

if TYPE_CHECKING:
    from multicloud.policy.context import Context
    from multicloud.policy.reader import Reader

WARN_AT = Decimal("0.8")
_DAY = timedelta(days=1)


def compile_budget(holder: Reader, context: Context) -> Budget | None:
    """The budget of a pool or of a policy; None when there is none, or after a fault."""
    budget = holder.sub("budget")
    most = budget.value("max", k.ALLOWANCE) if budget else None
    if budget is None or most is None:
        return None
    where, path = budget.where("max"), join(budget.path, "max")
    context.zone("", where, path)
    warn_at = budget.or_else("warn_at", k.SHARE, WARN_AT)
    if not 0 < warn_at <= 1:
        budget.fault(
            "warn_at",
            "warns never, or always.",
            detail="Expected more than 0 %, at most 100 %.",
        )
    return Budget(
        amount=most.amount,
        currency=context.money(most.currency, where, path),
        period=most.period,
        warn_at=warn_at,
        is_off=budget.or_else("when_spent", k.FIXED, Fixed.HOLD) is Fixed.OFF,
        text=most.text,
    )


def period_at(period: Period, zone: str, now: datetime) -> tuple[datetime, datetime]:
    """The period that `now` lies in, as instants in UTC, the end not included.

    Hours are those of the wall clock: one that the clocks repeat lasts twice as long.
    """
    tz = load_zone(zone) if zone else UTC
    local = now.astimezone(tz).replace(minute=0, second=0, microsecond=0, fold=0)
    if period is Period.HOUR:
        start = local.replace(tzinfo=None)
        end = start + timedelta(hours=1)
    else:
        start = local.replace(tzinfo=None, hour=0, day=1 if period is Period.MONTH else local.day)
        end = start + (timedelta(days=32) if period is Period.MONTH else _DAY)
        end = end.replace(day=1) if period is Period.MONTH else end
    first, last = (wall.replace(tzinfo=tz).astimezone(UTC) for wall in (start, end))
    return first, last
