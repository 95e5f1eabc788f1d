"""Hold a tree of nodes against its description: every fault, each at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from multicloud.policy.near import did_you_mean
from multicloud.policy.raw import resolve
from multicloud.policy.scalars import Kind, ScalarError
from multicloud.policy.shape import ListOf, MapOf, OneOf, Ref, Shape, Type
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from multicloud.policy.problems import Problems

_KIND_NAMES = {Scalar: "a text or number", Sequence: "a list", Mapping: "a map"}


def check(node: Node, type_: Type, path: str, problems: Problems) -> None:
    """Note in `problems` whatever in `node` the description does not allow.

    Every scalar is parsed, every key looked up; what keys mean together is not looked at.
    """
    type_ = resolve(type_)
    if isinstance(node, Scalar) and node.is_null:
        problems.add(
            node.where,
            path,
            "is empty (null).",
            detail=f"Expected {expectation(type_)}.",
            hint="Leave the key out, or write 0 or off if you mean nothing.",
        )
        return
    match type_:
        case Kind():
            _check_scalar(node, type_, path, problems)
        case Shape():
            _check_shape(node, type_, path, problems)
        case MapOf():
            _check_map(node, type_, path, problems)
        case ListOf():
            _check_list(node, type_, path, problems)
        case OneOf():
            _check_one_of(node, type_, path, problems)
        case Ref():  # pragma: no cover - resolved above
            raise AssertionError(type_.name)
        case _:
            assert_never(type_)


def expectation(type_: Type) -> str:
    """What a description wants, in a few words."""
    match resolve(type_):
        case Kind() as kind:
            name = kind.name.replace("_", " ")
            return " or ".join(kind.choices) or (f"{name}: {kind.doc}" if kind.doc else name)
        case ListOf(item=item):
            return f"a list of: {expectation(item)}"
        case OneOf(name=name, doc=doc):
            return f"{name}: {doc}" if doc else name
        case _:
            return "a map"


def _wrong_node(node: Node, type_: Type, path: str, problems: Problems) -> None:
    problems.add(
        node.where,
        path,
        f"is {_KIND_NAMES[type(node)]}.",
        detail=f"Expected {expectation(type_)}.",
    )


def _check_scalar(node: Node, kind: Kind[Any], path: str, problems: Problems) -> None:
    if not isinstance(node, Scalar):
        _wrong_node(node, kind, path, problems)
        return
    try:
        kind.parse(node.text)
    except ScalarError as error:
        problems.add_scalar(node.where, path, error)


def _check_shape(node: Node, shape: Shape, path: str, problems: Problems) -> None:
    if not isinstance(node, Mapping):
        _wrong_node(node, shape, path, problems)
        return
    _check_repeated(node, path, problems)
    for key, value in node.entries:
        inner = join(path, key.text)
        known = shape.key(key.text)
        if known is None:
            names = [name.name for name in shape.keys]
            near = did_you_mean(key.text, names, count=1)
            problems.add(
                key.where,
                inner,
                f'unknown key "{key.text}".',
                detail="" if near else f"Expected one of {', '.join(names)}.",
                hint=near,
            )
        elif known.later:
            problems.add(
                key.where,
                inner,
                f'not yet: "{key.text}" is not supported by this version.',
                detail=known.later,
                hint="Leave it out.",
            )
        else:
            check(value, known.type, inner, problems)
    for known in shape.keys:
        if known.required and node.get(known.name) is None:
            problems.add(
                node.where,
                path,
                f'"{known.name}" is missing.',
                detail=f"Expected {expectation(known.type)}.",
            )


def _check_repeated(node: Mapping, path: str, problems: Problems) -> None:
    for key, first in node.repeated:
        problems.add(
            key.where,
            join(path, key.text),
            f'duplicate key "{key.text}".',
            detail=f"It stands at {first} already.",
        )


def _check_map(node: Node, type_: MapOf, path: str, problems: Problems) -> None:
    if not isinstance(node, Mapping):
        _wrong_node(node, type_, path, problems)
        return
    _check_repeated(node, path, problems)
    if not node.entries and not type_.allow_empty:
        problems.add(node.where, path, "is an empty map.", detail="Expected at least one entry.")
    for key, value in node.entries:
        _check_scalar(key, type_.key, join(path, key.text), problems)
        check(value, type_.value, join(path, key.text), problems)


def _check_list(node: Node, type_: ListOf, path: str, problems: Problems) -> None:
    if not isinstance(node, Sequence):
        if type_.alone:
            check(node, type_.item, path, problems)
        else:
            _wrong_node(node, type_, path, problems)
        return
    if not node.items and not type_.allow_empty:
        problems.add(node.where, path, "is an empty list.", detail="Expected at least one entry.")
    for index, item in enumerate(node.items):
        check(item, type_.item, f"{path}[{index}]", problems)


def _check_one_of(node: Node, type_: OneOf, path: str, problems: Problems) -> None:
    options = {Scalar: type_.scalar, Sequence: type_.sequence, Mapping: type_.mapping}
    option = options[type(node)]
    if option is None:
        _wrong_node(node, type_, path, problems)
    else:
        check(node, option, path, problems)


def join(path: str, key: str) -> str:
    """A dotted path one key further."""
    return f"{path}.{key}" if path else key
