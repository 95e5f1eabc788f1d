"""What is not to be tried for a while: set-asides, evictions and quotas (POLICY meaning 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.decision import Reject
from multicloud.models.memory import SetAsideReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from multicloud.models.memory import Quota, SetAside
    from multicloud.models.offer import CapacityType, Cloud, OfferKey
    from multicloud.models.placement import Slot

EVERY_ZONE = ""
REASONS = {
    SetAsideReason.NO_CAPACITY: Reject.SET_ASIDE,
    SetAsideReason.EVICTED: Reject.EVICTED,
    SetAsideReason.QUOTA: Reject.QUOTA,
}

Kind = tuple["Cloud", str, str, "CapacityType"]
"""Cloud, region, instance type and capacity type: what a set-aside is about, but for the zone."""


class Barred:
    """The set-asides in force at one instant. A mark ends at its `until`, that second included."""

    def __init__(self, marks: Iterable[SetAside], now: datetime) -> None:
        self.now = now
        self._marks: dict[Kind, dict[str, SetAside]] = {}
        for mark in marks:
            if mark.until > now:
                kind = (mark.cloud, mark.region, mark.instance_type, mark.capacity_type)
                self._marks.setdefault(kind, {})[mark.zone] = mark

    def __bool__(self) -> bool:
        """Whether anything is set aside."""
        return bool(self._marks)

    def zones_left(
        self, key: OfferKey, zones: tuple[str, ...]
    ) -> tuple[tuple[str, ...], SetAside | None]:
        """The zones that may be tried, and the mark that leaves none (None: some are left)."""
        marks = self._of(key)
        if not marks:
            return zones, None
        whole = marks.get(EVERY_ZONE) or marks.get(key.zone)
        if whole is not None:
            return (), whole
        left = tuple(zone for zone in zones if zone not in marks)
        if left or not zones:
            return left, None
        return (), marks[zones[0]]

    def on(self, slot: Slot) -> tuple[SetAside, ...]:
        """Marks on any zone of a slot, in order of zone."""
        kind = (slot.cloud, slot.region, slot.instance_type, slot.capacity_type)
        marks = self._marks.get(kind, {})
        return tuple(
            marks[zone] for zone in sorted(marks) if zone == EVERY_ZONE or zone in slot.zones
        )

    def next_end(self) -> datetime | None:
        """When the first of the marks ends."""
        ends = [mark.until for marks in self._marks.values() for mark in marks.values()]
        return min(ends, default=None)

    def describe(self, mark: SetAside) -> str:
        """`p4d.24xlarge spot us-east-1a: evicted 5 min ago`."""
        where = mark.zone or mark.region
        minutes = int((self.now - mark.since).total_seconds() // 60)
        what = {
            SetAsideReason.EVICTED: "evicted",
            SetAsideReason.NO_CAPACITY: "no capacity",
            SetAsideReason.QUOTA: "over quota",
        }[mark.reason]
        return f"{mark.instance_type} {mark.capacity_type} {where}: {what} {minutes} min ago"

    def _of(self, key: OfferKey) -> Mapping[str, SetAside]:
        return self._marks.get((key.cloud, key.region, key.instance_type, key.capacity_type), {})


class Quotas:
    """vCPUs that an account may have, less what is in use; a ledger for one call of deciding."""

    def __init__(self, quotas: Iterable[Quota]) -> None:
        self._quotas = tuple(quotas)
        self._used = [0] * len(self._quotas)

    def __bool__(self) -> bool:
        """Whether any quota is known."""
        return bool(self._quotas)

    def use(self, key: OfferKey, vcpus: int) -> None:
        """Count vCPUs as in use; a negative number gives them back."""
        for position, _ in self._matching(key):
            self._used[position] += vcpus

    def shortage(self, key: OfferKey, vcpus: int) -> str:
        """Which quota so many more vCPUs would break, in words; empty when none."""
        for position, quota in self._matching(key):
            left = quota.vcpus - self._used[position]
            if vcpus > left:
                kind = str(quota.capacity_type).replace("_", "-")
                family = f" of {quota.family}" if quota.family else ""
                return (
                    f"the {kind} quota{family} in {quota.cloud}/{quota.region} has {max(left, 0)} "
                    f"of {quota.vcpus} vCPUs left, {vcpus} are needed"
                )
        return ""

    def _matching(self, key: OfferKey) -> Iterable[tuple[int, Quota]]:
        kind = key.instance_type.casefold()
        for position, quota in enumerate(self._quotas):
            if (
                quota.cloud == key.cloud
                and quota.region == key.region
                and quota.capacity_type == key.capacity_type
                and kind.startswith(quota.family.casefold())
            ):
                yield position, quota
