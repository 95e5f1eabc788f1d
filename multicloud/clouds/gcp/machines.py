"""Which parts Google bills for each machine type, and the price that they come to."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from multicloud.clouds.gcp.skus import SSD, Part, Price, Use

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.offer import Shape


class Series(NamedTuple):
    """`series` and `gpu` as SKUs name them; `ssd_gib` is what comes with each GPU, like it or not.

    `spot_only` are sizes that are not sold on demand.
    """

    series: str
    gpu: str
    ssd_gib: int = 0
    spot_only: tuple[str, ...] = ()


# docs.cloud.google.com/compute/docs/accelerator-optimized-machines; disks:
# docs.cloud.google.com/compute/docs/disks/local-ssd (of G4 and the other A2 they are optional).
SERIES: Mapping[str, Series] = {
    "a2-highgpu": Series("A2", "A100"),
    "a2-megagpu": Series("A2", "A100"),
    "a2-ultragpu": Series("A2", "A100 80GB", 375),
    "a3-highgpu": Series("A3", "H100", 750, ("1g", "2g", "4g")),
    "a3-megagpu": Series("A3Plus", "H100 Mega", 750),
    "g2-standard": Series("G2", "L4"),
    "g4-standard": Series("G4", "RTX 6000"),
}
NANO = Decimal("0.000000001")
"""What Google's money is told to."""
CHIPS: Mapping[str, str] = {"v5litepod": "V5e", "v5p": "V5p"}
"""TPU chips as SKUs name them; a slice is billed by the chip, and its host comes with it."""


def parts_of(shape: Shape, use: Use) -> Mapping[Part, Decimal]:
    """How much of each part one node has; empty for a type, or a use of it, that is not sold.

    The first part is the GPU or chip, without which the type is not to be had in a region.
    """
    family, _, size = shape.instance_type.rpartition("-")
    gpus = Decimal(shape.gpus.numerator) / shape.gpus.denominator
    if family in CHIPS:
        return {Part("tpu", CHIPS[family]): gpus} if use is Use.ON_DEMAND else {}
    series = SERIES.get(family)
    if series is None or (size in series.spot_only and use is not Use.SPOT):
        return {}
    parts = {
        Part("gpu", series.gpu): gpus,
        Part("core", series.series): Decimal(shape.vcpus),
        Part("ram", series.series): shape.memory_gib,
    }
    return parts | ({SSD: series.ssd_gib * gpus} if series.ssd_gib else {})


def node_price(parts: Mapping[Part, Decimal], known: Mapping[Part, Price]) -> Price | None:
    """What a node of these parts costs per hour; None where no GPU or chip of it is sold.

    Raises: ValueError naming the part that is missing: half a price is none.
    """
    if next(iter(parts)) not in known:
        return None
    missing = [part for part in parts if part not in known]
    if missing:
        raise ValueError(f"has no price of {missing[0]}")
    currencies = sorted({known[part].currency for part in parts})
    if len(currencies) > 1:
        raise ValueError(f"is told in {' and '.join(currencies)}")
    amount = sum((known[part].amount * number for part, number in parts.items()), Decimal(0))
    return Price(amount.quantize(NANO), currencies[0])
