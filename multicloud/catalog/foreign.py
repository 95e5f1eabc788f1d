"""Other people's price histories and availability traces, as points and looks.

| Format | Known by its columns |
|---|---|
| SpotLake's archive | `InstanceType`, `Region`, `AZ`, `SpotPrice`, `time`; `SPS` if there |
| change points | `observed_at_utc`, `instance_type` or `machine_type`, `region`; `az_id`, prices |
| joint trace | `approx_utc`, `avail_<zone>` and `spot_usd_h_<zone>` for every zone |
| availability trace | JSON: `metadata.gap_seconds` and `data`, 1 (or more) is available |

All prices are USD per node-hour. Zones are ids, or names of the catalogue's own account.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.errors import CatalogError, Where
from multicloud.models.feed import Look, PricePoint, Stock
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Reader = Callable[[Mapping[str, str]], Iterator[PricePoint | Look]]

_ON_DEMAND, _SPOT = CapacityType.ON_DEMAND, CapacityType.SPOT
# SpotLake keeps AWS's placement score from 1 to 3: how likely a request is to be filled.
_SCORES = {"1": Stock.LOW, "2": Stock.SOME, "3": Stock.HIGH}


@dataclass(slots=True)
class Foreign:
    """What a file told; `rejected` are sentences that name the row."""

    points: list[PricePoint] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOf:
    """What a trace without names is about: one offer, from `start` on."""

    cloud: Cloud
    region: str
    zone: str
    instance_type: str
    start: datetime | None = None


def is_foreign(header: Sequence[str]) -> bool:
    """Whether a CSV file's header is of one of these formats."""
    names = {name.strip().casefold() for name in header}
    return (
        {"instancetype", "region", "az", "spotprice", "time"} <= names
        or ("observed_at_utc" in names and "region" in names)
        or ("approx_utc" in names and any(name.startswith("avail_") for name in names))
    )


def read_foreign(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, file: str, of: TraceOf | None = None
) -> Foreign:
    """Points and looks of a CSV file in one of these formats.

    `of` names the cloud and instance type of a joint trace.
    Raises: CatalogError for a joint trace without `of`.
    """
    names = [name.strip().casefold() for name in header]
    numbered = (
        (number, dict(zip(names, (text.strip() for text in row), strict=False)))
        for number, row in enumerate(rows, start=2)
    )
    found = Foreign()
    if "approx_utc" in names:
        if of is None:
            raise CatalogError(
                "a trace of several zones does not say of which instance type it is.",
                hint="Add --trace-of CLOUD/INSTANCE_TYPE.",
                where=Where(file=file),
            )
        zones = [name.removeprefix("avail_") for name in names if name.startswith("avail_")]
        for number, row in numbered:
            _read(found, number, row, lambda r: _joint(r, zones, of, file))
        return found
    reader = _spotlake if "spotprice" in names else _change
    for number, row in numbered:
        _read(found, number, row, lambda r: reader(r, file))
    return found


def read_trace(text: str, of: TraceOf, *, file: str) -> Foreign:
    """Looks of an availability trace in JSON; one look per step.

    Raises: CatalogError for another document, or when nobody said when it starts.
    """
    where = Where(file=file)
    try:
        document = json.loads(text)
        gap = timedelta(seconds=float(document["metadata"]["gap_seconds"]))
        steps = [int(step) for step in document["data"]]
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise CatalogError(
            "the file is no availability trace.",
            detail='Expected {"metadata": {"gap_seconds": ...}, "data": [0, 1, ...]}.',
            where=where,
        ) from error
    if of.start is None:
        raise CatalogError(
            "the trace does not say when it starts.", hint="Add --trace-start TIME.", where=where
        )
    zone = _zone_id(of.cloud, of.region, of.zone)
    key = OfferKey(of.cloud, of.region, zone, of.instance_type, _SPOT)
    looks = [
        Look(key=key, looked_at=of.start + number * gap, stock=_stock(step), source=file)
        for number, step in enumerate(steps)
    ]
    return Foreign(looks=looks)


def _read(found: Foreign, number: int, row: Mapping[str, str], read: Reader) -> None:
    try:
        for item in read(row):
            if isinstance(item, PricePoint):
                found.points.append(item)
            else:
                found.looks.append(item)
    except (ValueError, KeyError, InvalidOperation) as error:
        found.rejected.append(f"row {number}: {error}")


def _spotlake(row: Mapping[str, str], file: str) -> Iterator[PricePoint | Look]:
    region = row["region"]
    zone = _zone_id(Cloud.AWS, region, row["az"])
    at = _instant(row["time"])
    key = OfferKey(Cloud.AWS, region, zone, row["instancetype"], _SPOT)
    yield from _point(key, row["spotprice"], at, file)
    on_demand = key._replace(zone="", capacity_type=_ON_DEMAND)
    yield from _point(on_demand, row.get("ondemandprice", ""), at, file)
    score = row.get("sps", "").removesuffix(".0")
    if score in _SCORES:
        stock = _SCORES[score]
        yield Look(key=key, looked_at=at, stock=stock, source=file, score=int(score))


def _change(row: Mapping[str, str], file: str) -> Iterator[PricePoint]:
    cloud = Cloud.GCP if "machine_type" in row else Cloud.AWS
    type_ = row.get("machine_type") or row["instance_type"]
    region = row["region"]
    zone = _zone_id(cloud, region, row.get("az_id", ""))
    at = _instant(row["observed_at_utc"])
    key = OfferKey(cloud, region, zone, type_, _SPOT)
    yield from _point(key, row.get("spot_usd_h", ""), at, file)
    on_demand = key._replace(zone="", capacity_type=_ON_DEMAND)
    yield from _point(on_demand, row.get("ondemand_usd_h", ""), at, file)


def _joint(
    row: Mapping[str, str], zones: Sequence[str], of: TraceOf, file: str
) -> Iterator[PricePoint | Look]:
    at = _instant(row["approx_utc"])
    for name in zones:
        region = _region_of(of.cloud, name)
        key = OfferKey(of.cloud, region, _zone_id(of.cloud, region, name), of.instance_type, _SPOT)
        yield from _point(key, row.get(f"spot_usd_h_{name}", ""), at, file)
        if row[f"avail_{name}"]:
            stock = _stock(int(row[f"avail_{name}"]))
            yield Look(key=key, looked_at=at, stock=stock, source=file)


def _point(key: OfferKey, text: str, at: datetime, file: str) -> Iterator[PricePoint]:
    """The price, unless the cell is blank: what is unknown is no point."""
    if text:
        amount = Decimal(text)
        yield PricePoint(key=key, amount=amount, currency="USD", observed_at=at, source=file)


def _stock(step: int) -> Stock:
    return Stock.HIGH if step > 0 else Stock.NONE


def _instant(text: str) -> datetime:
    """An instant in UTC; these formats mean UTC where they say nothing."""
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)


def _region_of(cloud: Cloud, zone: str) -> str:
    for region, facts in CLOUDS[cloud].regions.items():
        if zone in facts.zones or zone in facts.zone_names.values():
            return region
    raise ValueError(f'zone "{zone}" is in no region of {cloud}')


def _zone_id(cloud: Cloud, region: str, zone: str) -> str:
    facts = CLOUDS[cloud].regions.get(region)
    ids = {name: id_ for id_, name in facts.zone_names.items()} if facts else {}
    return ids.get(zone, zone)
