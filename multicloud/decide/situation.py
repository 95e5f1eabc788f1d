"""Everything that deciding on one pool at one instant looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.decide.zones import offer_keys
from multicloud.models.memory import SetAsideReason
from multicloud.models.placement import UNPRICED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from multicloud.decide.barred import Barred
    from multicloud.decide.book import Book
    from multicloud.decide.query import Ledgers
    from multicloud.models.memory import PoolActual, PoolMemory
    from multicloud.models.placement import NodePrice, Placement, Slot
    from multicloud.models.pool import Pool


@dataclass(frozen=True, slots=True)
class Running:
    """One stack of the pool: as wished at its last apply, priced as now, and nodes seen alive.

    `is_lost` says that its missing nodes are not the group's to refill: they were evicted
    (`is_evicted`), or have been missing for too long. Where somebody else decides the size all
    nodes that there may be count as alive; where somebody else did until now, none is missing.
    """

    placement: Placement
    alive: int
    is_evicted: bool = False
    is_lost: bool = False

    @property
    def missing(self) -> int:
        """Wished nodes that are not alive."""
        return 0 if self._was_others else max(0, self.placement.nodes - self.alive)

    @property
    def asked(self) -> int:
        """Nodes that the group is to have before anything is decided."""
        return self.alive if self._was_others else self.placement.nodes

    @property
    def _was_others(self) -> bool:
        return self.placement.least is not None


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """One pool at one instant. `matches` are positions of the rules that hold, in order.

    In a `forecast` timers do not run: waits of tiers are over, and who is over a cap goes.
    """

    pool: Pool
    now: datetime
    book: Book
    ledgers: Ledgers
    memory: PoolMemory
    running: tuple[Running, ...]
    matches: tuple[int, ...]
    forecast: bool = False

    def with_book(self, book: Book, matches: tuple[int, ...]) -> Situation:
        """The same with other prices and truths."""
        return replace(self, book=book, matches=matches)


def running_of(
    actual: PoolActual, *, book: Book, barred: Barred, memory: PoolMemory, pool: Pool, now: datetime
) -> tuple[Running, ...]:
    """The pool's stacks with nodes wished or alive, in order of place."""
    since = memory.degraded_since
    is_overdue = since is not None and now - since >= pool.retry.refill_after
    found = []
    for placement in sorted(actual.placements, key=lambda p: order_of(p.slot)):
        alive = actual.alive(placement)
        if not placement.nodes and not alive:
            continue
        if pool.autoscaler is not None:
            # Any number is right: the size is somebody else's, and so is what to do about losses.
            alive = placement.nodes
        missing = alive < placement.nodes and placement.least is None
        evicted = missing and any(
            mark.reason is SetAsideReason.EVICTED for mark in barred.on(placement.slot)
        )
        priced = replace(placement, price=price_now(placement, book))
        found.append(Running(priced, alive, evicted, evicted or (missing and is_overdue)))
    return tuple(found)


def price_now(placement: Placement, book: Book) -> NodePrice:
    """What a node of a running group costs now."""
    kind = placement.reservation.kind if placement.reservation else None
    for key in offer_keys(placement.slot):
        price = book.price(key, kind)
        if price is not None:
            return price
    return UNPRICED


def order_of(slot: Slot) -> tuple[str, ...]:
    """Sort key of places, for output that does not depend on chance."""
    return (slot.cloud, slot.region, *slot.zones, slot.instance_type, slot.capacity_type)


def before_of(running: Iterable[Running]) -> tuple[Placement, ...]:
    """What the pool has: nodes seen alive."""
    return tuple(replace(r.placement, nodes=r.alive) for r in running if r.alive)


def wished_of(running: Iterable[Running]) -> tuple[Placement, ...]:
    """What the pool's stacks were last asked for."""
    return tuple(r.placement for r in running if r.placement.nodes)


Sizes = tuple[tuple["Slot", int], ...]


def sizes(placements: Iterable[Placement]) -> Sizes:
    """Places and node counts alone, in a fixed order: equal ones mean that nothing changes."""
    found = [(p.slot, p.nodes) for p in placements if p.nodes]
    return tuple(sorted(found, key=lambda pair: order_of(pair[0])))
