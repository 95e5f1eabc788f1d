"""Which nodes a mark on stock is about, held against what the clouds are known to have."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.columns import near_miss
from multicloud.catalog.shapes import types_of
from multicloud.errors import InvalidInputError
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox.groups import zone_id
from multicloud.sandbox.stock import ANY, Pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def pattern_of(said: Mapping[str, str]) -> Pattern:
    """The pattern of `cloud`, `region`, `zone`, `type` and `capacity`; what is not said is any.

    Each may be a glob; a zone may be given by its id or by the sandbox account's name for it.

    Raises:
        InvalidInputError: one means nothing that is known, so it would never match.
    """
    name = said.get("cloud", "")
    if name not in set(Cloud):
        raise InvalidInputError(
            f'unknown cloud "{name}".{near_miss(name, Cloud)}', detail=f"Expected {_list(Cloud)}."
        )
    cloud = Cloud(name)
    region = said.get("region", ANY)
    _check(region, CLOUDS[cloud].regions, f"region of {cloud}")
    zone = zone_id(cloud, region, said.get("zone", ANY))
    found = [r for n, r in CLOUDS[cloud].regions.items() if fnmatchcase(n, region)]
    _check(zone, [z for r in found for z in r.zones], f"zone of {cloud}/{region}")
    type_ = said.get("type", ANY)
    _check(type_, types_of(cloud), f"instance type of {cloud}")
    capacity = said.get("capacity", ANY)
    _check(capacity, CapacityType, "capacity type")
    return Pattern(cloud, region, zone, type_, capacity)


def _check(glob: str, known: Iterable[str], what: str) -> None:
    names = tuple(known)
    if glob != ANY and not any(fnmatchcase(name, glob) for name in names):
        raise InvalidInputError(f'"{glob}" is no {what} that is known.{near_miss(glob, names)}')


def _list(words: Iterable[str]) -> str:
    return ", ".join(words)
