"""What a pool's rules come to: staying where it is, or the best of what there is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.decide.amounts import nodes_for, total_gpus
from multicloud.decide.bid import bid_for
from multicloud.decide.parts import ALL, NONE, Part, shares_of, trimmed
from multicloud.decide.query import Query, lost_to
from multicloud.decide.rank import Metric, metric_of
from multicloud.decide.situation import wished_of
from multicloud.decide.standing import Standing, standing
from multicloud.decide.tiers import Ask, Filling, fill
from multicloud.decide.zones import offer_keys
from multicloud.models.need import Interconnect, Spread
from multicloud.models.pool import Fixed, IfNone

if TYPE_CHECKING:
    from fractions import Fraction

    from multicloud.decide.situation import Running, Situation
    from multicloud.models.need import Need
    from multicloud.models.offer import OfferKey
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Outcome, Rule, Tier

OTHERWISE = "otherwise"
EXPIRES = "expires"


@dataclass(frozen=True, slots=True, eq=False)
class Stay:
    """What runs, kept and brought to size. `standings` are its groups' places in the rule.

    `is_last_resort` marks one that lacks nodes, or cannot grow, where moving the whole pool is
    better if only there is a place.
    """

    filling: Filling
    standings: tuple[Standing, ...]
    is_last_resort: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """The rule that decides and what it offers. `rule` is its name, None without any outcome.

    Either `fixed` is set, or `best` (what the tiers have) with `stay` (None: nothing of the
    running may stay). `passed` are rules that held, had nothing and let the next go on.
    """

    rule: str | None
    need: Need
    tiers: tuple[Tier, ...] = ()
    fixed: Fixed | None = None
    stay: Stay | None = None
    best: Filling | None = None
    passed: tuple[Resolved, ...] = ()

    @property
    def is_had(self) -> bool:
        """Whether the rule gives anything."""
        return self.fixed is not None or self.stay is not None or self.has_best

    @property
    def has_best(self) -> bool:
        """Whether the tiers have anything new to give."""
        return self.best is not None and bool(self.best.placements)


def resolve(sit: Situation) -> Resolved:
    """The first rule that holds, or the next where it has nothing and says so; else otherwise.

    A pool that has expired is off, whatever its rules say.
    """
    expires = sit.pool.expires
    if expires is not None and expires <= sit.now:
        return Resolved(rule=EXPIRES, need=sit.pool.need, fixed=Fixed.OFF)
    passed: list[Resolved] = []
    for position in sit.matches:
        rule = sit.pool.rules[position]
        found = of_rule(sit, rule)
        if found.is_had or rule.if_none is IfNone.WAIT:
            return replace(found, passed=tuple(passed)) if passed else found
        passed.append(found)
    name = None if sit.pool.otherwise is None else OTHERWISE
    outcome = Fixed.OFF if sit.pool.otherwise is None else sit.pool.otherwise
    found = of_outcome(sit, name, sit.pool.need, outcome)
    return replace(found, passed=tuple(passed)) if passed else found


def first_feasible(sit: Situation) -> Resolved:
    """The first rule with a place to run, whatever its condition: what `hold on` asks for."""
    found = None
    for rule in sit.pool.rules:
        if isinstance(rule.outcome, Fixed):
            continue
        one = of_rule(sit, rule)
        if one.fixed is None and one.is_had:
            return one
        found = found or one
    return found or of_outcome(sit, None, sit.pool.need, Fixed.OFF)


def of_rule(sit: Situation, rule: Rule) -> Resolved:
    """What one rule offers, whether it holds or not."""
    return of_outcome(sit, rule.name, rule.need, rule.outcome)


def of_outcome(sit: Situation, name: str | None, need: Need, outcome: Outcome) -> Resolved:
    """What an outcome comes to; a need of nothing is `off`."""
    if isinstance(outcome, Fixed):
        return Resolved(rule=name, need=need, fixed=outcome)
    if all(wish.is_empty for wish in need.wishes):
        return Resolved(rule=name, need=need, fixed=Fixed.OFF)
    ask = ask_for(sit, name, need, outcome)
    stay = stay_in(sit, ask)
    best = fill(sit, ask)
    if stay is not None and stay.is_last_resort and best.placements and not best.missing:
        stay = None
    return Resolved(rule=name, need=need, tiers=outcome, stay=stay, best=best)


def ask_for(sit: Situation, name: str | None, need: Need, tiers: tuple[Tier, ...]) -> Ask:
    """The whole need from a rule's tiers, given what runs."""
    return Ask(name=name or "", need=need, tiers=tiers, kept=_kept(sit), without=_unable(sit))


def stay_in(sit: Situation, ask: Ask) -> Stay | None:
    """What runs and may stay in the rule's tiers, with what it lacks filled from them."""
    held = [(running, standing(sit, running, ask.need, ask.tiers)) for running in sit.running]
    allowed = [(running, place) for running, place in held if place is not None]
    if not allowed:
        return None
    only = allowed[0] if len(sit.running) == 1 else None
    if only is not None and not only[0].is_lost:
        return _resized(sit, ask, *only)
    return _topped_up(sit, ask, allowed)


def _resized(sit: Situation, ask: Ask, running: Running, place: Standing) -> Stay | None:
    """One group, brought to the size that the rule asks for."""
    placement = _renewed(sit, ask, running, place)
    per_node = placement.gpus_per_node
    nodes = nodes_for(place.wish, per_node)
    most = ask.tiers[place.tier].max_gpus
    if most is not None and ask.need.spread is Spread.PLACES:
        nodes = min(nodes, int(most // per_node))
    growth = nodes - running.asked
    query = _query(sit, ask, ask.tiers[place.tier])
    if growth > 0 and lost_to(query, place.row, growth) is not None:
        return _short(ask, placement, place)
    if nodes * per_node < total_gpus(place.wish, per_node):
        return _topped_up(sit, ask, [(running, place)])
    part = _part(placement, place, nodes=nodes)
    return Stay(_kept_filling(ask, (part,)), (place,))


def _topped_up(sit: Situation, ask: Ask, allowed: list[tuple[Running, Standing]]) -> Stay | None:
    """Several groups, or one that lost nodes for good: the rest comes from the next candidates."""
    kept = trimmed(
        _part(_renewed(sit, ask, running, place), place, nodes=running.alive)
        if running.is_lost
        else _part(_renewed(sit, ask, running, place), place)
        for running, place in allowed
        if running.alive or not running.is_lost
    )
    if not kept:
        return None
    slots = {part.placement.slot for part in kept}
    standings = tuple(p for r, p in allowed if r.placement.slot in slots)
    left = ALL - sum((part.share for part in kept), NONE)
    if left <= 0:
        return Stay(_kept_filling(ask, kept), standings)
    used: dict[int, Fraction] = {}
    for part in kept:
        used[part.tier] = used.get(part.tier, NONE) + part.share
    rest = fill(sit, replace(ask, share=left, used=used))
    if rest.parts:
        parts = trimmed((*kept, *rest.parts))
    else:
        # Nobody else has them: a group that was not evicted goes on trying to refill itself.
        wished = {r.placement.slot: r.placement.nodes for r in sit.running if not r.is_evicted}
        parts = tuple(_at_least(part, wished.get(part.placement.slot, 0)) for part in kept)
    filling = replace(rest, parts=parts, shares=shares_of(parts, len(ask.tiers)))
    together = any(wish.interconnect is not Interconnect.ANY for wish in ask.need.wishes)
    return Stay(filling, standings, is_last_resort=together or bool(rest.missing))


def _part(placement: Placement, place: Standing, *, nodes: int | None = None) -> Part:
    """A running group as part of the need, with its wished nodes or the given number."""
    if nodes is not None:
        placement = replace(placement, nodes=nodes)
    per_node = placement.gpus_per_node / total_gpus(place.wish, placement.gpus_per_node)
    return Part(placement, place.tier, per_node)


def _at_least(part: Part, nodes: int) -> Part:
    placement = part.placement
    return replace(part, placement=replace(placement, nodes=max(nodes, placement.nodes)))


def _short(ask: Ask, placement: Placement, place: Standing) -> Stay:
    """A group that cannot grow, as it is; the rest of the need is missing."""
    part = _part(placement, place)
    filling = replace(_kept_filling(ask, (part,)), missing=ALL - part.share)
    return Stay(filling, (place,), is_last_resort=True)


def _kept_filling(ask: Ask, parts: tuple[Part, ...]) -> Filling:
    return Filling(parts=parts, shares=shares_of(parts, len(ask.tiers)), missing=NONE)


def _renewed(sit: Situation, ask: Ask, running: Running, place: Standing) -> Placement:
    """The running group with its cap and reservation of today; place and size unchanged."""
    tier = ask.tiers[place.tier]
    return replace(
        running.placement,
        bid=bid_for(place.row.priced.offer, tier.max_price, sit.ledgers.fx),
        reservation=tier.reservation,
        least=sit.pool.autoscaler.min_nodes if sit.pool.autoscaler else None,
    )


def _kept(sit: Situation) -> dict[OfferKey, tuple[str, ...]]:
    """Zones of running groups by the offers that they may be of; evicted ones keep none."""
    return {
        key: running.placement.slot.zones
        for running in sit.running
        if not running.is_lost
        for key in offer_keys(running.placement.slot)
    }


def _unable(sit: Situation) -> frozenset[OfferKey]:
    """Offers of groups that failed to refill themselves; evicted zones are set aside anyhow."""
    return frozenset(
        key
        for running in sit.running
        if running.is_lost and not running.is_evicted
        for key in offer_keys(running.placement.slot)
    )


def _query(sit: Situation, ask: Ask, tier: Tier) -> Query:
    return Query(book=sit.book, ledgers=sit.ledgers, pool=sit.pool, need=ask.need, tier=tier)


def is_better(sit: Situation, found: Resolved, best: Filling, stay: Filling) -> bool:
    """Whether the best is to be preferred to staying: by tier first, then strictly by cost.

    What costs an unknown amount stays: nothing is known to be cheaper.
    """
    if best.shares != stay.shares:
        return best.shares > stay.shares
    paid, asked = cost_of(sit, found, stay), cost_of(sit, found, best)
    return paid is not None and asked is not None and asked < paid


def cost_of(sit: Situation, found: Resolved, filling: Filling) -> Metric | None:
    """What `prefer` compares; None when a price is unknown."""
    query = Query(
        book=sit.book,
        ledgers=sit.ledgers,
        pool=sit.pool,
        need=found.need,
        tier=found.tiers[0],
    )
    return metric_of(query, filling.placements)


def target(sit: Situation, found: Resolved) -> tuple[Placement, ...]:
    """What the rules ask for now, timers and guards apart."""
    if found.fixed is Fixed.OFF:
        return ()
    if found.fixed is Fixed.HOLD:
        return wished_of(sit.running)
    stay, best = found.stay, found.best
    if stay is None:
        return best.placements if best else ()
    if best and best.placements and is_better(sit, found, best, stay.filling):
        return best.placements
    return stay.filling.placements
