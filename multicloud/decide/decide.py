"""What every pool of a policy shall have at one instant, and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from multicloud.decide.budgets import accounts, budget_warnings, held_by_budget, off_by_budget
from multicloud.decide.call import NEVER_SEEN, Call
from multicloud.decide.cause import Causes
from multicloud.decide.choice import resolve
from multicloud.decide.conditions import judge_rules
from multicloud.decide.guards import Draft, guard
from multicloud.decide.reasons import Story, cost_of, next_change, reasons, unmet, warnings
from multicloud.decide.remember import Facts, indexes_of, remember, remember_blocked
from multicloud.decide.settle import Settler, settle_override
from multicloud.decide.situation import before_of, order_of, price_now, sizes
from multicloud.decide.timeline import look_ahead
from multicloud.models.decision import Action, Cause, Decision
from multicloud.models.offer import CapacityType
from multicloud.models.pool import PriceTrust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from multicloud.catalog.snapshot import Snapshot
    from multicloud.decide.choice import Resolved
    from multicloud.decide.conditions import Verdicts
    from multicloud.decide.settle import Settled
    from multicloud.decide.situation import Situation
    from multicloud.decide.timeline import Ahead
    from multicloud.models.memory import Actual, Memory, Override, PoolMemory
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy, Pool

# Quotes are told to the second: one is old a second after its age is reached.
TICK = timedelta(seconds=1)


def decide(
    policy: Policy, now: datetime, snapshot: Snapshot, actual: Actual, memory: Memory
) -> tuple[Decision, ...]:
    """One decision per pool, in file order, then one for each pool that left the policy.

    Pure: no IO and no clock; equal inputs give equal output. `now` is aware. `actual` and
    `memory` are empty where nothing runs or nothing is stored. Quotas and commitments are
    given out in file order; limits hold over all pools together.
    """
    return decide_all(Call(policy, now, snapshot, actual, memory))[1]


def decide_all(call: Call) -> tuple[tuple[PoolDecider, ...], tuple[Decision, ...]]:
    """The decisions of a call with the deciders of the policy's pools, both in file order."""
    deciders = []
    drafts = []
    for pool in call.policy.pools:
        decider = PoolDecider(call, pool)
        deciders.append(decider)
        drafts.append(decider.draft())
    known = {pool.name for pool in call.policy.pools}
    gone = sorted(name for name in call.actual.pools if name not in known)
    drafts.extend(draft for name in gone for draft in _left(call, name))
    held = {d.sit.pool.name: held_by_budget(d.accounts) for d in deciders}
    return tuple(deciders), guard(tuple(drafts), call.policy, held)


class PoolDecider:
    """Decides on one pool within a call."""

    def __init__(self, call: Call, pool: Pool) -> None:
        self.call = call
        self._pool = pool
        self.verdicts: Verdicts = judge_rules(
            pool,
            call.now,
            clockwork=call.clockwork,
            book=call.book(pool.trust),
            fx=call.policy.fx,
            remembered=_memory(call, pool).truths,
        )
        self.sit: Situation = call.situation(pool, self.verdicts.matches)
        self.found: Resolved = resolve(self.sit)
        self.accounts = tuple(accounts(call.policy, pool, call.memory, call.now))
        # A person's word stands above the budget.
        self.override = _in_force(self.sit.memory.override, call.now) or off_by_budget(
            self.accounts, call.now
        )

    def draft(self) -> Draft:
        """The decision before limits, and its ledger entries made."""
        settled = self._settle()
        before = before_of(self.sit.running)
        facts = Facts(
            self.sit, self.found, self.verdicts, settled, self.call.policy.hash, self.override
        )
        ahead = look_ahead(
            self.sit,
            clockwork=self.call.clockwork,
            truths=self.verdicts.truths,
            rule=self.found.rule,
            after=settled.after,
        )
        decision = self._decision(settled, before, ahead, remember(facts))
        self.call.book_nodes(self._pool, before, decision.after)
        return Draft(decision, partial(remember_blocked, facts))

    def _settle(self) -> Settled:
        call, sit, found = self.call, self.sit, self.found
        last = sit.memory.last
        past = None if last is None else call.past_book(self._pool, last, rule=found.rule)
        causes = Causes(
            sit, found, policy_hash=call.policy.hash, past_book=past, clockwork=call.clockwork
        )
        settler = Settler(
            sit, found, policy=call.policy, causes=causes, rule_until=self._rule_until
        )
        settled = settler.settle()
        if self.override is None:
            return settled
        return settle_override(sit, self.override, settled, policy=call.policy)

    def _rule_until(self) -> datetime | None:
        """When another rule decides, by the clock."""
        return look_ahead(
            self.sit,
            clockwork=self.call.clockwork,
            truths=self.verdicts.truths,
            rule=self.found.rule,
            after=before_of(self.sit.running),
        ).rule_until

    def _decision(
        self,
        settled: Settled,
        before: tuple[Placement, ...],
        ahead: Ahead,
        memory: PoolMemory,
    ) -> Decision:
        call, found = self.call, self.found
        seen = call.actual.of(self._pool.name).sized_by_others
        story = Story(self.sit, found, settled, ahead, call.policy, call.snapshot.source, seen)
        after = before if settled.is_held else settled.after
        fallbacks = fallbacks_of(settled, before)
        best = found.best
        traces = () if best is None else best.traces
        change = ahead.change
        return Decision(
            policy=call.policy.name,
            pool=self._pool.name,
            need=(found.need if found.rule else self._pool.need).text,
            at=call.now,
            action=action_of(settled, before),
            cause=settled.cause,
            rule=found.rule,
            before=before,
            after=after,
            wanted=settled.wanted,
            fallbacks=fallbacks,
            unmet=unmet(story),
            seen=seen,
            reasons=reasons(story),
            warnings=(
                *self.verdicts.warnings,
                *warnings(story),
                *budget_warnings(self.accounts, call.now, call.policy.timezone),
            ),
            rules=self.verdicts.rules,
            tiers=traces,
            rejections={} if best is None else dict(best.rejections),
            usd_per_hour_before=cost_of(before),
            usd_per_hour_after=cost_of(after),
            usd_per_hour_worst=worst_usd(after, before, fallbacks),
            next_change_at=None if change is None else change.at,
            next_change=next_change(story),
            next_check_at=self._next_check(settled, ahead),
            memory=memory,
        )

    def _next_check(self, settled: Settled, ahead: Ahead) -> datetime | None:
        """The first instant at which time alone, by the clock or a timer, may change a decision."""
        now = self.call.now
        times = [*settled.checks, *self._timers(), *self._ageing(), *self.verdicts.flips]
        times.extend(at for at in (ahead.rule_until,) if at is not None)
        if ahead.change is not None:
            times.append(ahead.change.at)
        return min((at for at in times if at > now), default=None)

    def _timers(self) -> Iterator[datetime]:
        sit = self.sit
        yield from (one.spent.until for one in self.accounts if one.is_spent)
        end = sit.ledgers.barred.next_end()
        if end is not None:
            yield end
        for one in (*self.found.passed, self.found):
            if one.best is not None and one.best.wait_until is not None:
                yield one.best.wait_until
        if any(r.missing and not r.is_lost for r in sit.running):
            yield (sit.memory.degraded_since or sit.now) + self._pool.retry.refill_after

    def _ageing(self) -> Iterator[datetime]:
        """When the next of the rule's fresh prices turns old."""
        trust = self._pool.trust
        for index in indexes_of(self.sit, self.found):
            for capacity, observed in sorted(index.oldest_fresh.items()):
                is_spot = capacity is CapacityType.SPOT
                yield observed + (trust.max_age_spot if is_spot else trust.max_age_on_demand) + TICK


def action_of(settled: Settled, before: tuple[Placement, ...]) -> Action:
    """What happens to the pool's nodes (POLICY meaning 12)."""
    if settled.is_held:
        return Action.HOLD
    after = settled.after
    if sizes(after) == sizes(before):
        return Action.NO_OP
    if not sizes(before):
        return Action.CREATE
    if not sizes(after):
        return Action.DESTROY
    had, has = {p.slot for p in before}, {p.slot for p in after if p.nodes}
    return Action.MOVE if had - has and has - had else Action.SCALE


def fallbacks_of(settled: Settled, before: tuple[Placement, ...]) -> tuple[Placement, ...]:
    """Alternatives to the first new placement; none where nothing comes up anywhere new."""
    there = {p.slot for p in before}
    if settled.is_held or settled.filling is None:
        return ()
    if all(p.slot in there for p in settled.after):
        return ()
    return tuple(p for p in settled.filling.fallbacks if p.slot not in there)


def worst_usd(
    after: tuple[Placement, ...],
    before: tuple[Placement, ...],
    fallbacks: tuple[Placement, ...],
) -> Decimal | None:
    """USD per hour should the dearest fallback stand in for the first new placement."""
    total = cost_of(after)
    costs = [p.usd_per_hour for p in fallbacks]
    known = [cost for cost in costs if cost is not None]
    if total is None or len(known) < len(costs):
        return None
    there = {p.slot for p in before}
    first = next((p.usd_per_hour for p in after if p.slot not in there), None)
    return total if first is None else total - first + max([first, *known])


def _memory(call: Call, pool: Pool) -> PoolMemory:
    return call.memory.pools.get(pool.name, NEVER_SEEN)


def _in_force(override: Override | None, now: datetime) -> Override | None:
    """The override, if it has not ended."""
    if override is None or (override.until is not None and override.until <= now):
        return None
    return override


def _left(call: Call, name: str) -> Iterator[Draft]:
    """What becomes of a pool that the policy's text no longer has: it goes, for the policy."""
    actual = call.actual.pools[name]
    book = call.book(PriceTrust())
    before = tuple(
        replace(p, nodes=actual.alive(p), price=price_now(p, book))
        for p in sorted(actual.placements, key=lambda p: order_of(p.slot))
        if p.nodes or actual.alive(p)
    )
    if before:
        decision = Decision(
            policy=call.policy.name,
            pool=name,
            need="",
            at=call.now,
            action=Action.DESTROY,
            cause=Cause.POLICY,
            rule=None,
            before=before,
            after=(),
            wanted=(),
            seen=actual.sized_by_others,
            reasons=("The pool is no longer in the policy.",),
            usd_per_hour_before=cost_of(before),
            usd_per_hour_after=Decimal(0),
            usd_per_hour_worst=Decimal(0),
        )
        yield Draft(decision, partial(call.memory.pools.get, name))
