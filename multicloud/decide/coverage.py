"""What commitments leave to pay (POLICY meaning 10): a ledger for one call of deciding."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import matches_place
from multicloud.catalog.fx import to_usd
from multicloud.models.offer import CapacityType
from multicloud.models.pool import CommitmentKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from multicloud.decide.book import TierIndex
    from multicloud.decide.feasible import Row
    from multicloud.models.offer import OfferKey
    from multicloud.models.pool import Commitment

NOTHING = Decimal(0)


class Coverage:
    """How many nodes, or USD per hour, of each commitment are still free.

    One with a number of nodes covers so many nodes. One without covers list price up to its
    fee: the fee is a discounted figure, so it never covers less. Prepaid machines cover no
    on-demand node. Amounts in a currency without a rate cover nothing.
    """

    def __init__(
        self, commitments: Iterable[Commitment], *, now: datetime, fx: Mapping[str, Decimal]
    ) -> None:
        self._all = tuple(one for one in commitments if _is_in_force(one, now))
        self._left = [_whole(one, fx) for one in self._all]
        self._held: dict[str, list[tuple[int, Decimal]]] = {}
        self._rows: dict[int, tuple[TierIndex, tuple[Row, ...]]] = {}

    def __bool__(self) -> bool:
        """Whether anything is committed at all."""
        return bool(self._all)

    def covers(self, key: OfferKey) -> bool:
        """Whether any commitment is for such nodes, used up or not."""
        return any(True for _ in self._matching(key))

    def rows(self, index: TierIndex) -> tuple[Row, ...]:
        """Priced rows of a tier that some commitment is for."""
        found = self._rows.get(id(index))
        if found is None:
            rows = (row for group in index.groups for row in group.rows if self.covers(row.key))
            found = self._rows[id(index)] = (index, tuple(rows))
        return found[1]

    def uncovered(self, key: OfferKey, nodes: int, usd: Decimal, *, pool: str) -> Decimal:
        """USD per hour still to pay for so many nodes, with what is free or the pool's own."""
        own = dict.fromkeys(range(len(self._all)), NOTHING)
        for position, amount in self._held.get(pool, ()):
            own[position] += amount
        return usd * nodes - sum(worth for _, _, worth in self._use(key, nodes, usd, own))

    def take(self, key: OfferKey, nodes: int, usd: Decimal, *, pool: str) -> None:
        """Cover nodes that a pool has or will have."""
        for position, amount, _ in list(self._use(key, nodes, usd, {})):
            self._left[position] -= amount
            self._held.setdefault(pool, []).append((position, amount))

    def release(self, pool: str) -> None:
        """Give back all that covers a pool's nodes."""
        for position, amount in self._held.pop(pool, ()):
            self._left[position] += amount

    def _use(
        self, key: OfferKey, nodes: int, usd: Decimal, own: Mapping[int, Decimal]
    ) -> Iterator[tuple[int, Decimal, Decimal]]:
        """(commitment, amount of it, USD per hour it is worth) for so many nodes."""
        bare = Decimal(nodes)
        for position, one in self._matching(key):
            left = self._left[position] + own.get(position, NOTHING)
            unit = usd if one.nodes is None else Decimal(1)
            amount = min(left, bare * unit)
            if amount > 0:
                yield position, amount, amount if one.nodes is None else amount * usd
                bare -= amount / unit

    def _matching(self, key: OfferKey) -> Iterator[tuple[int, Commitment]]:
        if key.capacity_type is not CapacityType.ON_DEMAND:
            return
        for position, one in enumerate(self._all):
            kind = one.instance_type
            if kind is not None and kind.casefold() != key.instance_type.casefold():
                continue
            if any(matches_place(p, key.cloud, key.region, key.zone or None) for p in one.places):
                yield position, one


def _is_in_force(one: Commitment, now: datetime) -> bool:
    if one.kind is CommitmentKind.PREPAID:
        return False
    begun = one.start is None or one.start <= now
    return begun and (one.until is None or now < one.until)


def _whole(one: Commitment, fx: Mapping[str, Decimal]) -> Decimal:
    if one.nodes is not None:
        return Decimal(one.nodes)
    return to_usd(one.fee_per_hour, one.currency, fx) or NOTHING
