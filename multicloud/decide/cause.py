"""Why a change happens: the first cause that applies (POLICY meaning 8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.decide.barred import Barred, Quotas
from multicloud.decide.choice import resolve, target
from multicloud.decide.conditions import matches_at
from multicloud.decide.situation import sizes, wished_of
from multicloud.decide.timeline import running_as
from multicloud.models.decision import Cause

if TYPE_CHECKING:
    from multicloud.decide.book import Book
    from multicloud.decide.choice import Resolved
    from multicloud.decide.clockwork import Clockwork
    from multicloud.decide.situation import Situation, Sizes
    from multicloud.models.memory import LastDecision


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """What the rules would ask for with the truths and quotes of the last recorded decision."""

    sizes: Sizes
    rule: str | None


class Causes:
    """Finds the cause of one pool's change; asks counterfactuals only when needed, once each."""

    def __init__(
        self,
        sit: Situation,
        found: Resolved,
        *,
        policy_hash: str,
        past_book: Book | None,
        clockwork: Clockwork,
    ) -> None:
        self._sit = sit
        self._found = found
        self._hash = policy_hash
        self._past_book = past_book
        self._clockwork = clockwork
        self._past: Past | None = None
        self._is_asked = False

    @property
    def last(self) -> LastDecision | None:
        """The last recorded decision."""
        return self._sit.memory.last

    def of(self, wanted: Sizes) -> Cause:
        """Why the pool goes from what it has to what is wanted."""
        if self.is_outside():
            return Cause.OUTSIDE
        if self._is_capacity():
            return Cause.CAPACITY
        if self.is_policy():
            return Cause.POLICY
        if self._is_price(wanted):
            return Cause.PRICE
        return Cause.CLOCK

    def is_outside(self) -> bool:
        """Whether the clouds were last asked, or have, something else than we decided."""
        last = self.last
        if last is None:
            return False
        running = self._sit.running
        if any(r.alive > r.placement.nodes for r in running):
            return True
        return sizes(wished_of(running)) != sizes(last.after)

    def is_policy(self) -> bool:
        """Whether the policy's text has changed its meaning since."""
        return self.last is not None and self.last.policy_hash != self._hash

    def is_clock(self) -> bool:
        """Whether another rule decided last time."""
        return self.last is not None and self.last.rule != self._found.rule

    def past(self) -> Past | None:
        """What the last decision's truths and quotes would give today; None without a record."""
        if not self._is_asked:
            self._is_asked = True
            self._past = self._ask_past()
        return self._past

    def _ask_past(self) -> Past | None:
        last, book = self.last, self._past_book
        if last is None or book is None:
            return None
        matches = matches_at(
            self._sit.pool, self._sit.now, clockwork=self._clockwork, truths=last.truths
        )
        then = self._sit.with_book(book, matches)
        found = resolve(then)
        return Past(sizes(target(then, found)), found.rule)

    def _is_price(self, wanted: Sizes) -> bool:
        past = self.past()
        return past is not None and past.sizes != wanted and past.sizes == self._has()

    def _has(self) -> Sizes:
        return sizes(wished_of(self._sit.running))

    def _is_capacity(self) -> bool:
        """Whether lost nodes or want of stock are behind it: without them nothing would change."""
        sit = self._sit
        last = self.last
        if last is not None and last.waiting and last.rule == self._found.rule:
            return True
        is_touched = any(r.missing for r in sit.running)
        if not (is_touched or sit.ledgers.barred or sit.ledgers.quotas) or not sit.running:
            return False
        free = replace(sit.ledgers, barred=Barred((), sit.now), quotas=Quotas(()))
        whole = replace(sit, ledgers=free, running=running_as(wished_of(sit.running)))
        return sizes(target(whole, resolve(whole))) == self._has()
