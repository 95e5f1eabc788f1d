"""What else a pool could cost: always on, on demand; and outside its rules."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.decide.barred import Barred, Quotas
from multicloud.decide.coverage import Coverage
from multicloud.decide.query import Ledgers, Query
from multicloud.decide.rank import best
from multicloud.models.offer import CapacityType
from multicloud.models.place import Place
from multicloud.models.pool import Fixed, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicloud.decide.book import Book
    from multicloud.models.decision import Stretch
    from multicloud.models.need import Need
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Outcome, Policy, Pool

# A month of the comparison: 30 days.
HOURS = 720
WORTH_TELLING = Decimal("0.20")
ANYWHERE = Place(text="any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """A place that the rules do not name and that costs at least a fifth less on demand.

    `saving` is the share of what the rules' own place costs.
    """

    pool: str
    placement: Placement
    saving: Decimal


def always_on(policy: Policy, pool: Pool, book: Book) -> Decimal | None:
    """USD of 720 h of the cheapest on-demand offer within the pool's own tiers, caps apart.

    None when none of them has a price, or the pool has no tiers. Commitments do not enter.
    """
    tiers = [tier for outcome in _outcomes(pool) for tier in outcome]
    found = [_cheapest(policy, pool, book, pool.need, _on_demand(tier)) for tier in tiers]
    costs = [p.usd_per_hour for p in found if p is not None and p.usd_per_hour is not None]
    return min(costs) * HOURS if costs else None


def outside_rules(
    policy: Policy, pool: Pool, book: Book, stretches: Iterable[Stretch]
) -> Outside | None:
    """The cheapest on-demand offer anywhere, if it is well below what the rules give.

    The pool is looked at as it is on now or next, by its `stretches`. `only_in` still holds.
    """
    stretch = next((s for s in stretches if s.pool == pool.name and s.placements), None)
    if stretch is None or not stretch.usd_per_hour:
        return None  # unknown, or paid for already: nothing is cheaper than that
    need = next((rule.need for rule in pool.rules if rule.name == stretch.rule), pool.need)
    anywhere = Tier(places=(ANYWHERE,), capacity=(CapacityType.ON_DEMAND,))
    found = _cheapest(policy, pool, book, need, anywhere)
    if found is None or found.usd_per_hour is None:
        return None
    saving = 1 - found.usd_per_hour / stretch.usd_per_hour
    if saving < WORTH_TELLING:
        return None
    return Outside(pool=pool.name, placement=found, saving=saving)


def _outcomes(pool: Pool) -> list[tuple[Tier, ...]]:
    outcomes: list[Outcome | None] = [*(rule.outcome for rule in pool.rules), pool.otherwise]
    return [one for one in outcomes if one is not None and not isinstance(one, Fixed)]


def _on_demand(tier: Tier) -> Tier:
    return Tier(
        places=tier.places,
        not_in=tier.not_in,
        capacity=(CapacityType.ON_DEMAND,),
        instance_types=tier.instance_types,
    )


def _cheapest(policy: Policy, pool: Pool, book: Book, need: Need, tier: Tier) -> Placement | None:
    now = book.market.now
    ledgers = Ledgers(
        fx=policy.fx,
        barred=Barred((), now),
        quotas=Quotas(()),
        coverage=Coverage((), now=now, fx=policy.fx),
    )
    query = Query(book=book, ledgers=ledgers, pool=pool, need=need, tier=tier)
    found = best(query, 1)
    return found[0].placements[0] if found else None
