"""From what the rules ask for to what is done now: timers, overrides and causes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from multicloud.decide.choice import first_feasible, is_better, target
from multicloud.decide.moves import Verdict, flip, price_move, upper_tier
from multicloud.decide.situation import before_of, sizes, wished_of
from multicloud.decide.standing import CAP_SIGNAL
from multicloud.decide.text import when
from multicloud.models.decision import Cause
from multicloud.models.memory import OverrideKind
from multicloud.models.pool import Fixed

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from multicloud.decide.cause import Causes
    from multicloud.decide.choice import Resolved
    from multicloud.decide.situation import Situation
    from multicloud.decide.tiers import Filling
    from multicloud.models.memory import Override
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What is done now. `wanted` is what a timer or override keeps from being done.

    `is_held` says that a change is due and forbidden for now. `is_settled` says that prices
    and truths as they are ask for exactly what is done, so that they may be remembered with it.
    `moved_for_price` counts against `max_per_day`.
    """

    after: tuple[Placement, ...]
    wanted: tuple[Placement, ...]
    cause: Cause | None
    filling: Filling | None = None
    is_held: bool = False
    is_settled: bool = True
    moved_for_price: bool = False
    reasons: tuple[str, ...] = ()
    signal: tuple[str, datetime] | None = None
    checks: tuple[datetime, ...] = field(default=())


class Settler:
    """Settles one pool; the rules' outcome in, what is done out."""

    def __init__(
        self,
        sit: Situation,
        found: Resolved,
        *,
        policy: Policy,
        causes: Causes,
        rule_until: Callable[[], datetime | None],
    ) -> None:
        self._sit = sit
        self._found = found
        self._policy = policy
        self._causes = causes
        self._rule_until = rule_until
        self._has = before_of(sit.running)

    def settle(self) -> Settled:
        """What is done now by the rules and their timers."""
        found = self._found
        if found.fixed is Fixed.HOLD:
            return self._act(wished_of(self._sit.running), None)
        if found.fixed is Fixed.OFF or found.stay is None:
            return self._leave()
        stay, best = found.stay.filling, found.best
        if best is None or not best.placements or not is_better(self._sit, found, best, stay):
            return self._stay(stay)
        if best.shares > stay.shares:
            return self._rise(stay, best)
        return self._save(stay, best)

    def _leave(self) -> Settled:
        """Nothing of what runs may stay: the best of the tiers, or nothing."""
        after = target(self._sit, self._found)
        filling = None if self._found.fixed is Fixed.OFF else self._found.best
        settled = self._act(after, filling)
        if settled.cause is not Cause.PRICE or not self._has:
            return settled
        past = self._causes.past()
        if past is None or past.rule == self._found.rule:
            return settled  # over its cap for long enough, which no timer protects
        verdict = flip(self._sit, policy=self._policy)
        return settled if verdict.is_allowed else self._held(verdict, after)

    def _stay(self, stay: Filling) -> Settled:
        """Where it is, brought to size; while over a cap, until the signal has lasted."""
        over = [s for s in self._found.stay.standings if s.leaves_at] if self._found.stay else []
        settled = self._act(stay.placements, stay)
        if not over:
            return settled
        since = min(s.over_since for s in over if s.over_since)
        ends = min(s.leaves_at for s in over if s.leaves_at)
        at = when(ends, self._sit.now, self._policy.timezone)
        return Settled(
            after=settled.after,
            wanted=settled.after,
            cause=settled.cause,
            filling=stay,
            is_held=settled.cause is None,
            is_settled=False,
            reasons=(f"Its price is over the cap: it must go if that lasts until {at}.",),
            signal=(CAP_SIGNAL, since),
            checks=(ends,),
        )

    def _rise(self, stay: Filling, best: Filling) -> Settled:
        """Back to a higher tier: at once for the clock and the policy, else after its timers."""
        cause = self._rise_cause(stay, best)
        if cause not in (Cause.CAPACITY, Cause.PRICE):
            return self._act(best.placements, best, cause=cause)
        verdict = upper_tier(self._sit, best, policy=self._policy)
        if verdict.is_allowed:
            return self._act(best.placements, best, cause=cause, for_price=True)
        return self._put_off(stay, best.placements, verdict)

    def _rise_cause(self, stay: Filling, best: Filling) -> Cause:
        causes = self._causes
        is_new = causes.is_outside() or causes.is_policy() or causes.is_clock()
        if self._sit.memory.fell_back_at is not None and not is_new:
            return Cause.CAPACITY
        past = causes.past()
        if past is not None and past.sizes == sizes(stay.placements):
            return Cause.PRICE
        if causes.is_outside() and sizes(stay.placements) != sizes(self._has):
            return Cause.OUTSIDE
        if causes.is_policy():
            return Cause.POLICY
        if causes.is_clock():
            return causes.of(sizes(best.placements))
        return Cause.CAPACITY

    def _save(self, stay: Filling, best: Filling) -> Settled:
        """A cheaper place in the same tiers: a price move if old quotes would let it stay."""
        past = self._causes.past()
        if past is not None and past.sizes != sizes(stay.placements):
            return self._act(best.placements, best)
        verdict = price_move(
            self._sit, self._found, stay, policy=self._policy, rule_until=self._rule_until()
        )
        if verdict.is_allowed and verdict.filling is not None:
            return self._act(
                verdict.filling.placements, verdict.filling, cause=Cause.PRICE, for_price=True
            )
        return self._put_off(stay, best.placements, verdict)

    def _put_off(self, stay: Filling, wanted: tuple[Placement, ...], verdict: Verdict) -> Settled:
        """Staying for now; `wanted` counts as held only when a timer alone is in the way."""
        settled = self._act(stay.placements, stay)
        if verdict.filling is not None:
            wanted = verdict.filling.placements
        return Settled(
            after=settled.after,
            wanted=wanted if verdict.is_due else settled.after,
            cause=settled.cause,
            filling=stay,
            is_held=verdict.is_due and settled.cause is None,
            is_settled=False,
            reasons=(verdict.reason,),
            signal=verdict.signal,
            checks=() if verdict.check_at is None else (verdict.check_at,),
        )

    def _held(self, verdict: Verdict, wanted: tuple[Placement, ...]) -> Settled:
        return Settled(
            after=self._has,
            wanted=wanted,
            cause=None,
            is_held=True,
            is_settled=False,
            reasons=(verdict.reason,),
            checks=() if verdict.check_at is None else (verdict.check_at,),
        )

    def _act(
        self,
        after: tuple[Placement, ...],
        filling: Filling | None,
        *,
        cause: Cause | None = None,
        for_price: bool = False,
    ) -> Settled:
        wanted = sizes(after)
        if wanted == sizes(self._has):
            cause = None
        elif cause is None:
            cause = self._causes.of(wanted)
        return Settled(
            after=after, wanted=after, cause=cause, filling=filling, moved_for_price=for_price
        )


def settle_override(
    sit: Situation, override: Override, by_rules: Settled, *, policy: Policy
) -> Settled:
    """What a person asked for, against the rules: `by_rules` is what they would do."""
    has = before_of(sit.running)
    cause = Cause.OVERRIDE
    if override.kind is OverrideKind.OFF:
        after: tuple[Placement, ...] = ()
        filling = None
    elif override.kind is OverrideKind.HOLD:
        # Lost nodes are refilled: place and size are what is held.
        after, filling, cause = wished_of(sit.running), None, Cause.CAPACITY
    else:
        found = first_feasible(sit)
        after = found.stay.filling.placements if found.stay else target(sit, found)
        filling = found.stay.filling if found.stay else found.best
    is_change = sizes(after) != sizes(has)
    return Settled(
        after=after,
        wanted=after if is_change else by_rules.wanted,
        cause=cause if is_change else None,
        filling=filling,
        is_held=not is_change and sizes(by_rules.after) != sizes(after),
        is_settled=False,
        reasons=(_override_text(sit, override, policy),),
        checks=() if override.until is None else (override.until,),
    )


def _override_text(sit: Situation, override: Override, policy: Policy) -> str:
    if override.until is None:
        end = "until it is released"
    else:
        end = f"until {when(override.until, sit.now, policy.timezone)}"
    if override.why:
        return f"{override.why} The pool is {override.kind} {end}."
    return f'Override "{override.kind}" by {override.by} holds {end}.'
