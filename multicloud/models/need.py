"""What a pool wants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction


class Spread(StrEnum):
    """How far a pool may be spread: one offer, several zones of a region, or anywhere."""

    NONE = "none"
    ZONES = "zones"
    PLACES = "places"


class Interconnect(StrEnum):
    """What must join the GPUs: nothing special, NVLink or xGMI in the node, RDMA between nodes."""

    ANY = "any"
    NVLINK = "nvlink"
    RDMA = "rdma"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One acceptable kind of node and how much of it.

    By GPU: `gpu` is a family, model or catalogue name, or `any` (then `gpu_memory_gib` is set),
    `gpus` the number wanted, `per_node` GPUs per node or None for any; both are whole unless
    `vgpu`, with which nodes that have a share of a GPU (1/4) will do too. By type:
    `instance_type` and `nodes`. Minima are None when not asked; `gpu_memory_gib` is per GPU,
    `vcpus` and `memory_gib` are per node.
    """

    gpu: str | None = None
    gpus: int | Fraction = 0
    per_node: int | Fraction | None = None
    vgpu: bool = False
    gpu_memory_gib: Decimal | None = None
    instance_type: str | None = None
    nodes: int = 0
    vcpus: int | None = None
    memory_gib: Decimal | None = None
    interconnect: Interconnect = Interconnect.ANY
    arch: str = "x86_64"

    @property
    def is_empty(self) -> bool:
        """A size of nothing, which equals `off`."""
        return self.gpus == 0 and self.nodes == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a pool wants: any one of `wishes` will do, earlier ones win ties.

    `min_gpus` is the least that counts as met (None: all of it); `text` is the need as written,
    in its shortest form, for people (`2x8 A100`).
    """

    wishes: tuple[Wish, ...]
    spread: Spread = Spread.NONE
    min_gpus: int | None = None
    text: str = ""
