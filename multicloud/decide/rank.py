"""The order of a tier's offers (POLICY meaning 4)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from multicloud.catalog.gpus import gpu_facts
from multicloud.decide.amounts import total_gpus
from multicloud.decide.bid import bid_for
from multicloud.decide.book import CAPACITY_RANK, usd_of
from multicloud.decide.joined import joins
from multicloud.decide.query import Kind, Query, lost_to
from multicloud.decide.zones import offer_keys, split_by_zone
from multicloud.models.need import Spread
from multicloud.models.placement import Placement, Slot
from multicloud.models.pool import Prefer
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from multicloud.decide.feasible import Row
    from multicloud.models.need import Wish
    from multicloud.models.offer import OfferKey

NO_SHORTFALL = Fraction(0)
COST_ALONE = Decimal(0)
Metric = tuple[int, Decimal]
"""What is lowest wins: offers without the figures asked for come after all others."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Nodes that would do for `share` of the need; lower `metric` is better.

    Each node gives `per_node` of the need; all together may give more than was asked for.
    """

    placements: tuple[Placement, ...]
    share: Fraction
    per_node: Fraction
    metric: Metric


SortKey = tuple[Fraction, Metric, tuple[int, int, int], int, int, int, "OfferKey"]
Entry = tuple[SortKey, Kind, tuple["Row", ...]]


def rank(query: Query) -> Iterator[Candidate]:
    """Every candidate of the tier, best first, each offer once; a total order without chance.

    Lazy: only as much is looked at as is taken. Set-asides, quotas and `max_gpus` are applied,
    the running placement has no privilege here (see `tiers`).
    """
    seen: set[tuple[OfferKey, ...]] = set()
    streams = [_stream(query, kind) for kind in query.kinds if kind.nodes and kind.end]
    if query.ledgers.coverage:
        streams.append(_covered(query))
    for order, kind, rows in heapq.merge(*streams, key=itemgetter(0)):
        keys = tuple(row.key for row in rows)
        if keys not in seen:
            seen.add(keys)
            placements = tuple(place(query, row, kind.wish, n) for row, n in _parts(kind, rows))
            per_node = kind.group.gpus / total_gpus(kind.wish, kind.group.gpus)
            yield Candidate(placements, kind.share, per_node, order[1])


def best(query: Query, count: int) -> tuple[Candidate, ...]:
    """The first `count` candidates."""
    return tuple(islice(rank(query), count))


def metric_of(query: Query, placements: tuple[Placement, ...]) -> Metric | None:
    """The metric of given placements by their own prices; None when a price is unknown."""
    cost = Decimal(0)
    power: Decimal | None = Decimal(0)
    for placement in placements:
        usd = placement.price.usd
        if usd is None:
            return None
        cost += _to_pay(query, offer_keys(placement.slot)[0], placement.nodes, usd)
        each = _tflops(query, placement.gpu)
        if power is not None:
            power = None if each is None else power + each * _decimal(placement.gpus)
    return _metric(cost, power)


def _parts(kind: Kind, rows: tuple[Row, ...]) -> Iterable[tuple[Row, int]]:
    """Rows with their nodes."""
    if len(rows) == 1:
        return ((rows[0], kind.nodes),)
    return zip(rows, split_by_zone(kind.nodes, len(rows)), strict=True)


def _stream(query: Query, kind: Kind) -> Iterator[Entry]:
    """A group's rows in order, without those that are barred or covered by a commitment."""
    rows = islice(kind.group.rows, kind.end)
    if query.need.spread is Spread.ZONES:
        yield from _by_zone(query, kind, rows)
        return
    coverage = query.ledgers.coverage
    for row in rows:
        if _is_open(query, row, kind.nodes) and not (coverage and coverage.covers(row.key)):
            yield _sort_key(query, kind, (row,)), kind, (row,)


def _by_zone(query: Query, kind: Kind, rows: Iterable[Row]) -> Iterator[Entry]:
    """Zonal rows of one region and type taken together, nodes dealt out over the zones."""
    together: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if _is_open(query, row, 1):
            key = row.key
            same = (key.cloud, key.region, key.instance_type, key.capacity_type, not key.zone)
            together.setdefault(same, []).append(row)
    found = []
    for members in together.values():
        used = tuple(members[: kind.nodes]) if members[0].key.zone else (members[0],)
        found.append((_sort_key(query, kind, used), kind, used))
    yield from sorted(found, key=itemgetter(0))


def _covered(query: Query) -> Iterator[Entry]:
    """Rows that a commitment is for, in the order of what is left to pay for them."""
    found: list[Entry] = []
    if query.need.spread is not Spread.ZONES:
        for kind in query.kinds:
            limit = kind.group.prices[kind.end - 1] if kind.end else None
            for row in query.ledgers.coverage.rows(kind.index):
                shape = row.priced.offer.shape
                alike = (shape.gpu, shape.gpus) == (kind.group.gpu, kind.group.gpus)
                fits = limit is not None and usd_of(row) <= limit
                if kind.nodes and alike and fits and _is_open(query, row, kind.nodes):
                    found.append((_sort_key(query, kind, (row,)), kind, (row,)))
    yield from sorted(found, key=itemgetter(0))


def _is_open(query: Query, row: Row, nodes: int) -> bool:
    if row.key in query.without:
        return False
    if query.fresh_only and row.priced.price.state is not PriceState.FRESH:
        return False
    return lost_to(query, row, nodes) is None


def _sort_key(query: Query, kind: Kind, rows: tuple[Row, ...]) -> SortKey:
    """Cost, place in the tier's lists, need alternative, capacity type, nodes, names."""
    first = rows[0]
    cost = Decimal(0)
    for row, nodes in _parts(kind, rows):
        cost += _to_pay(query, row.key, nodes, usd_of(row))
    each = _tflops(query, kind.group.gpu)
    power = each * _decimal(_useful(query, kind)) if each else each
    return (
        NO_SHORTFALL if kind.share is query.share else query.share - kind.share,
        _metric(cost, power),
        first.position,
        kind.position,
        CAPACITY_RANK[first.key.capacity_type],
        kind.nodes,
        first.key,
    )


def _useful(query: Query, kind: Kind) -> Fraction:
    """GPUs that count for throughput: those bought, less the surplus over what is asked for."""
    bought = kind.group.gpus * kind.nodes
    return min(bought, total_gpus(kind.wish, kind.group.gpus) * min(kind.share, query.share))


def _metric(cost: Decimal, power: Decimal | None) -> Metric:
    return (1, cost) if power is None else (0, cost / power if power else cost)


def _to_pay(query: Query, key: OfferKey, nodes: int, usd: Decimal) -> Decimal:
    coverage = query.ledgers.coverage
    if coverage:
        return coverage.uncovered(key, nodes, usd, pool=query.pool.name)
    return usd * nodes


def _tflops(query: Query, gpu: str) -> Decimal | None:
    """Throughput to divide by: 0 when cost alone counts, None when it is not published."""
    precision = query.pool.prefer_precision
    if query.pool.prefer is Prefer.CHEAPEST or precision is None:
        return COST_ALONE
    facts = gpu_facts().get(gpu)
    return None if facts is None else facts.tflops.get(precision)


def _decimal(value: Fraction | int) -> Decimal:
    return Decimal(value.numerator) / value.denominator


def place(query: Query, row: Row, wish: Wish, nodes: int) -> Placement:
    """Nodes of a row: a running group keeps its zones, a new one spans those not set aside.

    Nodes that a cluster network joins are in one zone.
    """
    key = row.key
    zones = query.kept.get(key) if query.kept else None
    if zones is None or (row.zones and not set(zones) <= set(row.zones)):
        zones, _ = query.ledgers.barred.zones_left(key, row.zones)
    offer = row.priced.offer
    is_joined = joins(query.pool.node, wish)
    slot = Slot(
        cloud=key.cloud,
        region=key.region,
        zones=zones[:1] if is_joined else zones,
        instance_type=key.instance_type,
        capacity_type=key.capacity_type,
    )
    return Placement(
        slot=slot,
        nodes=nodes,
        gpu=offer.shape.gpu,
        gpus_per_node=offer.shape.gpus,
        price=row.priced.price,
        arch=offer.shape.arch,
        bid=bid_for(offer, query.tier.max_price, query.ledgers.fx),
        reservation=query.tier.reservation,
        cluster_network=is_joined,
        least=query.pool.autoscaler.min_nodes if query.pool.autoscaler else None,
    )
