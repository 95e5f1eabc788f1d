"""Azure's prices by its public Retail Prices API, which asks for no login.

learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape
from multicloud.clouds.web import get_json
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, PricePoint, Rate, Upfront
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.project import CloudSettings

ENDPOINT = "https://prices.azure.com/api/retail/prices"
VERSION = "2023-01-01-preview"
SOURCE = "azure retail prices"
MOST_PAGES = 200
"""A region's GPU types are a handful of pages of 1,000 rows."""
HOURS = 8760
_PORTS = {"https": 443}
_YEARS = {"1 Year": 1, "3 Years": 3}
# Of a share of an hour's price no more is told than this.
_EXACT = Decimal("0.000001")
# Products whose rows have the sizes of ordinary nodes and other prices, without spaces, since
# Azure writes `Cloud Services` in two ways; those cost what Windows does.
_OTHERS = ("Windows", "LowPriority", "Dedicated", "CloudServices")


class _Told(NamedTuple):
    """What a row says, and since when that holds."""

    since: datetime
    point: PricePoint | None
    rates: tuple[Rate, ...]


class AzureFeed:
    """One part per region."""

    cloud = Cloud.AZURE

    def __init__(self, settings: CloudSettings, regions: tuple[str, ...] = ()) -> None:
        del settings
        facts = CLOUDS[Cloud.AZURE].regions
        self._regions = tuple(sorted(regions or (n for n, r in facts.items() if not r.site)))

    def parts(self) -> tuple[str, ...]:
        """Regions by Azure's own ids."""
        return self._regions

    def read(self, part: str) -> Batch:
        """On-demand, spot and commitments of every GPU type of a region. Raises: CloudError."""
        looked_at = clock.utcnow()
        wanted = f"serviceName eq 'Virtual Machines' and armRegionName eq '{part}'"
        wanted += " and contains(armSkuName, 'Standard_N')"
        rejected: dict[str, None] = {}
        told: list[_Told] = []
        for row in _rows(f"{ENDPOINT}?api-version={VERSION}&$filter={quote(wanted)}"):
            if not _is_meant(row, part):
                continue
            try:
                found = _understood(row, looked_at)
            except (KeyError, TypeError, ValueError, ArithmeticError) as error:
                name = f"{part} {row.get('armSkuName')} {row.get('meterName')}"
                rejected[f"{name}: not understood ({type(error).__name__})."] = None
                continue
            if found is not None:
                told.append(found)
        points: dict[OfferKey, PricePoint] = {}
        rates: dict[tuple[object, ...], Rate] = {}
        for one in sorted(told, key=lambda one: one.since, reverse=True):
            if one.point is not None:
                points.setdefault(one.point.key, one.point)
            for rate in one.rates:
                rates.setdefault((rate.instance_type, rate.kind, rate.months, rate.upfront), rate)
        return Batch(
            looked_at=looked_at,
            points=tuple(points.values()),
            rates=tuple(rates.values()),
            rejected=tuple(rejected),
        )


def _rows(url: str) -> Iterator[Mapping[str, Any]]:
    """The rows of all pages. Raises: CloudError."""
    seen: set[str] = set()
    home = _origin(url)
    while url:
        if url in seen or len(seen) >= MOST_PAGES:
            raise CloudError("the price list of azure repeats itself; nothing of it was kept.")
        seen.add(url)
        page = get_json(Cloud.AZURE, url)
        try:
            items, url = page["Items"], page.get("NextPageLink") or ""
        except (KeyError, TypeError, AttributeError):
            raise CloudError("the price list of azure has no items: another form?") from None
        if url and _origin(url) != home:
            raise CloudError("the price list of azure goes on at another host; it is not followed.")
        yield from items


def _origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port: Azure's own links name the port 443, which the first has not."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", url, None


def _is_meant(row: Mapping[str, Any], region: str) -> bool:
    """Linux nodes of a GPU type that we know, bought by the hour or for years."""
    names = f"{row.get('productName')}|{row.get('skuName')}|{row.get('meterName')}"
    return (
        row.get("armRegionName") == region
        and row.get("type") in ("Consumption", "Reservation")
        and not any(word in names.replace(" ", "") for word in _OTHERS)
        and find_shape(Cloud.AZURE, str(row.get("armSkuName"))) is not None
    )


def _understood(row: Mapping[str, Any], looked_at: datetime) -> _Told | None:
    """A row's price and what it says of commitments; None for what does not hold now.

    The list has prices that ended beside those that hold, and some that are to come.
    """
    if row["unitOfMeasure"] != "1 Hour":
        raise ValueError(row["unitOfMeasure"])
    shape = find_shape(Cloud.AZURE, row["armSkuName"])
    if shape is None:
        raise KeyError("armSkuName")
    amount, currency = _amount(row["retailPrice"]), str(row["currencyCode"])
    since = datetime.fromisoformat(row["effectiveStartDate"]).astimezone(UTC)
    until = row.get("effectiveEndDate")
    is_over = until and datetime.fromisoformat(until).astimezone(UTC) <= looked_at
    if since > looked_at or is_over or row.get("tierMinimumUnits"):
        return None
    region = str(row["armRegionName"])

    def rate(kind: str, years: int, upfront: Upfront, per_hour: Decimal, at_start: Decimal) -> Rate:
        return Rate(
            cloud=Cloud.AZURE,
            region=region,
            instance_type=shape.instance_type,
            kind=kind,
            months=12 * years,
            upfront=upfront,
            per_hour=per_hour,
            at_start=at_start,
            currency=currency,
            observed_at=looked_at,
            source=SOURCE,
        )

    if row["type"] == "Reservation":
        # The price of the whole term, which may be paid at once or month by month for the same.
        years = _YEARS[row["reservationTerm"]]
        hourly = (amount / (years * HOURS)).quantize(_EXACT)
        whole = rate("reserved", years, Upfront.ALL, Decimal(0), amount)
        monthly = rate("reserved", years, Upfront.NONE, hourly, Decimal(0))
        return _Told(since, None, (whole, monthly))
    is_spot = str(row["skuName"]).endswith(" Spot")
    capacity = CapacityType.SPOT if is_spot else CapacityType.ON_DEMAND
    plans = tuple(
        rate("savings_plan", _YEARS[p["term"]], Upfront.NONE, _amount(p["retailPrice"]), Decimal(0))
        for p in row.get("savingsPlan") or ()
        if not is_spot
    )
    key = OfferKey(Cloud.AZURE, region, "", shape.instance_type, capacity)
    point = PricePoint(key=key, amount=amount, currency=currency, observed_at=since, source=SOURCE)
    return _Told(since, point, plans)


def _amount(number: object) -> Decimal:
    if not isinstance(number, Decimal):
        raise TypeError(f"{number!r} is no number")
    return number
