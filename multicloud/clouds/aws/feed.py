"""AWS's prices: spot by EC2, on demand and commitments by the price list, bands by the advisor."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape, types_of
from multicloud.clouds.aws import session as sessions
from multicloud.clouds.aws.price_list import on_demand, products, reserved
from multicloud.clouds.aws.savings import plan_rates
from multicloud.clouds.web import get_json
from multicloud.errors import CloudError
from multicloud.models.feed import Batch, InterruptionRate, PricePoint, Rate
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.project import CloudSettings

ADVISOR = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
# What the advisor's `r` counts, by aws.amazon.com/ec2/spot/instance-advisor: shares of a month.
BANDS: Sequence[tuple[Decimal, Decimal | None]] = (
    (Decimal(0), Decimal("0.05")),
    (Decimal("0.05"), Decimal("0.10")),
    (Decimal("0.10"), Decimal("0.15")),
    (Decimal("0.15"), Decimal("0.20")),
    (Decimal("0.20"), None),
)
SPOT_SOURCE = "aws spot price history"
# Credentials of other partitions (China, GovCloud) are nobody to the price list of this one.
_LISTED = frozenset({"aws"})


class AwsFeed:
    """One part per region of the account's partition."""

    cloud = Cloud.AWS

    def __init__(self, settings: CloudSettings, regions: tuple[str, ...] = ()) -> None:
        facts = CLOUDS[Cloud.AWS]
        self._settings = settings
        self._site = facts.site(settings.site or "")
        own = (name for name, region in facts.regions.items() if region.site == self._site)
        self._regions = tuple(sorted(regions or own))
        self._advice: Mapping[str, Any] | CloudError | None = None
        self._turn = threading.Lock()

    def parts(self) -> tuple[str, ...]:
        """Regions."""
        return self._regions

    def read(self, part: str) -> Batch:
        """Everything of a region. Raises: CloudError, but not where only plans or advice fail."""
        if self._site not in _LISTED:
            raise CloudError(
                f"the prices of {self._site} cannot be read: AWS lists them elsewhere.",
                hint="Bring them by a file: multicloud prices import FILE",
            )
        looked_at = clock.utcnow()
        session = sessions.session(self._settings)
        rejected: list[str] = []
        try:
            offered = _offered(session, part)
            listed = products(session, part, offered)
            points = [
                *_spot(session, part, offered, looked_at, rejected),
                *on_demand(listed, part, looked_at, rejected),
            ]
            rates = tuple(reserved(listed, part, looked_at, rejected))
        except Exception as error:
            raise sessions.cloud_error(error) from error
        return Batch(
            looked_at=looked_at,
            points=tuple(points),
            rates=(*rates, *_plans(session, part, offered, looked_at, rejected)),
            interruptions=tuple(self._interruptions(part, offered, looked_at, rejected)),
            rejected=tuple(dict.fromkeys(rejected)),
        )

    def _interruptions(
        self, region: str, offered: Sequence[str], at: datetime, rejected: list[str]
    ) -> Iterator[InterruptionRate]:
        with self._turn:
            if self._advice is None:
                try:
                    advice = _entry(get_json(Cloud.AWS, ADVISOR), "spot_advisor")
                    is_known = isinstance(advice, dict)
                    self._advice = advice if is_known else CloudError("it has another form")
                except CloudError as error:
                    self._advice = error
            advice = self._advice
        if isinstance(advice, CloudError):
            rejected.append(f"{region}: no advice on interruptions ({advice.summary})")
            return
        told = _entry(_entry(advice, region), "Linux")
        for kind in offered:
            band = _entry(_entry(told, kind), "r")
            if isinstance(band, Decimal) and 0 <= band < len(BANDS):
                low, high = BANDS[int(band)]
                yield InterruptionRate(
                    cloud=Cloud.AWS,
                    region=region,
                    instance_type=kind,
                    low=low,
                    high=high,
                    observed_at=at,
                    source="aws spot instance advisor",
                )


def _entry(document: object, name: str) -> Any:  # noqa: ANN401 - whatever JSON is made of
    """An entry of a JSON object; None where there is none, or no object."""
    return document.get(name) if isinstance(document, dict) else None


def _offered(session: Any, region: str) -> tuple[str, ...]:  # noqa: ANN401 - boto3 has no static types
    """GPU types of the catalogue that the region has."""
    client = sessions.client(session, "ec2", region)
    pages = client.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="region",
        Filters=[{"Name": "instance-type", "Values": list(types_of(Cloud.AWS))}],
    )
    found = {one["InstanceType"] for page in pages for one in page["InstanceTypeOfferings"]}
    return tuple(sorted(name for name in found if find_shape(Cloud.AWS, name) is not None))


def _spot(
    session: Any,  # noqa: ANN401 - boto3 has no static types
    region: str,
    offered: Sequence[str],
    now: datetime,
    rejected: list[str],
) -> Iterator[PricePoint]:
    """The newest price of each type in each zone, by the zone's id, the same for all accounts.

    With the present as its start EC2's history has just what holds now:
    docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSpotPriceHistory.html.
    """
    if not offered:
        return
    client = sessions.client(session, "ec2", region)
    zones = sessions.zone_ids(client)
    newest: dict[tuple[str, str], tuple[datetime, str]] = {}
    pages = client.get_paginator("describe_spot_price_history").paginate(
        InstanceTypes=list(offered), ProductDescriptions=["Linux/UNIX"], StartTime=now
    )
    for page in pages:
        for row in page["SpotPriceHistory"]:
            name = row.get("AvailabilityZone", "")
            id_ = row.get("AvailabilityZoneId") or zones.get(name)
            if not id_:
                # The name means another zone in each account.
                rejected.append(f'{region} {row["InstanceType"]}: zone "{name}" has no id.')
                continue
            key = (id_, row["InstanceType"])
            at = row["Timestamp"].astimezone(UTC)
            if key not in newest or newest[key][0] < at:
                newest[key] = (at, row["SpotPrice"])
    for (zone, kind), (at, text) in sorted(newest.items()):
        try:
            amount = Decimal(text)
        except InvalidOperation:
            rejected.append(f'{zone} {kind}: "{text}" is no price.')
            continue
        yield PricePoint(
            key=OfferKey(Cloud.AWS, region, zone, kind, CapacityType.SPOT),
            amount=amount,
            currency="USD",
            observed_at=at,
            source=SPOT_SOURCE,
        )


def _plans(
    session: Any,  # noqa: ANN401 - boto3 has no static types
    region: str,
    offered: Sequence[str],
    now: datetime,
    rejected: list[str],
) -> tuple[Rate, ...]:
    """Savings plans, which credentials for prices need not be allowed to read."""
    try:
        return tuple(plan_rates(session, region, offered, now))
    except Exception as error:  # noqa: BLE001 - botocore's classes need botocore to be named
        told = sessions.cloud_error(error)
        rejected.append(f"{region}: no rates of savings plans ({told.summary})")
        return ()
