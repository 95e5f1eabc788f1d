"""Models as JSON and back, exactly; driven by their annotations, so that new fields follow.

Decimals, fractions and instants travel as text. Fields that are absent take their defaults,
unknown ones are passed over: a record outlives the program that wrote it.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import TypeVar, cast

from multicloud.store.failures import UnreadableError

_T = TypeVar("_T")
_MODELS = (
    "account",
    "change",
    "condition",
    "decision",
    "memory",
    "offer",
    "placement",
    "quote",
    "run",
)
"""Modules whose names stand in the annotations of what is stored."""


def dumps(value: object) -> str:
    """`value` as JSON text with sorted keys; equal values of one type give equal text.

    Raises: TypeError for what no model has, ValueError for a naive instant, for a decimal or
        float that is no number.
    """
    return json.dumps(encode(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def loads(kind: type[_T], text: str) -> _T:
    """The value of type `kind` that `dumps` wrote.

    Raises: UnreadableError when the text is not of that type.
    """
    try:
        return decode(kind, json.loads(text))
    except json.JSONDecodeError as error:
        raise UnreadableError(f"not JSON: {error}") from error


def loads_object(text: str) -> dict[str, object]:
    """The JSON object that `dumps` wrote, as it is.

    Raises: UnreadableError when the text is no object.
    """
    try:
        return _checked(dict, json.loads(text))
    except (json.JSONDecodeError, TypeError) as error:
        raise UnreadableError(f"not a JSON object: {error}") from error


def encode(value: object) -> object:
    """`value` as what JSON can hold; see `dumps`."""
    match value:
        case Mapping():
            return _encode_mapping(value)
        case tuple() | list():
            return [encode(part) for part in value]
    if is_dataclass(value):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value)}
    return _encode_scalar(value)


def decode(kind: type[_T], data: object) -> _T:
    """The value of type `kind` that `encode` gave `data` for.

    Raises: UnreadableError when `data` is not of that type.
    """
    try:
        return cast("_T", _decode(kind, data))
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        name = getattr(kind, "__name__", kind)
        raise UnreadableError(f"not a {name}: {error}") from error


def _encode_scalar(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case None | bool() | str() | int() | float():
            return value
        case Decimal():
            return _decimal_text(value)
        case Fraction():
            return str(value)
        case datetime():
            return _instant_text(value)
    raise TypeError(f"cannot store a {type(value).__name__}")


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"cannot store {value}: not a number")
    return str(value)


def _instant_text(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"cannot store {value}: an instant needs its zone")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _encode_mapping(value: Mapping[object, object]) -> object:
    """An object when all keys are text, else pairs in the order of their keys."""
    if all(isinstance(key, str) for key in value):
        return {encode(key): encode(part) for key, part in value.items()}
    pairs = [[encode(key), encode(part)] for key, part in value.items()]
    return sorted(pairs, key=json.dumps)


def _decode(kind: object, data: object) -> object:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_optional(typing.get_args(kind), data)
    if origin is not None:
        return _decode_container(origin, typing.get_args(kind), data)
    if kind is object:
        return data
    if not isinstance(kind, type):
        raise TypeError(f"no way to read {kind!r}")
    if is_dataclass(kind):
        return _decode_record(kind, _checked(dict, data))
    if issubclass(kind, tuple):
        return _decode_named(kind, _checked(list, data))
    return _decode_scalar(kind, data)


def _decode_scalar(kind: type, data: object) -> object:
    if kind is bool:
        return _checked(bool, data)
    if issubclass(kind, Enum):
        return kind(data)
    if kind is int:
        return _checked(int, data)
    text = _checked(str, data)
    if kind is str:
        return text
    if kind is datetime:
        return _instant(text)
    if kind is Decimal:
        return Decimal(_decimal_text(Decimal(text)))
    if kind is Fraction:
        return Fraction(text)
    raise TypeError(f"no way to read a {kind.__name__}")


def _instant(text: str) -> datetime:
    value = datetime.fromisoformat(text)
    if value.tzinfo is None:
        raise ValueError(f"an instant needs its zone: {text}")
    return value.astimezone(UTC)


def _decode_optional(kinds: tuple[object, ...], data: object) -> object:
    if data is None and type(None) in kinds:
        return None
    (kind,) = (k for k in kinds if k is not type(None))
    return _decode(kind, data)


def _decode_container(origin: object, kinds: tuple[object, ...], data: object) -> object:
    if origin is tuple and kinds[-1] is Ellipsis:
        return tuple(_decode(kinds[0], part) for part in _checked(list, data))
    if origin is Mapping:
        pairs = data.items() if isinstance(data, dict) else _checked(list, data)
        return {_decode(kinds[0], key): _decode(kinds[1], part) for key, part in pairs}
    raise TypeError(f"no way to read {origin!r}")


def _decode_record(kind: type, data: dict[str, object]) -> object:
    hints = hints_of(kind)
    given = {name: _decode(hints[name], data[name]) for name in hints if name in data}
    for field in fields(kind):
        optional = field.default is not MISSING or field.default_factory is not MISSING
        if field.name not in given and not optional:
            raise KeyError(field.name)
    return kind(**given)


def _decode_named(kind: type, data: list[object]) -> object:
    parts = zip(hints_of(kind).values(), data, strict=True)
    return kind(*(_decode(hint, part) for hint, part in parts))


def _checked(kind: type[_T], data: object) -> _T:
    """`data`, if it is exactly of the JSON type asked for: true is no number here."""
    if type(data) is not kind:
        raise TypeError(f"expected {kind.__name__}, found {data!r}")
    return data


@cache
def hints_of(kind: type) -> dict[str, typing.Any]:
    """Annotations of a model, resolved; models import them for type checkers only."""
    return typing.get_type_hints(kind, localns=_names())


@cache
def _names() -> dict[str, object]:
    known = (Decimal, Fraction, Mapping, datetime)
    names: dict[str, object] = {kind.__name__: kind for kind in known}
    for module in _MODELS:
        found = vars(import_module(f"multicloud.models.{module}"))
        names |= {name: value for name, value in found.items() if isinstance(value, type)}
    return names
