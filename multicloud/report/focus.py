"""Costs as CSV with the column names of FOCUS, the FinOps open cost and usage specification.

focus.finops.org, version 1.1: a row per charge. Cells are never formulas to a spreadsheet.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from multicloud.models.offer import CapacityType, Cloud
from multicloud.report.scalars import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from multicloud.run.charges import Charge

COLUMNS = (
    "BilledCost",
    "EffectiveCost",
    "ListCost",
    "ListUnitPrice",
    "BillingCurrency",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ChargeCategory",
    "ChargeFrequency",
    "ConsumedQuantity",
    "ConsumedUnit",
    "PricingCategory",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "AvailabilityZone",
    "ResourceType",
    "ServiceCategory",
    "ServiceName",
    "SkuId",
    "Tags",
)
PROVIDERS: Mapping[Cloud, str] = {
    Cloud.AWS: "AWS",
    Cloud.GCP: "Google Cloud",
    Cloud.AZURE: "Microsoft",
    Cloud.TENCENT: "Tencent Cloud",
    Cloud.ALIBABA: "Alibaba Cloud",
    Cloud.ORACLE: "Oracle",
}
PRICING: Mapping[CapacityType, str] = {
    CapacityType.ON_DEMAND: "Standard",
    CapacityType.SPOT: "Dynamic",
    CapacityType.RESERVED: "Committed",
}
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def focus_csv(charges: Iterable[Charge]) -> str:
    """The charges, their unknown costs empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for charge in charges:
        row = _row(charge)
        writer.writerow([_safe(row[name]) for name in COLUMNS])
    return out.getvalue()


def _row(charge: Charge) -> dict[str, str]:
    slot = charge.placement.slot
    cost = _plain(charge.usd)
    tags = {**charge.labels, "policy": charge.policy, "pool": charge.pool, "place": slot.digest}
    return {
        "BilledCost": cost,
        "EffectiveCost": cost,
        "ListCost": cost,
        "ListUnitPrice": _plain(charge.usd_per_node_hour),
        "BillingCurrency": "USD",
        "ChargePeriodStart": str(stamp(charge.start)),
        "ChargePeriodEnd": str(stamp(charge.end)),
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "ConsumedQuantity": _plain(charge.node_hours),
        "ConsumedUnit": "Hours",
        "PricingCategory": PRICING[slot.capacity_type],
        "ProviderName": PROVIDERS[slot.cloud],
        "PublisherName": PROVIDERS[slot.cloud],
        "RegionId": slot.region,
        "AvailabilityZone": slot.zones[0] if len(slot.zones) == 1 else "",
        "ResourceType": "Virtual Machine",
        "ServiceCategory": "Compute",
        "ServiceName": "GPU nodes",
        "SkuId": slot.instance_type,
        "Tags": json.dumps(tags, sort_keys=True, ensure_ascii=False),
    }


def _plain(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount:f}"


def _safe(cell: str) -> str:
    """A quote before what a spreadsheet would take for a formula; costs are never below 0."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
