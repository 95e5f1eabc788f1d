"""What is not to be tried for a while: set-asides, evictions and quotas (POLICY meaning 9)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.decision import Reject
from multicloud.models.memory import SetAsideReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from multicloud.models.account import Quota
    from multicloud.models.memory import SetAside
    from multicloud.models.offer import CapacityType, Cloud, OfferKey, Shape
    from multicloud.models.placement import Slot

EVERY_ZONE = ""
REASONS = {
    SetAsideReason.NO_CAPACITY: Reject.SET_ASIDE,
    SetAsideReason.EVICTED: Reject.EVICTED,
    SetAsideReason.QUOTA: Reject.QUOTA,
    SetAsideReason.NO_STOCK: Reject.SET_ASIDE,
}
UNITS = {"vcpu": "vCPUs", "gpu": "GPUs", "node": "nodes"}

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
            SetAsideReason.NO_STOCK: "sold out, as told",
        }[mark.reason]
        return f"{mark.instance_type} {mark.capacity_type} {where}: {what} {minutes} min ago"

    def _of(self, key: OfferKey) -> Mapping[str, SetAside]:
        return self._marks.get((key.cloud, key.region, key.instance_type, key.capacity_type), {})


class Quotas:
    """What accounts may have, less what is in use; a ledger for one call of deciding.

    What a cloud says is in use counts where it is more than what is known to run.
    """

    def __init__(self, quotas: Iterable[Quota]) -> None:
        self._quotas = tuple(quotas)
        self._ours = [Decimal(0)] * len(self._quotas)
        self._others = [Decimal(0)] * len(self._quotas)

    def __bool__(self) -> bool:
        """Whether any quota is known."""
        return bool(self._quotas)

    def use(self, key: OfferKey, shape: Shape, nodes: int) -> None:
        """Count nodes as in use; a negative number gives them back."""
        for position, quota in self._matching(key):
            self._ours[position] += _amount(quota, shape, nodes)

    def count_others(self) -> None:
        """Take what clouds say is in use beyond what was counted until now as somebody else's."""
        for position, quota in enumerate(self._quotas):
            used = quota.used or Decimal(0)
            self._others[position] = max(Decimal(0), used - self._ours[position])

    def shortage(self, key: OfferKey, shape: Shape, nodes: int) -> str:
        """Which quota so many more nodes would break, in words; empty when none."""
        for position, quota in self._matching(key):
            left = quota.limit - self._ours[position] - self._others[position]
            needed = _amount(quota, shape, nodes)
            if needed > left:
                return (
                    f"the quota {quota.name} in {quota.cloud}/{quota.zone or quota.region} has "
                    f"{_plain(max(left, Decimal(0)))} of {_plain(quota.limit)} "
                    f"{UNITS[quota.unit]} left, {_plain(needed)} are needed"
                )
        return ""

    def _matching(self, key: OfferKey) -> Iterable[tuple[int, Quota]]:
        for position, quota in enumerate(self._quotas):
            if _bounds(quota, key):
                yield position, quota


def _bounds(quota: Quota, key: OfferKey) -> bool:
    """Whether nodes of an offer count; a zone's quota does not bound who may go to others."""
    if (quota.cloud, quota.region) != (key.cloud, key.region):
        return False
    wrong_zone = quota.zone and quota.zone != key.zone
    if wrong_zone or (quota.capacity and key.capacity_type not in quota.capacity):
        return False
    kind = key.instance_type.casefold()
    return not quota.families or any(kind.startswith(f.casefold()) for f in quota.families)


def _amount(quota: Quota, shape: Shape, nodes: int) -> Decimal:
    """What so many nodes take of a quota, in its unit."""
    if quota.unit == "vcpu":
        return Decimal(shape.vcpus * nodes)
    if quota.unit == "gpu":
        gpus = shape.gpus * nodes
        return Decimal(gpus.numerator) / gpus.denominator
    return Decimal(nodes)


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"
