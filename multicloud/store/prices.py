"""Price points in the store: written once however often they are told, read back as quotes.

A look that finds the newest price unchanged only moves the offer's `seen_at`: the history holds
changes, and a price is as fresh as its last look.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Select, and_, func, literal, select, true, update

from multicloud.models.offer import CapacityType, Cloud, OfferKey
from multicloud.models.quote import Quote
from multicloud.store.columns import UtcInstant
from multicloud.store.offers import CHUNK, OfferIds
from multicloud.store.rows import add_missing, matches
from multicloud.store.tables import OFFERS, PRICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy import Connection, Row

    from multicloud.models.feed import PricePoint

RECENT = 8
"""How many of an offer's newest prices a run looks at: enough to tell a jump from a step."""


_OF_PRICE = tuple(column for column in PRICES.c if column.name != "offer")
_FIRST = literal(datetime(1, 1, 1, tzinfo=UTC), UtcInstant)


class Saved(NamedTuple):
    """What a batch of points changed: prices that were new, and offers seen unchanged."""

    new: int
    same: int


class History(NamedTuple):
    """One price of an offer and when it was first seen."""

    key: OfferKey
    site: str
    quote: Quote


def save_looked(
    connection: Connection, target: str, points: Sequence[PricePoint], looked_at: datetime
) -> Saved:
    """Write the prices that hold at `looked_at`; of several points of an offer all are history.

    What the store has already is left as it is, so the same batch twice is as once.
    """
    ids = OfferIds(connection, target)
    ids.add((point.key, point.site) for point in points)
    newest = _newest(connection, target, {point.key.cloud for point in points})
    fresh: list[PricePoint] = []
    same: set[int] = set()
    seen: set[int] = set()
    for point in sorted(points, key=lambda point: point.observed_at):
        offer = ids[point.key, point.site]
        seen.add(offer)
        said = (point.amount, point.currency, point.estimate)
        if newest.get(offer) == said:
            same.add(offer)
        else:
            fresh.append(point)
            newest[offer] = said
            same.discard(offer)
    new = add_missing(connection, PRICES, (_row(ids, point) for point in fresh))
    _mark_seen(connection, seen, looked_at)
    return Saved(new=new, same=len(same))


def save_history(connection: Connection, target: str, points: Iterable[PricePoint]) -> int:
    """Write points of any age as they are; those that are there already change nothing.

    Takes them in turn, so that a million need no more memory than a few thousand.
    """
    ids = OfferIds(connection, target)
    rest = iter(points)
    new = 0
    while chunk := list(islice(rest, CHUNK)):
        ids.add((point.key, point.site) for point in chunk)
        new += add_missing(connection, PRICES, (_row(ids, point) for point in chunk))
    return new


def quotes(
    connection: Connection, target: str, now: datetime
) -> Iterator[tuple[OfferKey, tuple[Quote, ...]]]:
    """The newest prices of every offer not later than `now`, oldest first, by offer.

    A price that a later look still found counts as observed at that look.
    """
    later = PRICES.alias("later")
    known = select(later.c.observed_at).where(
        later.c.offer == OFFERS.c.id, later.c.observed_at <= now
    )
    since = known.order_by(later.c.observed_at.desc()).offset(RECENT - 1).limit(1)
    newest = select(func.max(later.c.observed_at)).where(later.c.offer == OFFERS.c.id)
    offers = (
        select(
            *OFFERS.c,
            since.scalar_subquery().label("since"),
            newest.scalar_subquery().label("newest"),
        )
        .where(OFFERS.c.target == target)
        .cte("offers_now")
    )
    found = (
        select(*offers.c, *_OF_PRICE)
        .select_from(offers.join(PRICES, PRICES.c.offer == offers.c.id))
        .where(
            PRICES.c.observed_at <= now,
            PRICES.c.observed_at >= func.coalesce(offers.c.since, _FIRST),
        )
        .order_by(offers.c.id, PRICES.c.observed_at, PRICES.c.source)
    )
    rows = connection.execute(found)
    for _, group in groupby(rows, key=lambda row: row.id):
        of_offer = list(group)
        told = [_quote(row) for row in of_offer]
        last = of_offer[-1]
        seen = min(last.seen_at, now) if last.seen_at else None
        if seen and last.observed_at == last.newest and seen > last.observed_at:
            told.append(_quote(last, at=seen))
        yield _key(last), tuple(told)


def history(
    connection: Connection,
    target: str,
    start: datetime,
    end: datetime,
    *,
    takes: Callable[[OfferKey], bool] = lambda _: True,
) -> Iterator[History]:
    """Prices first seen from `start` to `end`, both included, by offer and time.

    Only of offers that `takes` says yes to; each is read by itself, so that neither memory nor
    time grows with what is left out.
    """
    offers = connection.execute(select(OFFERS).where(OFFERS.c.target == target)).all()
    for offer in sorted(offers, key=lambda row: (_key(row), row.site)):
        key = _key(offer)
        if not takes(key):
            continue
        found = select(*_OF_PRICE).where(
            PRICES.c.offer == offer.id,
            PRICES.c.observed_at >= start,
            PRICES.c.observed_at <= end,
        )
        for row in connection.execute(found.order_by(PRICES.c.observed_at, PRICES.c.source)):
            yield History(key=key, site=offer.site, quote=_quote(row, site=offer.site))


def accept(connection: Connection, target: str, key: OfferKey, site: str) -> int:
    """Believe the newest price of an offer, however far it jumped; how many prices that were."""
    offer = select(OFFERS.c.id).where(matches(OFFERS, _columns(target, key, site)))
    newest = select(func.max(PRICES.c.observed_at)).where(PRICES.c.offer.in_(offer))
    changed = connection.execute(
        update(PRICES)
        .where(
            PRICES.c.offer.in_(offer),
            PRICES.c.observed_at == newest.scalar_subquery(),
        )
        .values(accepted=True)
    )
    return changed.rowcount


def count(connection: Connection, target: str) -> int:
    """How many offers have a price."""
    query = select(func.count()).select_from(OFFERS).where(OFFERS.c.target == target)
    return int(connection.execute(query).scalar_one())


def _newest(
    connection: Connection, target: str, clouds: set[Cloud]
) -> dict[int, tuple[object, str, bool]]:
    inner = PRICES.alias("later")
    last = select(func.max(inner.c.observed_at)).where(inner.c.offer == PRICES.c.offer)
    found = _joined().where(
        OFFERS.c.target == target,
        OFFERS.c.cloud.in_(sorted(clouds)),
        PRICES.c.observed_at == last.scalar_subquery(),
    )
    return {row.id: (row.amount, row.currency, row.estimate) for row in connection.execute(found)}


def _joined() -> Select[tuple[object, ...]]:
    columns = (*OFFERS.c, *_OF_PRICE)
    join = OFFERS.join(PRICES, PRICES.c.offer == OFFERS.c.id)
    order = (OFFERS.c.id, PRICES.c.observed_at, PRICES.c.source)
    return select(*columns).select_from(join).where(true()).order_by(*order)


def _mark_seen(connection: Connection, offers: set[int], at: datetime) -> None:
    for first in range(0, len(offers), CHUNK):
        some = sorted(offers)[first : first + CHUNK]
        later = and_(OFFERS.c.seen_at.is_not(None), OFFERS.c.seen_at > at)
        connection.execute(update(OFFERS).where(OFFERS.c.id.in_(some), ~later).values(seen_at=at))


def _row(ids: OfferIds, point: PricePoint) -> dict[str, object]:
    return {
        "offer": ids[point.key, point.site],
        "observed_at": point.observed_at,
        "source": point.source,
        "amount": point.amount,
        "currency": point.currency,
        "estimate": point.estimate,
        "accepted": False,
    }


def _columns(target: str, key: OfferKey, site: str) -> dict[str, object]:
    return {"target": target, **key._asdict(), "site": site}


def _key(row: Row[tuple[object, ...]]) -> OfferKey:
    return OfferKey(
        Cloud(row.cloud),
        row.region,
        row.zone,
        row.instance_type,
        CapacityType(row.capacity_type),
    )


def _quote(
    row: Row[tuple[object, ...]], *, at: datetime | None = None, site: str | None = None
) -> Quote:
    return Quote(
        amount=row.amount,
        currency=row.currency,
        observed_at=at or row.observed_at,
        source=row.source,
        estimate=row.estimate,
        site=row.site if site is None else site,
        accepted=row.accepted,
    )
