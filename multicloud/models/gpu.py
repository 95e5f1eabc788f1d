"""GPU models and what their vendors say of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal


class Precision(StrEnum):
    """Number formats for which dense throughput is known."""

    FP64 = "fp64"
    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"
    INT8 = "int8"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuFacts:
    """One GPU as sold: `A100-80GB-PCIe` is another row than `A100-80GB` (the SXM one).

    `family` (`A100`) and `model` (`A100-80GB`, the name without its form factor) are what a
    need may also say. `tflops` holds dense figures only, in 10^12 operations a second (TOPS for
    int8). Memory is GiB per GPU as the vendor names it, bandwidths are GB/s, power is watts;
    None is "not published".
    """

    name: str
    family: str
    model: str
    vendor: str
    memory_gib: Decimal
    tflops: Mapping[Precision, Decimal]
    memory_bandwidth_gb_s: Decimal | None
    link_gb_s: Decimal | None
    tdp_w: Decimal | None
    source: str
