"""How the structure of a file is described: maps of known keys, lists, scalars, unions.

The descriptions themselves stand in `policy.raw`. They are plain data, so that one table gives
the check of a file with positions, the JSON Schema and the written-out defaults, and costs
nothing to import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from multicloud.policy.scalars import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a map.

    `default` is the YAML text of what holds without the key, "" for nothing. `later` says why
    the key is refused for now. `shared` keys may stand under `defaults:` too, `project` keys in
    the project file.
    """

    name: str
    type: Type
    doc: str = ""
    required: bool = False
    default: str = ""
    later: str = ""
    shared: bool = False
    project: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A map that knows all its keys; any other key is an error."""

    name: str
    keys: tuple[Key, ...]
    doc: str = ""

    def key(self, name: str) -> Key | None:
        """The description of a key, or None."""
        return next((key for key in self.keys if key.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOf:
    """A map whose keys the writer chooses."""

    key: Kind[Any]
    value: Type
    allow_empty: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list; where `alone` allows it, a single item may stand for a list of one."""

    item: Type
    alone: bool = True
    allow_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """What is meant depends on whether a scalar, a list or a map stands there."""

    name: str
    scalar: Kind[Any] | None = None
    sequence: ListOf | None = None
    mapping: Shape | MapOf | Ref | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A description by name, for those that contain themselves."""

    name: str


Type = Kind[Any] | Shape | MapOf | ListOf | OneOf | Ref
