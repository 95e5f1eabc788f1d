"""Whether moving for a lower price, or back to a higher tier, is worth it and due yet.

POLICY meanings 8 and 9. Only what costs and prices are asked of goes through here: changes by
the clock, the policy or capacity act at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.decide.choice import ask_for, cost_of, is_better
from multicloud.decide.query import Query
from multicloud.decide.rank import rank
from multicloud.decide.text import duration, percent, when
from multicloud.decide.tiers import fill
from multicloud.models.pool import Checkpoint
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from multicloud.decide.choice import Resolved
    from multicloud.decide.situation import Situation
    from multicloud.decide.tiers import Filling
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy

DAY = timedelta(days=1)
HOUR = Decimal(3600)
# A place whose saving began earlier is looked for among so many of the best.
REMEMBERED_AMONG = 50


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What became of a possible move. `filling` is where to go when `is_allowed`.

    `is_due` says that only a timer forbids it, until `check_at`. `signal` is what to remember
    of the saving: for which place, and since when.
    """

    is_allowed: bool
    is_due: bool = False
    reason: str = ""
    filling: Filling | None = None
    signal: tuple[str, datetime] | None = None
    check_at: datetime | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """A price move in figures: USD per hour saved and its share, and what moving costs."""

    share: Decimal
    gain: Decimal
    cost: Decimal | None


def price_move(
    sit: Situation, found: Resolved, stay: Filling, *, policy: Policy, rule_until: datetime | None
) -> Verdict:
    """Whether to leave `stay` for a cheaper place in the same tiers, at fresh prices only."""
    if any(p.price.state is not PriceState.FRESH for p in stay.placements):
        return Verdict(is_allowed=False, reason="Prices that are not fresh move nothing.")
    ask = ask_for(sit, found.rule, found.need, found.tiers)
    best = fill(sit, replace(ask, fresh_only=True))
    if not best.placements or best.missing or not is_better(sit, found, best, stay):
        return Verdict(is_allowed=False, reason="Prices that are not fresh move nothing.")
    balance = _balance(sit, found, stay, best, rule_until)
    moves = sit.pool.moves
    name = _name(best.placements)
    if balance.share < moves.min_saving:
        less = f"{percent(balance.share)}, less than min_saving {percent(moves.min_saving)}"
        return Verdict(is_allowed=False, reason=f"{name} would save {less}.")
    if balance.cost is None:
        why = "the price of its egress is not known"
        return Verdict(is_allowed=False, reason=f"{name} would be cheaper, but {why}.")
    if balance.gain <= balance.cost:
        figures = f"would save {balance.gain:.2f} USD and cost {balance.cost:.2f} USD to move to"
        return Verdict(is_allowed=False, reason=f"{name} {figures}.")
    key, since = _signal(sit, found, stay, best)
    timers = (
        (
            since + moves.signal_for,
            f"its price has been lower for less than {duration(moves.signal_for)}",
        ),
        *_stay_timers(sit),
    )
    head = f"{name} saves {percent(balance.share)}"
    return _timed(sit, policy, best, head=head, timers=timers, signal=(key, since))


def upper_tier(sit: Situation, best: Filling, *, policy: Policy) -> Verdict:
    """Whether to go back to a higher tier: after `retry_upper_tier`, with no saving needed."""
    memory = sit.memory
    fell = memory.fell_back_at or memory.changed_at
    wait = sit.pool.retry.retry_upper_tier
    timers = _stay_timers(sit)
    if fell is not None:
        timers = ((fell + wait, f"it came down less than {duration(wait)} ago"), *timers)
    head = f"Tier {best.tier + 1} has {_name(best.placements)} again"
    return _timed(sit, policy, best, head=head, timers=timers, signal=None)


def flip(sit: Situation, *, policy: Policy) -> Verdict:
    """Whether a price condition that turned may already end what runs: `min_stay` first."""
    head = "A price condition turned"
    return _timed(sit, policy, None, head=head, timers=_stay_timers(sit), signal=None)


Timer = tuple[datetime, str]


def _timed(
    sit: Situation,
    policy: Policy,
    filling: Filling | None,
    *,
    head: str,
    timers: tuple[Timer, ...],
    signal: tuple[str, datetime] | None,
) -> Verdict:
    """Allowed when every timer is over; else due at the last of them."""
    end, why = max(timers, key=lambda timer: timer[0], default=(sit.now, ""))
    if end <= sit.now:
        return Verdict(is_allowed=True, filling=filling, signal=signal)
    at = when(end, sit.now, policy.timezone)
    return Verdict(
        is_allowed=False,
        is_due=True,
        reason=f"{head}, but {why}: held until {at}.",
        filling=filling,
        signal=signal,
        check_at=min(end for end, _ in timers if end > sit.now),
    )


def _stay_timers(sit: Situation) -> tuple[Timer, ...]:
    """`min_stay` since the last change, and `max_per_day` over the last 24 hours."""
    moves, memory = sit.pool.moves, sit.memory
    timers: list[Timer] = []
    if memory.changed_at is not None:
        text = f"the last change was less than {duration(moves.min_stay)} ago"
        timers.append((memory.changed_at + moves.min_stay, text))
    recent = sorted(at for at in memory.price_moves if at > sit.now - DAY)
    if len(recent) >= moves.max_per_day:
        text = f"it has moved {len(recent)} times in a day"
        # So many must be a day old that one move fewer than the most is left.
        oldest = recent[len(recent) - moves.max_per_day] if moves.max_per_day else sit.now
        timers.append((oldest + DAY, text))
    return tuple(timers)


def _balance(
    sit: Situation,
    found: Resolved,
    stay: Filling,
    best: Filling,
    rule_until: datetime | None,
) -> Balance:
    old_usd, new_usd = _usd(stay.placements), _usd(best.placements)
    share = _share_saved(sit, found, stay, best)
    hours = sit.pool.moves.horizon
    if rule_until is not None:
        hours = min(hours, rule_until - sit.now)
    timeouts = sit.pool.timeouts
    restore = (sit.pool.checkpoint or Checkpoint()).restore
    overlap = old_usd * _hours(timeouts.boot + timeouts.drain)
    egress = egress_usd(sit, stay.placements, best.placements)
    cost = None if egress is None else overlap + new_usd * _hours(restore) + egress
    return Balance(share, old_usd * share * _hours(hours), cost)


def _share_saved(sit: Situation, found: Resolved, stay: Filling, best: Filling) -> Decimal:
    """The part of the old cost (or of the cost per throughput) that the new one saves."""
    old, new = cost_of(sit, found, stay), cost_of(sit, found, best)
    if old is None or new is None or old[0] != new[0]:
        # Figures of throughput are known of one of them only: money alone is compared.
        paid, asked = _usd(stay.placements), _usd(best.placements)
    else:
        paid, asked = old[1], new[1]
    return (paid - asked) / paid if paid else Decimal(0)


def egress_usd(
    sit: Situation, old: tuple[Placement, ...], new: tuple[Placement, ...]
) -> Decimal | None:
    """What taking the checkpoint out of the old region costs; None when no price is known."""
    size = (sit.pool.checkpoint or Checkpoint()).size_gib
    there = {(p.slot.cloud, p.slot.region) for p in new}
    prices = []
    for placement in old:
        cloud, region = placement.slot.cloud, placement.slot.region
        if (cloud, region) not in there and size:
            facts = CLOUDS[cloud].regions.get(region)
            if facts is None or facts.egress_usd_per_gib is None:
                return None
            prices.append(facts.egress_usd_per_gib)
    return size * max(prices, default=Decimal(0))


def _signal(sit: Situation, found: Resolved, stay: Filling, best: Filling) -> tuple[str, datetime]:
    """For which place the saving holds, and since when.

    A remembered place that still saves enough carries its signal on, though another be cheaper
    by now: what must last is the saving, not the order of the cheapest.
    """
    memory = sit.memory
    key = "+".join(p.slot.digest for p in best.placements)
    if memory.signal_since is None:
        return key, sit.now
    if memory.signal_key == key or _still_saves(sit, found, stay, memory.signal_key):
        return memory.signal_key, memory.signal_since
    return key, sit.now


def _still_saves(sit: Situation, found: Resolved, stay: Filling, key: str) -> bool:
    tier = found.tiers[stay.tier]
    query = Query(
        book=sit.book,
        ledgers=sit.ledgers,
        pool=sit.pool,
        need=found.need,
        tier=tier,
        fresh_only=True,
    )
    paid = cost_of(sit, found, stay)
    for candidate in islice(rank(query), REMEMBERED_AMONG):
        if any(p.slot.digest == key for p in candidate.placements):
            least = 1 - sit.pool.moves.min_saving
            return (
                paid is not None
                and candidate.metric[0] == paid[0]
                and candidate.metric[1] <= paid[1] * least
            )
    return False


def _usd(placements: tuple[Placement, ...]) -> Decimal:
    """USD per hour of placements whose prices are known."""
    return sum((p.usd_per_hour or Decimal(0) for p in placements), Decimal(0))


def _hours(span: timedelta) -> Decimal:
    return Decimal(int(span.total_seconds())) / HOUR


def _name(placements: tuple[Placement, ...]) -> str:
    return " + ".join(
        f"{p.slot.instance_type} {p.slot.capacity_type} {p.slot.cloud}/{p.slot.region}"
        for p in placements
    )
