"""What is asked of one tier: groups of like nodes, how many of them, and what is lost to what."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from multicloud.decide.amounts import least_share, nodes_for, total_gpus
from multicloud.decide.barred import REASONS
from multicloud.decide.bid import cap_usd
from multicloud.decide.parts import ALL
from multicloud.models.decision import Reject
from multicloud.models.need import Spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from multicloud.decide.barred import Barred, Quotas
    from multicloud.decide.book import Book, Group, TierIndex
    from multicloud.decide.coverage import Coverage
    from multicloud.decide.feasible import Row
    from multicloud.models.need import Need, Wish
    from multicloud.models.offer import OfferKey
    from multicloud.models.pool import Pool, Tier


@dataclass(frozen=True, slots=True, eq=False)
class Ledgers:
    """What differs by moment and account: rates, set-asides, quotas, commitments."""

    fx: Mapping[str, Decimal]
    barred: Barred
    quotas: Quotas
    coverage: Coverage


@dataclass(frozen=True, eq=False)
class Query:
    """One question to one tier: the best offers for a `share` of the need.

    `kept` are the zones that running groups span, `without` offers that are not to be tried.
    """

    book: Book
    ledgers: Ledgers
    pool: Pool
    need: Need
    tier: Tier
    share: Fraction = ALL
    kept: Mapping[OfferKey, tuple[str, ...]] | None = None
    without: frozenset[OfferKey] = frozenset()
    fresh_only: bool = False

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The groups of all wishes, with the nodes that each would take."""
        return tuple(_kinds(self))


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A group of like nodes under a query: how many are needed, and how far its rows fit.

    No nodes: `max_gpus` leaves it nothing to give.
    """

    index: TierIndex
    group: Group
    wish: Wish
    position: int
    nodes: int
    share: Fraction
    end: int


def tally(query: Query) -> tuple[int, Counter[Reject]]:
    """How many offers fit the tier, and how many are lost to what, over all wishes."""
    lost: Counter[Reject] = Counter()
    size = 0
    for wish in query.need.wishes:
        index = query.book.of_tier(query.tier, wish, query.pool.only_in)
        size += index.size
        lost.update(index.rejected)
    for kind in query.kinds:
        group = kind.group
        cheap_dear = _fitting(query, group, group.dear_prices)
        lost[Reject.OVER_CAP] += len(group.rows) - kind.end + len(group.dear) - cheap_dear
        lost[Reject.LOW_DISCOUNT] += cheap_dear
        if query.ledgers.barred or query.ledgers.quotas:
            for row in islice(group.rows, kind.end):
                reason = lost_to(query, row, kind.nodes)
                if reason is not None:
                    lost[reason[0]] += 1
    return size - sum(lost.values()), +lost


def lost_to(query: Query, row: Row, nodes: int) -> tuple[Reject, str] | None:
    """Which set-aside or quota keeps a row from so many nodes, with the figures."""
    barred, quotas = query.ledgers.barred, query.ledgers.quotas
    if barred:
        _, mark = barred.zones_left(row.key, row.zones)
        if mark is not None:
            return REASONS[mark.reason], barred.describe(mark)
    if quotas:
        short = quotas.shortage(row.key, row.priced.offer.shape, nodes)
        if short:
            return Reject.QUOTA, short
    return None


def _kinds(query: Query) -> Iterator[Kind]:
    for position, wish in enumerate(query.need.wishes):
        index = query.book.of_tier(query.tier, wish, query.pool.only_in)
        for group in index.groups:
            nodes, share = _amount(query, wish, group.gpus)
            end = _fitting(query, group, group.prices)
            yield Kind(index, group, wish, position, nodes, share, end)


def _amount(query: Query, wish: Wish, gpus_per_node: Fraction) -> tuple[int, Fraction]:
    """Nodes and the share that they give, within the tier's `max_gpus`; (0, 0) for none."""
    share, most = query.share, query.tier.max_gpus
    nodes = nodes_for(wish, gpus_per_node, share)
    if most is None or nodes * gpus_per_node <= most:
        return nodes, share
    nodes = int(most // gpus_per_node)
    given = min(share, nodes * gpus_per_node / total_gpus(wish, gpus_per_node))
    least = least_share(query.need, wish, gpus_per_node)
    if query.need.spread is not Spread.PLACES and given < min(share, least):
        return 0, Fraction(0)
    return nodes, given


def _fitting(query: Query, group: Group, prices: tuple[Decimal, ...]) -> int:
    """How many of the sorted prices are within the tier's cap."""
    cap = query.tier.max_price
    if cap is None:
        return len(prices)
    limit = cap_usd(cap, group.gpus, query.ledgers.fx)
    return 0 if limit is None else bisect_right(prices, limit)
