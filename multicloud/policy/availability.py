"""`availability` under `when`: how often a rule's nodes were to be had of late."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.condition import AvailabilityCondition
from multicloud.models.offer import CapacityType
from multicloud.policy import kinds as k

if TYPE_CHECKING:
    from multicloud.policy.reader import Reader

LAST = timedelta(hours=3)
LONGEST = timedelta(days=31)
AT_LEAST = Decimal("0.5")


def compile_availability(availability: Reader, own_scope: str) -> tuple[AvailabilityCondition, str]:
    """The condition and its text for people; faults are noted with the reader.

    `own_scope` is the normal text of the rule's tiers and need: the same words in two rules
    with unlike needs are two conditions.
    """
    places = availability.many("in", k.PLACE)
    capacity = availability.many("capacity", k.CAPACITY) or (CapacityType.SPOT,)
    last = availability.or_else("last", k.DURATION, LAST)
    at_least = availability.or_else("at_least", k.SHARE, AT_LEAST)
    if not timedelta(0) < last <= LONGEST:
        availability.fault(
            "last",
            f'"{_written(availability, "last")}" is no time to look back over.',
            detail="Expected more than 0, at most 31d.",
        )
    if not 0 < at_least <= 1:
        availability.fault(
            "at_least",
            f'"{_written(availability, "at_least")}" is no share of looks.',
            detail="Expected more than 0 %, at most 100 %.",
        )
    if CapacityType.RESERVED in capacity:
        availability.fault(
            "capacity",
            "nobody tells the stock of reserved capacity.",
            detail="Expected spot, on_demand or both.",
        )
    where = " ".join(place.text for place in places)
    text = f"availability of {where} at least {at_least:.0%} of the last {_span(last)}"
    key = f"{text} {' '.join(capacity)} for {own_scope}"
    condition = AvailabilityCondition(
        places=places, capacity=capacity, last=last, at_least=at_least, key=key
    )
    return condition, text


def _span(last: timedelta) -> str:
    minutes = int(last.total_seconds() // 60)
    hours, rest = divmod(minutes, 60)
    return f"{hours}h{rest}m" if hours and rest else f"{hours}h" if hours else f"{rest}m"


def _written(availability: Reader, key: str) -> str:
    return str(getattr(availability.get(key), "text", ""))
