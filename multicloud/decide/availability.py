"""How often nodes were to be had of late, out of what clouds said of their stock (ADR 12)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from multicloud.models.condition import AvailabilityCondition
from multicloud.models.memory import SetAside, SetAsideReason
from multicloud.policy.window import market_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from multicloud.models.feed import Look
    from multicloud.models.offer import Cloud, OfferKey
    from multicloud.models.pool import Policy

SHARE = Decimal("0.0001")
LOOK_HOLDS = timedelta(minutes=30)
"""So long a look that found nothing keeps an offer from being tried: as long as a failed try."""

Region = tuple["Cloud", str]


class History(NamedTuple):
    """Looks at one region in order of time; `had[i]` counts those with stock from `times[i]` on."""

    times: tuple[datetime, ...]
    had: tuple[int, ...]

    def share(self, after: datetime) -> Decimal | None:
        """The share of looks later than `after` that found stock; None without any."""
        start = bisect_right(self.times, after)
        left = len(self.times) - start
        return (Decimal(self.had[start]) / left).quantize(SHARE) if left else None


@dataclass(frozen=True, slots=True)
class Looks:
    """Looks at some offers within `(now - last, now]`, joined by region and instant."""

    by_region: Mapping[Region, History]

    def share(self, after: datetime) -> Decimal | None:
        """The best region's share of looks later than `after`; None without any."""
        shares = (history.share(after) for history in self.by_region.values())
        return max((share for share in shares if share is not None), default=None)

    def next_flip(self, now: datetime, last: timedelta, at_least: Decimal) -> datetime | None:
        """When time alone turns the answer to "is the share at least `at_least`?".

        Looks leave one by one as they get older than `last`. When all have left the answer
        stays as it was.
        """
        share = self.share(now - last)
        times = {at for history in self.by_region.values() for at in history.times}
        for at in sorted(times):
            then = self.share(at)
            if share is None or then is None:
                return None
            if (then >= at_least) != (share >= at_least):
                return at + last
        return None


def looking_back(policies: Iterable[Policy]) -> timedelta:
    """How far back looks at stock count for any rule of these policies."""
    conditions = (
        condition
        for policy in policies
        for pool in policy.pools
        for rule in pool.rules
        for condition in market_parts(rule.when)
    )
    spans = (c.last for c in conditions if isinstance(c, AvailabilityCondition))
    return max((LOOK_HOLDS, *spans))


def sold_out(told: Mapping[OfferKey, tuple[Look, ...]], now: datetime) -> Iterator[SetAside]:
    """Marks on offers of which the newest look, if it is new enough, found none."""
    for key, looks in told.items():
        newest = max(_within(looks, now, LOOK_HOLDS), key=lambda k: k.looked_at, default=None)
        if newest is not None and not newest.stock.is_to_be_had:
            yield SetAside(
                cloud=key.cloud,
                region=key.region,
                zone=key.zone,
                instance_type=key.instance_type,
                capacity_type=key.capacity_type,
                reason=SetAsideReason.NO_STOCK,
                since=newest.looked_at,
                until=newest.looked_at + LOOK_HOLDS,
            )


def looks_at(
    told: Mapping[OfferKey, tuple[Look, ...]],
    keys: Iterable[OfferKey],
    now: datetime,
    last: timedelta,
) -> Looks:
    """What is known of the stock of these offers within `(now - last, now]`."""
    had: dict[Region, dict[datetime, bool]] = defaultdict(dict)
    for key in keys:
        for look in _within(told.get(key, ()), now, last):
            region = had[key.cloud, key.region]
            at = look.looked_at
            region[at] = region.get(at, False) or look.stock.is_to_be_had
    return Looks({region: _history(looks) for region, looks in had.items()})


def _history(looks: Mapping[datetime, bool]) -> History:
    times = tuple(sorted(looks))
    later = accumulate((looks[at] for at in reversed(times)), initial=0)
    return History(times, tuple(reversed(tuple(later))))


def _within(looks: tuple[Look, ...], now: datetime, last: timedelta) -> Iterator[Look]:
    return (look for look in looks if now - last < look.looked_at <= now)
