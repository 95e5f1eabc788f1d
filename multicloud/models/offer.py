"""What a cloud offers: a shape, at a place, under a capacity type, with its quotes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from multicloud.models.quote import Quote


class Cloud(StrEnum):
    """The six clouds, by the names that policies use."""

    AWS = "aws"
    GCP = "gcp"
    AZURE = "azure"
    TENCENT = "tencent"
    ALIBABA = "alibaba"
    ORACLE = "oracle"


class CapacityType(StrEnum):
    """How capacity is bought; three-valued on purpose, never a boolean."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVED = "reserved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What one node of an instance type is made of.

    `gpu` is a catalogue name (see `GpuFacts.name`). `gpus` is GPUs per node and a fraction for
    shared ones (1/4 of a T4). `gpu_memory_gib` is per whole GPU, or the share's own part for a
    fraction. `memory_gib` is the node's main memory. `gpu_link` joins the GPUs of a node
    (`nvlink`, `pcie`, `xgmi`), `fabric` joins nodes (`efa`, `infiniband`, `roce`, `tcpx`, or
    empty). Source of each row: `catalog/data/shapes.csv`.
    """

    cloud: Cloud
    instance_type: str
    gpu: str
    gpus: Fraction
    gpu_memory_gib: Decimal
    vcpus: int
    memory_gib: Decimal
    arch: str
    gpu_link: str
    fabric: str
    source: str


class OfferKey(NamedTuple):
    """Identity of an offer; sorts in a stable, readable order. `zone` is "" for a whole region."""

    cloud: Cloud
    region: str
    zone: str
    instance_type: str
    capacity_type: CapacityType


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A shape at a place under a capacity type.

    `zone` is a zone id, or None where price and stock are told for the region as a whole.
    `quotes` are in order of `observed_at`, oldest first, known ones only: an offer whose price
    nobody knows has none. `reservation_only` types cannot be had without a reservation's id.
    `note` says for people why no price is known, when that is known.
    """

    cloud: Cloud
    region: str
    zone: str | None
    shape: Shape
    capacity_type: CapacityType
    quotes: tuple[Quote, ...]
    reservation_only: bool = False
    note: str = ""

    @property
    def key(self) -> OfferKey:
        """Identity without shape details and quotes."""
        return OfferKey(
            self.cloud, self.region, self.zone or "", self.shape.instance_type, self.capacity_type
        )
