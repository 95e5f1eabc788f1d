"""The JSON Schema of policies and of the project file, for editors."""

from __future__ import annotations

from typing import Any, assert_never

from multicloud.policy.raw import NAMED, POLICY, PROJECT
from multicloud.policy.scalars import Kind
from multicloud.policy.shape import Key, ListOf, MapOf, OneOf, Ref, Shape, Type

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Every scalar of a policy is text to us, but editors read 4 and true as what they look like.
_SCALAR_TYPES = ["string", "number", "boolean"]


def json_schema() -> dict[str, Any]:
    """The schema of a policy file: all keys, also those that are refused as not yet."""
    return _schema("multicloud policy", POLICY)


def project_schema() -> dict[str, Any]:
    """The schema of the project file."""
    return _schema("multicloud project", PROJECT)


def _schema(title: str, shape: Shape) -> dict[str, Any]:
    definitions: dict[str, Any] = {}
    body = _shape(shape, definitions)
    return {"$schema": _DIALECT, "title": title, **body, "$defs": dict(sorted(definitions.items()))}


def _of(type_: Type, definitions: dict[str, Any]) -> dict[str, Any]:
    match type_:
        case Kind(name=name) | Shape(name=name) | OneOf(name=name) | Ref(name=name):
            if name not in definitions:
                definitions[name] = {}
                definitions[name] = _body(type_, definitions)
            return {"$ref": f"#/$defs/{name}"}
        case MapOf() | ListOf():
            return _body(type_, definitions)
        case _:
            assert_never(type_)


def _body(type_: Type, definitions: dict[str, Any]) -> dict[str, Any]:
    match type_:
        case Kind():
            return _kind(type_)
        case Shape():
            return _shape(type_, definitions)
        case MapOf():
            return _map(type_, definitions)
        case ListOf():
            return _list(type_, definitions)
        case OneOf():
            options = [part for part in (type_.scalar, type_.sequence, type_.mapping) if part]
            described = {"description": type_.doc} if type_.doc else {}
            return {**described, "anyOf": [_of(option, definitions) for option in options]}
        case Ref(name=name):
            return _body(NAMED[name], definitions)
        case _:
            assert_never(type_)


def _map(type_: MapOf, definitions: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {
        "type": "object",
        "additionalProperties": _of(type_.value, definitions),
    }
    if type_.key.pattern:
        body["propertyNames"] = {"pattern": type_.key.pattern}
    elif type_.key.choices:
        body["propertyNames"] = {"enum": list(type_.key.choices)}
    if not type_.allow_empty:
        body["minProperties"] = 1
    return body


def _list(type_: ListOf, definitions: dict[str, Any]) -> dict[str, Any]:
    inner = _of(type_.item, definitions)
    array: dict[str, Any] = {"type": "array", "items": inner}
    if not type_.allow_empty:
        array["minItems"] = 1
    return {"anyOf": [inner, array]} if type_.alone else array


def _kind(kind: Kind[Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"type": list(_SCALAR_TYPES)}
    if kind.doc:
        body["description"] = kind.doc
    if kind.choices:
        return {**body, "enum": [_literal(choice) for choice in kind.choices] + _numbers(kind)}
    if kind.pattern:
        body["pattern"] = kind.pattern
    return body


def _literal(choice: str) -> str | bool:
    return {"true": True, "false": False}.get(choice, choice)


def _numbers(kind: Kind[Any]) -> list[int]:
    return [int(choice) for choice in kind.choices if choice.isdigit()]


def _shape(shape: Shape, definitions: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"description": shape.doc} if shape.doc else {}
    body |= {
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: _key(key, definitions) for key in shape.keys},
    }
    required = [key.name for key in shape.keys if key.required]
    return {**body, "required": required} if required else body


def _key(key: Key, definitions: dict[str, Any]) -> dict[str, Any]:
    body = _of(key.type, definitions)
    words = [key.doc] if key.doc else []
    if key.default and key.default not in ("{}", "[]"):
        words.append(f"Default: {key.default}.")
    if key.later:
        words.append("Not yet supported: refused by this version.")
    if words:
        body = {**body, "description": " ".join(words)}
    return body
