"""What Google's SKUs of Compute Engine price: cores, memory, GPUs, disks, TPU chips.

Only descriptions that are known by heart are taken. Reserved, calendar-mode, DWS, sole-tenant,
custom and workstation SKUs have other words, and no price is made of them. Descriptions:
cloud.google.com/skus/sku-groups; the message: cloud.google.com/billing/docs/reference/rest.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Use(StrEnum):
    """How a part is bought, by `category.usageType`."""

    ON_DEMAND = "OnDemand"
    SPOT = "Preemptible"
    YEAR = "Commit1Yr"
    THREE_YEARS = "Commit3Yr"


class Part(NamedTuple):
    """What is priced: a `core`, `ram`, `gpu`, `ssd` or `tpu`, and of which series or model."""

    kind: str
    name: str

    def __str__(self) -> str:
        """As people read it: `A2 core`."""
        return f"{self.name} {self.kind}"


class Price(NamedTuple):
    """Of one core, GiB, GPU or chip for an hour; exact, but for disks, which are told by month."""

    amount: Decimal
    currency: str


SSD = Part("ssd", "local")
HOURS_PER_MONTH = 730
"""By cloud.google.com/compute/disks-image-pricing."""
_UNITS: Mapping[str, str] = {"core": "h", "ram": "GiBy.h", "gpu": "h", "ssd": "GiBy.mo", "tpu": "h"}

# The model by how the SKUs of a GPU begin; "Plus" is what Mega is called in some regions.
_GPUS: Mapping[str, str] = {
    "Nvidia Tesla A100 GPU": "A100",
    "Nvidia Tesla A100 80GB GPU": "A100 80GB",
    "Nvidia A100 80GB GPU": "A100 80GB",
    "Nvidia H100 80GB GPU": "H100",
    "Nvidia H100 80GB Mega GPU": "H100 Mega",
    "Nvidia H100 Mega 80GB GPU": "H100 Mega",
    "Nvidia H100 80GB Plus GPU": "H100 Mega",
    "Nvidia L4 GPU": "L4",
    "RTX 6000 96GB": "RTX 6000",
    "RTX 6000 96GB GPU": "RTX 6000",
}
_SPOT = " attached to (?:Spot )?Preemptible VMs"
_PLACE = r"(?: running)? [Ii]n [A-Z][\w .,()'/&-]*"
_MODELS = "|".join(map(re.escape, _GPUS))
_SERIES = "(?P<series>A2|A3|A3Plus|G2|G4)"
_MACHINE = re.compile(rf"(?:(?:Spot )?Preemptible )?{_SERIES} Instance (?P<kind>Core|Ram){_PLACE}")
_COMMITTED = re.compile(rf"Commitment v1: {_SERIES} (?P<kind>Cpu|Core|Ram){_PLACE}")
_GPU = re.compile(
    rf"(?:Commitment v1: |(?:Spot )?Preemptible )?(?P<model>{_MODELS})(?:{_SPOT})?{_PLACE}"
)
_SSD = re.compile(
    rf"SSD backed Local Storage(?:{_SPOT})?(?:{_PLACE})?|Commitment v1: Local SSD{_PLACE}"
)
_TPU = re.compile(r"Tpu(?P<chip>V5[ep])\b.*")
# Words of SKUs that are no ordinary price, wherever they stand.
_OTHERS = re.compile(
    r"\b(?:Reserved|Calendar Mode|DWS|Sole Tenancy|Premium|Custom|Suspended|Workstation|Pod)\b",
    re.IGNORECASE,
)


def part_of(sku: Any) -> tuple[Part, Use] | None:  # noqa: ANN401 - a Sku of billing_v1
    """What a SKU prices, and how it is bought; None for what no machine of ours is made of."""
    text = str(sku.description)
    part = None if _OTHERS.search(text) else _part(text)
    use = _use(text, str(sku.category.usage_type))
    if part is None or use is None or (part.kind == "tpu" and use is not Use.ON_DEMAND):
        return None
    return part, use


def _part(text: str) -> Part | None:
    if found := _MACHINE.fullmatch(text) or _COMMITTED.fullmatch(text):
        return Part("ram" if found["kind"] == "Ram" else "core", found["series"])
    if found := _GPU.fullmatch(text):
        return Part("gpu", _GPUS[found["model"]])
    if _SSD.fullmatch(text):
        return SSD
    if found := _TPU.fullmatch(text):
        return Part("tpu", found["chip"])
    return None


def _use(text: str, usage_type: str) -> Use | None:
    """Some spot SKUs are told as on demand, and commitments of five years as no year's."""
    if "Preemptible" in text:
        return Use.SPOT
    if usage_type not in set(Use) or ("Commitment" in text) != usage_type.startswith("Commit"):
        return None
    return Use(usage_type)


def price_of(sku: Any, kind: str, now: datetime) -> Price:  # noqa: ANN401 - a Sku of billing_v1
    """The price that holds at `now`, per hour; `sku` is the message itself, not proto-plus's.

    Raises: ValueError that says what is not as it must be.
    """
    told = [info for info in sku.pricing_info if _since(info) <= now]
    if not told:
        raise ValueError("has no price of now")
    info = max(told, key=_since)
    expression = info.pricing_expression
    if expression.usage_unit != _UNITS[kind]:
        raise ValueError(f'is told per "{expression.usage_unit}", not "{_UNITS[kind]}"')
    if len(expression.tiered_rates) != 1 or expression.tiered_rates[0].start_usage_amount:
        raise ValueError("has other prices for more of it")
    money = expression.tiered_rates[0].unit_price
    if not re.fullmatch(r"[A-Z]{3}", money.currency_code):
        raise ValueError(f'is in the currency "{money.currency_code}"')
    amount = Decimal(money.units) + Decimal(money.nanos).scaleb(-9)
    if amount <= 0:
        raise ValueError(f"costs {amount}")
    if kind == "ssd":
        amount /= HOURS_PER_MONTH
    return Price(amount, money.currency_code)


def _since(info: Any) -> datetime:  # noqa: ANN401 - a PricingInfo
    """From when a price holds; the beginning of time where it is not told."""
    found: datetime = info.effective_time.ToDatetime(tzinfo=UTC)
    return found
