"""Why a pool is where it is: the decision with every offer's fate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.decide.amounts import nodes_for
from multicloud.decide.bid import cap_usd
from multicloud.decide.call import Call
from multicloud.decide.decide import decide_all
from multicloud.decide.feasible import Judge, Row, criteria_of
from multicloud.decide.query import Query, lost_to
from multicloud.decide.rank import rank
from multicloud.decide.reserve import is_in_dates
from multicloud.decide.text import percent
from multicloud.errors import InvalidInputError
from multicloud.models.decision import Reject, Rejection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from multicloud.catalog.market import Priced
    from multicloud.catalog.snapshot import Snapshot
    from multicloud.decide.situation import Situation
    from multicloud.models.decision import Decision
    from multicloud.models.memory import Actual, Memory
    from multicloud.models.need import Need, Wish
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class TierView:
    """One tier of a rule: its candidates, best first, and every offer that lost, by key.

    With `spread: zones` a candidate is its first zone's placement.
    """

    rule: str
    index: int
    of: int
    candidates: tuple[Placement, ...]
    rejections: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A pool's decision and the tiers of the rule that led to it (none for `off`)."""

    decision: Decision
    tiers: tuple[TierView, ...]


def explain(
    policy: Policy,
    pool_name: str,
    now: datetime,
    snapshot: Snapshot,
    actual: Actual,
    memory: Memory,
) -> Explanation:
    """The decision that `decide` makes for the pool, and all that it chose from.

    Raises: InvalidInputError for a pool that is neither in the policy nor running.
    """
    call = Call(policy, now, snapshot, actual, memory)
    deciders, decisions = decide_all(call)
    decision = next((one for one in decisions if one.pool == pool_name), None)
    if decision is None:
        names = ", ".join(pool.name for pool in policy.pools)
        raise InvalidInputError(f'no pool "{pool_name}".', detail=f"The policy has {names}.")
    found = next((one for one in deciders if one.sit.pool.name == pool_name), None)
    views: tuple[TierView, ...] = ()
    if found is not None:
        resolved = found.found
        # Quotas as this pool met them are gone: what it takes itself counts as taken by now.
        views = tuple(
            _view(found.sit, resolved.rule or "", resolved.need, resolved.tiers, position)
            for position in range(len(resolved.tiers))
        )
    return Explanation(decision=decision, tiers=views)


def _view(
    sit: Situation, rule: str, need: Need, tiers: tuple[Tier, ...], position: int
) -> TierView:
    tier = tiers[position]
    query = Query(book=sit.book, ledgers=sit.ledgers, pool=sit.pool, need=need, tier=tier)
    rejections = [one for wish in need.wishes for one in _rejections(query, wish)]
    is_there = is_in_dates(tier.reservation, sit.now)
    if not is_there:
        rejections += [
            Rejection(offer=key, reason=Reject.OUT_OF_DATES, detail="")
            for wish in need.wishes
            for key in sit.book.of_tier(tier, wish, sit.pool.only_in).by_key
        ]
    return TierView(
        rule=rule,
        index=position,
        of=len(tiers),
        candidates=tuple(c.placements[0] for c in rank(query)) if is_there else (),
        rejections=tuple(sorted(rejections, key=lambda one: one.offer)),
    )


def _rejections(query: Query, wish: Wish) -> Iterator[Rejection]:
    """The fate of every offer that the wish may mean and the tier does not take."""
    criteria = criteria_of(query.tier, wish, query.pool.only_in)
    judge = Judge(criteria, query.book)
    for priced in query.book.candidates(criteria):
        row = judge.judge(priced)
        if isinstance(row, Reject):
            yield Rejection(offer=priced.key, reason=row, detail=_detail(priced, row))
            continue
        lost = _over(query, row) or lost_to(query, row, nodes_for(wish, priced.offer.shape.gpus))
        if lost is not None:
            yield Rejection(offer=priced.key, reason=lost[0], detail=lost[1])


def _detail(priced: Priced, reason: Reject) -> str:
    if reason is Reject.NO_RATE:
        return (
            f"{priced.price.amount} {priced.price.currency}, and fx has no {priced.price.currency}"
        )
    return ""


def _over(query: Query, row: Row) -> tuple[Reject, str] | None:
    cap, usd = query.tier.max_price, row.priced.price.usd
    if cap is not None and usd is not None:
        limit = cap_usd(cap, row.priced.offer.shape.gpus, query.ledgers.fx)
        if limit is None:
            return Reject.OVER_CAP, f"fx has no {cap.currency}"
        if usd > limit:
            return Reject.OVER_CAP, f"{usd:.4f} USD/node-h, cap {cap.text} = {limit:.4f} USD/node-h"
    if row.is_dear:
        least = query.tier.min_discount
        return Reject.LOW_DISCOUNT, "" if least is None else f"less than {percent(least)} off"
    return None
