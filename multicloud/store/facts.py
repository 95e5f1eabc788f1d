"""What was learnt beside prices: stock, rates of commitments and interruptions, quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from multicloud.models.account import Quota
from multicloud.models.feed import InterruptionRate, Look, Rate, Stock, Upfront
from multicloud.models.offer import CapacityType, Cloud, OfferKey
from multicloud.store.codec import dumps, loads
from multicloud.store.offers import OfferIds
from multicloud.store.rows import add_missing, matches, put
from multicloud.store.tables import (
    INTERRUPTION_RATES,
    LOOKS,
    OFFERS,
    QUOTAS,
    RATES,
    REFRESHES,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from multicloud.models.feed import Batch


def save_looks(connection: Connection, target: str, looks: Sequence[Look]) -> int:
    """Write looks at stock; those that are there already change nothing."""
    ids = OfferIds(connection, target)
    ids.add((look.key, look.site) for look in looks)
    rows = (
        {
            "offer": ids[look.key, look.site],
            "looked_at": look.looked_at,
            "source": look.source,
            "stock": look.stock.value,
            "score": look.score,
        }
        for look in looks
    )
    return add_missing(connection, LOOKS, rows)


def looks(
    connection: Connection, target: str, after: datetime, until: datetime
) -> tuple[Look, ...]:
    """Looks within `(after, until]`, by offer and time."""
    query = (
        select(*OFFERS.c, LOOKS.c.looked_at, LOOKS.c.source, LOOKS.c.stock, LOOKS.c.score)
        .select_from(LOOKS.join(OFFERS, OFFERS.c.id == LOOKS.c.offer))
        .where(OFFERS.c.target == target, LOOKS.c.looked_at > after, LOOKS.c.looked_at <= until)
        .order_by(LOOKS.c.offer, LOOKS.c.looked_at, LOOKS.c.source)
    )
    return tuple(
        Look(
            key=OfferKey(
                Cloud(row.cloud),
                row.region,
                row.zone,
                row.instance_type,
                CapacityType(row.capacity_type),
            ),
            site=row.site,
            looked_at=row.looked_at,
            stock=Stock(row.stock),
            source=row.source,
            score=row.score,
        )
        for row in connection.execute(query)
    )


def save_rates(connection: Connection, target: str, rates: Sequence[Rate]) -> None:
    """Put each rate in place of what was known of the same commitment."""
    for rate in rates:
        key = {
            "target": target,
            "cloud": rate.cloud,
            "region": rate.region,
            "instance_type": rate.instance_type,
            "kind": rate.kind,
            "months": rate.months,
            "upfront": rate.upfront.value,
            "site": rate.site,
        }
        values = {
            "per_hour": rate.per_hour,
            "at_start": rate.at_start,
            "currency": rate.currency,
            "observed_at": rate.observed_at,
            "source": rate.source,
        }
        put(connection, RATES, key, values)


def rates(connection: Connection, target: str) -> tuple[Rate, ...]:
    """Every known rate, by cloud, region, type, kind and term."""
    query = select(RATES).where(RATES.c.target == target).order_by(*RATES.primary_key)
    return tuple(
        Rate(
            cloud=Cloud(row.cloud),
            region=row.region,
            instance_type=row.instance_type,
            kind=row.kind,
            months=row.months,
            upfront=Upfront(row.upfront),
            site=row.site,
            per_hour=row.per_hour,
            at_start=row.at_start,
            currency=row.currency,
            observed_at=row.observed_at,
            source=row.source,
        )
        for row in connection.execute(query)
    )


def save_interruptions(
    connection: Connection, target: str, told: Sequence[InterruptionRate]
) -> None:
    """Put each rate in place of what was known of the same type and place."""
    for rate in told:
        key = {
            "target": target,
            "cloud": rate.cloud,
            "region": rate.region,
            "zone": rate.zone,
            "instance_type": rate.instance_type,
        }
        values = {
            "low": rate.low,
            "high": rate.high,
            "observed_at": rate.observed_at,
            "source": rate.source,
        }
        put(connection, INTERRUPTION_RATES, key, values)


def interruptions(connection: Connection, target: str) -> tuple[InterruptionRate, ...]:
    """Every known rate, by cloud, region, zone and type."""
    query = (
        select(INTERRUPTION_RATES)
        .where(INTERRUPTION_RATES.c.target == target)
        .order_by(*INTERRUPTION_RATES.primary_key)
    )
    return tuple(
        InterruptionRate(
            cloud=Cloud(row.cloud),
            region=row.region,
            zone=row.zone,
            instance_type=row.instance_type,
            low=row.low,
            high=row.high,
            observed_at=row.observed_at,
            source=row.source,
        )
        for row in connection.execute(query)
    )


def save_quotas(connection: Connection, target: str, cloud: Cloud, batch: Batch) -> None:
    """Put a region's quotas in place of all that were known of it."""
    of_region = {"target": target, "cloud": cloud, "region": batch.quotas_of}
    connection.execute(delete(QUOTAS).where(matches(QUOTAS, of_region)))
    for quota in batch.quotas:
        key = {**of_region, "zone": quota.zone, "name": quota.name}
        values = {"quota_json": dumps(quota), "observed_at": batch.looked_at}
        put(connection, QUOTAS, key, values)


def quotas(
    connection: Connection, target: str, after: datetime, until: datetime
) -> tuple[Quota, ...]:
    """Quotas told within `(after, until]`, by cloud, region and name."""
    query = select(QUOTAS).where(
        QUOTAS.c.target == target, QUOTAS.c.observed_at > after, QUOTAS.c.observed_at <= until
    )
    query = query.order_by(*QUOTAS.primary_key)
    return tuple(loads(Quota, row.quota_json) for row in connection.execute(query))


def mark_refreshed(
    connection: Connection, target: str, cloud: Cloud, part: str, at: datetime
) -> None:
    """Note that all of a part of a feed was read and written."""
    key = {"target": target, "cloud": cloud, "part": part}
    put(connection, REFRESHES, key, {"finished_at": at})


def refreshed(connection: Connection, target: str) -> Mapping[tuple[Cloud, str], datetime]:
    """When each part of a feed was last read whole."""
    query = select(REFRESHES).where(REFRESHES.c.target == target)
    rows = connection.execute(query)
    return {(Cloud(row.cloud), row.part): row.finished_at for row in rows}
