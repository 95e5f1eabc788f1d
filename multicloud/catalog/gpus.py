"""GPU facts and the names under which a need may ask for them."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from multicloud.catalog.tables import read_table, sources
from multicloud.models.gpu import GpuFacts, Precision

if TYPE_CHECKING:
    from collections.abc import Mapping

ANY = "any"
_TPUS = "Google"
_PRECISIONS = tuple(Precision)
_FIRST_FIGURE = 6  # columns before the figures: name, family, model, aliases, vendor, memory


@cache
def gpu_facts() -> Mapping[str, GpuFacts]:
    """Facts of every GPU in the catalogue by its name, in file order.

    Source: `catalog/data/gpus.csv`, one source per row; dense figures only, a blank is
    "not published".
    """
    return MappingProxyType({row[0]: _facts(row) for row in read_table("gpus.csv")})


def resolve_gpu(name: str) -> frozenset[str]:
    """Catalogue names meant by a family, model, alias or name; empty when unknown.

    `A100` is any A100, `A100-80GB` the SXM and the PCIe card of that memory, `A100-80GB-PCIe`
    exactly that one, `any` all of them but TPUs, for
    which programs are written apart. Case is free.
    """
    return _meanings().get(name.casefold(), frozenset())


def is_tpu(name: str) -> bool:
    """Whether a catalogue name is that of a TPU's chip."""
    return gpu_facts()[name].vendor == _TPUS


@cache
def gpu_names() -> tuple[str, ...]:
    """Every accepted name but `any`, sorted: what a near miss is looked for in."""
    names = {
        name
        for facts, aliases in _rows()
        for name in (facts.name, facts.family, facts.model, *aliases)
    }
    return tuple(sorted(names))


@cache
def _meanings() -> Mapping[str, frozenset[str]]:
    """From every accepted name, case folded, to what it means."""
    found: dict[str, set[str]] = {}
    for facts, aliases in _rows():
        for name in (facts.name, facts.family, facts.model, *aliases):
            found.setdefault(name.casefold(), set()).add(facts.name)
    meanings = {name: frozenset(names) for name, names in found.items()}
    meanings[ANY] = frozenset(name for name in gpu_facts() if not is_tpu(name))
    return meanings


@cache
def _rows() -> tuple[tuple[GpuFacts, tuple[str, ...]], ...]:
    """Facts with the aliases of their row."""
    facts = gpu_facts()
    return tuple((facts[row[0]], tuple(row[3].split())) for row in read_table("gpus.csv"))


def _facts(row: list[str]) -> GpuFacts:
    """One row of the table; columns as in its header."""
    figures = row[_FIRST_FIGURE : _FIRST_FIGURE + len(_PRECISIONS)]
    bandwidth, link, power, source = row[_FIRST_FIGURE + len(_PRECISIONS) :]
    return GpuFacts(
        name=row[0],
        family=row[1],
        model=row[2],
        vendor=row[4],
        memory_gib=Decimal(row[5]),
        tflops=MappingProxyType(
            {p: Decimal(text) for p, text in zip(_PRECISIONS, figures, strict=True) if text}
        ),
        memory_bandwidth_gb_s=_figure(bandwidth),
        link_gb_s=_figure(link),
        tdp_w=_figure(power),
        source=sources()[source].document,
    )


def _figure(text: str) -> Decimal | None:
    """A figure, or None for a blank."""
    return Decimal(text) if text else None
