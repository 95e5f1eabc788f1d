"""What `offers` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.report.prices_line import MARK
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import Column, money, table

if TYPE_CHECKING:
    from multicloud.catalog.query import OfferRow
    from multicloud.run.offers import Listing


def offers_text(listing: Listing, *, limit: int) -> str:
    """The first `limit` offers as a table, then how many more there are."""
    columns = (
        Column("OFFER", shrinks=True),
        Column(""),
        Column("PLACE", shrinks=True),
        Column("GPUS", right=True),
        Column("USD/h", right=True),
        Column("per GPU-h", right=True),
        Column("PRICE OF", shrinks=True),
    )
    rows = listing.rows[:limit]
    lines = []
    if rows:
        lines.append(table(columns, [_cells(row) for row in rows]))
    priced = sum(row.usd_per_hour is not None for row in listing.rows)
    count = len(listing.rows)
    more = count - len(rows)
    omitted = f" {more} more not shown (--limit)." if more > 0 else ""
    lines.append(f"{count} offers meet {listing.need}, {priced} with a known price.{omitted}")
    without_rate = {r.price.currency for r in listing.rows if r.no_rate}
    if without_rate:
        rates = ", ".join(f"{code}=RATE" for code in sorted(without_rate))
        lines.append(f"!  no currency rate for some offers: give --fx {rates}")
    lines += [f"!  {warning}" for warning in listing.warnings]
    return "\n".join(lines)


def offers_document(listing: Listing, *, limit: int) -> dict[str, object]:
    """The first `limit` offers as data, with the count of all."""
    return {
        "schema_version": SCHEMA_VERSION,
        "need": listing.need,
        "at": stamp(listing.now),
        "count": len(listing.rows),
        "offers": [_body(row) for row in listing.rows[:limit]],
        "warnings": list(listing.warnings),
        "exit_code": 0,
    }


def _cells(row: OfferRow) -> list[str]:
    offer = row.offer
    zone = f"/{offer.zone}" if offer.zone else ""
    surplus = f" (+{row.surplus})" if row.surplus else ""
    return [
        f"{row.nodes} x {offer.shape.instance_type}",
        str(offer.capacity_type),
        f"{offer.cloud}/{offer.region}{zone}",
        f"{row.gpus - row.surplus} {offer.shape.gpu}{surplus}",
        money(row.usd_per_hour),
        money(row.usd_per_gpu_hour),
        _age(row),
    ]


def _age(row: OfferRow) -> str:
    observed = row.price.observed_at
    if row.no_rate:
        return f"no rate for {row.price.currency}"
    return f"{observed:%Y-%m-%d}{MARK[row.price.state]}" if observed else "unknown"


def _body(row: OfferRow) -> dict[str, object]:
    offer, price = row.offer, row.price
    return {
        "cloud": str(offer.cloud),
        "region": offer.region,
        "zone": offer.zone,
        "instance_type": offer.shape.instance_type,
        "capacity_type": str(offer.capacity_type),
        "gpu": offer.shape.gpu,
        "nodes": row.nodes,
        "gpus": float(row.gpus),
        "surplus_gpus": float(row.surplus),
        "usd_per_node_hour": number(price.usd),
        "usd_per_gpu_hour": number(row.usd_per_gpu_hour),
        "usd_per_hour": number(row.usd_per_hour),
        "price_observed_at": stamp(price.observed_at),
        "price_source": price.source or None,
        "price_state": str(price.state),
    }
