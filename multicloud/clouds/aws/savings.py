"""Rates of AWS's Compute Savings Plans, which hold for every type and region.

docs.aws.amazon.com/savingsplans/latest/APIReference/API_DescribeSavingsPlansOfferingRates.html
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from multicloud.clouds.aws import session as sessions
from multicloud.errors import CloudError
from multicloud.models.feed import Rate, Upfront
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

# The service has one endpoint for the world.
_ENDPOINT_REGION = "us-east-1"
_YEAR_S = 31_536_000


def plan_rates(
    session: Any,  # noqa: ANN401 - boto3 has no static types
    region: str,
    offered: Sequence[str],
    now: datetime,
) -> Iterator[Rate]:
    """What an hour of each type takes of a commitment that is paid by the hour.

    Paid at the start the commitment costs less, and the rates say nothing of that.
    Raises: CloudError, and whatever botocore does.
    """
    if not offered:
        return
    client = sessions.client(session, "savingsplans", _ENDPOINT_REGION)
    asked: dict[str, Any] = {
        "savingsPlanTypes": ["Compute"],
        "savingsPlanPaymentOptions": ["No Upfront"],
        "products": ["EC2"],
        "serviceCodes": ["AmazonEC2"],
        "filters": [
            {"name": "region", "values": [region]},
            {"name": "instanceType", "values": list(offered)},
            {"name": "productDescription", "values": ["Linux/UNIX"]},
            {"name": "tenancy", "values": ["shared"]},
        ],
        "maxResults": 1000,
    }
    token, seen = "", set[str]()
    while True:
        page = client.describe_savings_plans_offering_rates(
            **asked, **({"nextToken": token} if token else {})
        )
        for told in page["searchResults"]:
            plan = told["savingsPlanOffering"]
            properties = {one["name"]: one["value"] for one in told["properties"]}
            kind = properties.get("instanceType", "")
            years, rest = divmod(int(plan["durationSeconds"]), _YEAR_S)
            if told["unit"] != "Hrs" or rest or kind not in offered:
                continue
            yield Rate(
                cloud=Cloud.AWS,
                region=region,
                instance_type=kind,
                kind="savings_plan",
                months=12 * years,
                upfront=Upfront.NONE,
                per_hour=Decimal(told["rate"]),
                at_start=Decimal(0),
                currency=plan["currency"],
                observed_at=now,
                source="aws savings plans",
            )
        token = page.get("nextToken") or ""
        if not token:
            return
        if token in seen:
            raise CloudError("the list of rates has no end")
        seen.add(token)
