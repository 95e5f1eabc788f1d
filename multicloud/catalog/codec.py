"""Price files: CSV and Parquet into offers, and offers into CSV without loss."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.catalog import columns
from multicloud.catalog.columns import FieldError
from multicloud.errors import CatalogError, Where
from multicloud.models.offer import Offer
from multicloud.models.quote import Quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from multicloud.models.offer import OfferKey

WRITTEN = (
    *("cloud", "region", "zone", "instance_type", "capacity_type", "amount", "unit", "currency"),
    *("observed_at", "source", "site", "estimate", "reservation_only"),
)
POINT_COLUMNS = WRITTEN[:-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceFile:
    """What a price file came to: its offers, and each row that could not be used as it stands.

    `rejected` names line and field. Where only the price of a row is at fault the offer is still
    among `offers`, without that quote: what is unknown is told, and never taken for 0.
    """

    offers: tuple[Offer, ...]
    rejected: tuple[CatalogError, ...]


def read_prices(text: str, *, file: str) -> PriceFile:
    """Offers of a CSV file, in the order in which they first appear; no row is lost silently.

    Columns: `cloud, region, instance_type, capacity_type, amount, unit, currency, observed_at`,
    and if wanted `zone, source, site, estimate, reservation_only`, in any order. Amounts are
    decimals with a point, per node. Rows of one offer become its quotes, oldest first. A row
    whose amount, unit, currency and observed_at are all blank says "offered here, price unknown".
    `file` is what messages call the file.

    Raises: CatalogError when the file as a whole cannot be read: no header, a column that is
    missing, doubled or not known.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    header: list[str] | None = None
    rows: list[tuple[int, list[str]]] = []
    try:
        for fields in reader:
            if header is None:
                header = [name.strip() for name in fields]
            elif fields:
                rows.append((reader.line_num, fields))
    except csv.Error as error:
        raise CatalogError(
            f"The file is not CSV: {error}.", where=Where(file=file, line=reader.line_num)
        ) from error
    return read_rows(header or [], rows, file=file)


def read_rows(
    header: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]], *, file: str
) -> PriceFile:
    """Offers of rows of text, each with its number; see `read_prices`."""
    _check_header(header, file)
    offers: dict[OfferKey, Offer] = {}
    rejected: list[CatalogError] = []
    for number, fields in rows:
        where = Where(file=file, line=number)
        try:
            row = _record(header, fields)
            offer = _offer(row)
        except FieldError as error:
            rejected.append(CatalogError(str(error), where=where))
            continue
        try:
            quotes = _quotes(row, offer, file)
        except FieldError as error:
            rejected.append(
                CatalogError(str(error), detail="Its offer stays, without a price.", where=where)
            )
            offer = replace(offer, note=str(error).rstrip("."))
            quotes = ()
        known = offers.get(offer.key)
        offers[offer.key] = _with_quotes(known or offer, offer, quotes)
    return PriceFile(offers=tuple(map(_settled, offers.values())), rejected=tuple(rejected))


def write_prices(offers: Iterable[Offer]) -> str:
    """The offers as a CSV file that `read_prices` turns into the same offers again.

    Amounts are written in full in the quote's currency, one row per quote; an offer without a
    quote is a row without a price. Why a price is unknown (`note`) is not written.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(WRITTEN)
    for offer in offers:
        place = (offer.cloud, offer.region, offer.zone or "", offer.shape.instance_type)
        reserved = "1" if offer.reservation_only else ""
        for quote in offer.quotes:
            price = (format(quote.amount, "f"), "per_hour", quote.currency)
            seen = (quote.observed_at.isoformat(), quote.source, quote.site)
            estimate = "1" if quote.estimate else ""
            writer.writerow((*place, offer.capacity_type, *price, *seen, estimate, reserved))
        if not offer.quotes:
            writer.writerow((*place, offer.capacity_type, *("",) * 7, reserved))
    return out.getvalue()


def point_row(key: OfferKey, quote: Quote, site: str) -> tuple[str, ...]:
    """One price as a row of `POINT_COLUMNS`, which `read_prices` reads."""
    return (
        *(key.cloud, key.region, key.zone, key.instance_type, key.capacity_type),
        *(format(quote.amount, "f"), "per_hour", quote.currency),
        *(quote.observed_at.isoformat(), quote.source, site, "1" if quote.estimate else ""),
    )


def _check_header(header: Sequence[str], file: str) -> None:
    """Every required column once, and none that nobody knows."""
    where = Where(file=file, line=1)
    known = (*columns.REQUIRED, *columns.OPTIONAL)
    expected = f"Columns: {', '.join(columns.REQUIRED)}; if wanted {', '.join(columns.OPTIONAL)}."
    missing = [name for name in columns.REQUIRED if name not in header]
    if missing:
        raise CatalogError(f"Column missing: {', '.join(missing)}.", detail=expected, where=where)
    for name in header:
        if name not in known:
            near = columns.near_miss(name, known)
            raise CatalogError(f'Column "{name}" is not known.{near}', detail=expected, where=where)
        if header.count(name) > 1:
            raise CatalogError(f'Column "{name}" stands twice.', where=where)


def _record(header: Sequence[str], fields: Sequence[str]) -> Mapping[str, str]:
    """One row by column, blanks around values taken off."""
    if len(fields) != len(header):
        raise FieldError(
            f"{len(fields)} fields where the header has {len(header)}. A decimal comma, or a"
            " comma in text without quotes?"
        )
    for text in fields:
        if not text.isprintable():
            raise FieldError(f"{text!r} has characters that cannot be shown.")
    return dict(zip(header, (text.strip() for text in fields), strict=True))


def _offer(row: Mapping[str, str]) -> Offer:
    """What the row offers and where, without its price."""
    cloud = columns.cloud_of(row)
    region = columns.region_of(row, cloud)
    return Offer(
        cloud=cloud,
        region=region,
        zone=columns.zone_of(row, cloud, region),
        shape=columns.shape_of(row, cloud),
        capacity_type=columns.capacity_of(row),
        quotes=(),
        reservation_only=columns.flag_of(row, "reservation_only"),
    )


def _quotes(row: Mapping[str, str], offer: Offer, file: str) -> tuple[Quote, ...]:
    """The row's price; none when the row does not speak of one."""
    if not any(row[name] for name in columns.PRICE_COLUMNS):
        return ()
    amount = columns.amount_of(row)
    quote = Quote(
        amount=amount.value,
        currency=amount.currency,
        observed_at=columns.observed_of(row),
        source=row.get("source", "") or file,
        estimate=columns.flag_of(row, "estimate"),
        site=columns.site_of(row, offer.cloud),
    )
    return (quote,)


def _with_quotes(known: Offer, row: Offer, quotes: tuple[Quote, ...]) -> Offer:
    """An offer with what one more row says of it."""
    return replace(
        known,
        quotes=known.quotes + quotes,
        reservation_only=known.reservation_only or row.reservation_only,
        note=known.note or row.note,
    )


def _settled(offer: Offer) -> Offer:
    """The offer with its quotes oldest first; a price that is known needs no note."""
    if not offer.quotes:
        return offer
    quotes = tuple(sorted(offer.quotes, key=lambda quote: quote.observed_at))
    return replace(offer, quotes=quotes, note="")
