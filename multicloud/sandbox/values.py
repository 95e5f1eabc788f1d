"""Terraform's dynamic values: msgpack with one extension, the unknown value."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Final, TypeAlias, cast

import msgpack

from multicloud.sandbox import wire

_MSGPACK, _JSON = 1, 2
_UNKNOWN_EXTENSION = 0


class Unknown(Enum):
    """A value that only apply will tell."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | Unknown | None"
Row: TypeAlias = dict[str, Value]


def _from_extension(_code: int, _data: bytes) -> Unknown:
    """Every extension Terraform sends is an unknown, plain or with refinements."""
    return UNKNOWN


def _to_extension(value: object) -> msgpack.ExtType:
    if value is UNKNOWN:
        return msgpack.ExtType(_UNKNOWN_EXTENSION, b"\0")
    raise TypeError(f"{type(value).__name__} is not a Terraform value")


def decode(data: bytes) -> Value:
    """Read a DynamicValue message; an empty one is null."""
    message = wire.parse(data)
    if message.has(_MSGPACK):
        unpacked = msgpack.unpackb(
            message.blob(_MSGPACK), raw=False, ext_hook=_from_extension, strict_map_key=False
        )
        return cast("Value", unpacked)
    if message.has(_JSON):
        return cast("Value", json.loads(message.blob(_JSON)))
    return None


def decode_row(data: bytes) -> Row | None:
    """Read a DynamicValue that is an object or null, as every resource is."""
    value = decode(data)
    if value is None or isinstance(value, dict):
        return value
    raise TypeError(f"expected an object, got {type(value).__name__}")


def encode(value: Value) -> bytes:
    """Write a DynamicValue message."""
    packed = cast("bytes", msgpack.packb(value, default=_to_extension, use_bin_type=True))
    return wire.blob(_MSGPACK, packed)


def has_unknown(value: Value) -> bool:
    """Whether the value or anything in it is unknown."""
    if isinstance(value, dict):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return value is UNKNOWN


def canonical(value: Value) -> str:
    """Text that is equal for equal values; for comparing sets, whose order means nothing."""

    def unknown(item: object) -> Any:  # noqa: ANN401 - the signature json asks for
        return {"__unknown__": str(item)}

    return json.dumps(value, sort_keys=True, default=unknown)
