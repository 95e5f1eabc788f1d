"""What all pools of one call share: markets, rows, the clock, ledgers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.catalog.market import build_market
from multicloud.decide.availability import sold_out
from multicloud.decide.barred import Barred, Quotas
from multicloud.decide.book import Book
from multicloud.decide.clockwork import Clockwork
from multicloud.decide.coverage import Coverage
from multicloud.decide.query import Ledgers
from multicloud.decide.situation import Running, Situation, running_of
from multicloud.decide.zones import offer_keys
from multicloud.models.memory import PoolMemory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.catalog.market import Market
    from multicloud.catalog.snapshot import Snapshot
    from multicloud.models.memory import Actual, LastDecision, Memory
    from multicloud.models.offer import OfferKey
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy, Pool, PriceTrust

NEVER_SEEN = PoolMemory()


class Call:
    """The inputs of one call of deciding and all that is worked out from them once."""

    def __init__(
        self, policy: Policy, now: datetime, snapshot: Snapshot, actual: Actual, memory: Memory
    ) -> None:
        self.policy = policy
        self.now = now
        self.snapshot = snapshot
        self.actual = actual
        self.memory = memory
        self.clockwork = Clockwork(policy.calendar)
        self._markets: dict[PriceTrust, Market] = {}
        self._books: dict[PriceTrust, Book] = {}
        self._past: dict[tuple[int, bool, int], tuple[Book, Mapping[OfferKey, Decimal | None]]] = {}
        self.ledgers = Ledgers(
            fx=policy.fx,
            barred=Barred((*memory.set_asides, *sold_out(snapshot.looks_by_offer, now)), now),
            quotas=Quotas(memory.quotas),
            coverage=Coverage(policy.commitments, now=now, fx=policy.fx),
        )
        self._count_running()

    def book(self, trust: PriceTrust) -> Book:
        """The rows of the market as a pool with this trust in prices sees it."""
        found = self._books.get(trust)
        if found is None:
            market = build_market(
                self.snapshot,
                now=self.now,
                fx=self.policy.fx,
                discounts=self.policy.discounts,
                trust=trust,
            )
            found = self._books[trust] = Book(market)
        return found

    def past_book(self, pool: Pool, last: LastDecision, *, rule: str | None) -> Book:
        """The rows at the quotes of the last decision.

        While the same rule of the same policy decides, offers that were no candidates then are
        none: what was set aside or not yet offered is no reason that the clock gave.
        """
        closed = last.rule == rule and last.policy_hash == self.policy.hash
        market = self.book(pool.trust).market
        key = (id(last.quotes), closed, id(market))
        if key not in self._past:
            self._past[key] = (Book(market, last.quotes, closed=closed), last.quotes)
        return self._past[key][0]

    def situation(self, pool: Pool, matches: tuple[int, ...]) -> Situation:
        """The pool now, its rules `matches` holding."""
        book = self.book(pool.trust)
        memory = self.memory.pools.get(pool.name, NEVER_SEEN)
        actual = self.actual.pools.get(pool.name)
        running: tuple[Running, ...] = ()
        if actual is not None:
            running = running_of(
                actual,
                book=book,
                barred=self.ledgers.barred,
                memory=memory,
                pool=pool,
                now=self.now,
            )
        return Situation(
            pool=pool,
            now=self.now,
            book=book,
            ledgers=self.ledgers,
            memory=memory,
            running=running,
            matches=matches,
        )

    def book_nodes(
        self, pool: Pool, before: tuple[Placement, ...], after: tuple[Placement, ...]
    ) -> None:
        """Let the ledgers know what a decided pool will use, for the pools after it."""
        ledgers = self.ledgers
        if ledgers.quotas:
            for placement, sign in (*((p, -1) for p in before), *((p, 1) for p in after)):
                self._use_quota(pool, placement, sign)
        if ledgers.coverage:
            ledgers.coverage.release(pool.name)
            self._cover(pool, after)

    def _count_running(self) -> None:
        """Quotas in use and nodes covered, running pools first and in file order."""
        if not (self.ledgers.quotas or self.ledgers.coverage):
            return
        for pool in self.policy.pools:
            running = self.situation(pool, ()).running
            for one in running:
                self._use_quota(pool, one.placement, 1)
            self._cover(pool, tuple(one.placement for one in running))
        self.ledgers.quotas.count_others()

    def _use_quota(self, pool: Pool, placement: Placement, sign: int) -> None:
        for key in offer_keys(placement.slot):
            priced = self.book(pool.trust).market.get(key)
            if priced is not None:
                self.ledgers.quotas.use(key, priced.offer.shape, sign * placement.nodes)
                return

    def _cover(self, pool: Pool, placements: tuple[Placement, ...]) -> None:
        for placement in placements:
            usd = placement.price.usd
            if usd is not None:
                key = offer_keys(placement.slot)[0]
                self.ledgers.coverage.take(key, placement.nodes, usd, pool=pool.name)
