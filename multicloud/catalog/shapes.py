"""What the nodes of each instance type are made of."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from multicloud.catalog.tables import read_table, sources
from multicloud.models.offer import Cloud, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def shapes() -> Mapping[tuple[Cloud, str], Shape]:
    """Every known shape by cloud and instance type.

    Source: `catalog/data/shapes.csv`, one source per row. Memory is in GiB, a share of a GPU a
    fraction (`1/4`).
    """
    return MappingProxyType(
        {(Cloud(row[0]), row[1]): _shape(row) for row in read_table("shapes.csv")}
    )


@cache
def find_shape(cloud: Cloud, instance_type: str) -> Shape | None:
    """The shape of a type written in any case; None when it is not known."""
    return _folded().get((cloud, instance_type.casefold()))


@cache
def types_of(cloud: Cloud) -> tuple[str, ...]:
    """Names of a cloud's types, in order."""
    return tuple(sorted(name for where, name in shapes() if where is cloud))


@cache
def _folded() -> Mapping[tuple[Cloud, str], Shape]:
    """Shapes by case-folded type."""
    return {(cloud, name.casefold()): shape for (cloud, name), shape in shapes().items()}


def _shape(row: list[str]) -> Shape:
    """One row of the table; columns as in its header."""
    cloud, name, gpu, gpus, gpu_memory, vcpus, memory, arch, link, fabric, source = row
    return Shape(
        cloud=Cloud(cloud),
        instance_type=name,
        gpu=gpu,
        gpus=Fraction(gpus),
        gpu_memory_gib=Decimal(gpu_memory),
        vcpus=int(vcpus),
        memory_gib=Decimal(memory),
        arch=arch,
        gpu_link=link,
        fabric=fabric,
        source=sources()[source].document,
    )
