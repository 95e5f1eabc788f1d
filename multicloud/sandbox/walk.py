"""Walking values side by side with their schema: filling in, comparing, finding by path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from multicloud.sandbox.schema import Block, NestedBlock, Nesting, TypeExpr
from multicloud.sandbox.values import UNKNOWN, Row, Value, canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Step = str | int
Path = tuple[Step, ...]


class Found(NamedTuple):
    """A value, its path with indices for Terraform, and its dotted path in the schema."""

    path: Path
    dotted: str
    value: Value


def dotted(path: Path) -> str:
    """A path without its indices, as the facts write it."""
    return ".".join(step for step in path if isinstance(step, str))


def rows_of(nested: NestedBlock, value: Value) -> Iterator[tuple[Path, Row]]:
    """The blocks in a nested block's value, each with its step below the block's name.

    Elements of a set have no step that Terraform could show, so theirs is empty.
    """
    match value:
        case list():
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    yield ((index,) if nested.nesting is Nesting.LIST else ()), item
        case dict() if nested.nesting is Nesting.MAP:
            for key, item in value.items():
                if isinstance(item, dict):
                    yield (key,), item
        case dict():
            yield (), value


def complete(block: Block, row: Row) -> Row:
    """The row with every attribute and block of the schema, null or empty where it had none."""
    out: Row = {name: row.get(name) for name in block.attributes}
    for name, nested in block.blocks.items():
        value = row.get(name)
        match nested.nesting:
            case Nesting.LIST | Nesting.SET:
                items = value if isinstance(value, list) else []
                out[name] = [complete(nested.block, i) for i in items if isinstance(i, dict)]
            case Nesting.MAP:
                entries = value if isinstance(value, dict) else {}
                out[name] = {
                    k: complete(nested.block, v) for k, v in entries.items() if isinstance(v, dict)
                }
            case Nesting.SINGLE | Nesting.GROUP:
                out[name] = complete(nested.block, value) if isinstance(value, dict) else None
        if value is UNKNOWN:
            out[name] = UNKNOWN
    return out


def _normal(kind: TypeExpr, value: Value) -> Value:
    """The value with the elements of every set in one order."""
    if not isinstance(kind, list) or value is None or value is UNKNOWN:
        return value
    head, inner = kind[0], kind[1]
    if head == "object" and isinstance(inner, dict) and isinstance(value, dict):
        return {k: _normal(inner.get(k, "string"), v) for k, v in value.items()}
    if isinstance(inner, dict):
        return value
    if isinstance(value, dict):
        return {k: _normal(inner, v) for k, v in value.items()}
    if not isinstance(value, list):
        return value
    items = [_normal(inner, item) for item in value]
    return sorted(items, key=canonical) if head == "set" else items


def _normal_row(block: Block, row: Row) -> Row:
    out = {n: _normal(a.type, row.get(n)) for n, a in block.attributes.items()}
    for name, nested in block.blocks.items():
        value = row.get(name)
        if isinstance(value, list):
            items: list[Value] = [
                _normal_row(nested.block, i) if isinstance(i, dict) else i for i in value
            ]
            out[name] = sorted(items, key=canonical) if nested.nesting is Nesting.SET else items
        else:
            out[name] = value
    return out


def differences(block: Block, before: Row, after: Row, at: Path = ()) -> Iterator[Path]:
    """Paths at which two rows differ; the order of a set's elements is no difference.

    A list whose length changed, and any changed set or map, is told as a whole.
    """
    for name, attribute in block.attributes.items():
        if _normal(attribute.type, before.get(name)) != _normal(attribute.type, after.get(name)):
            yield (*at, name)
    for name, nested in block.blocks.items():
        old, new = before.get(name), after.get(name)
        by_index = nested.nesting in (Nesting.LIST, Nesting.SINGLE, Nesting.GROUP)
        olds, news = list(rows_of(nested, old)), list(rows_of(nested, new))
        if by_index and len(olds) == len(news) and UNKNOWN not in (old, new):
            for (step, a), (_, b) in zip(olds, news, strict=True):
                yield from differences(nested.block, a, b, (*at, name, *step))
        elif _normal_row(block, {name: old})[name] != _normal_row(block, {name: new})[name]:
            yield (*at, name)


def find(row: Value, dotted_path: str) -> Iterator[Found]:
    """Every value at a schema path, one for each block on the way; absent blocks give none."""
    yield from _find(row, tuple(dotted_path.split(".")), (), dotted_path)


def _find(value: Value, rest: tuple[str, ...], at: Path, whole: str) -> Iterator[Found]:
    if not rest:
        yield Found(at, whole, value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find(item, rest, (*at, index), whole)
    elif isinstance(value, dict) and rest[0] in value:
        yield from _find(value[rest[0]], rest[1:], (*at, rest[0]), whole)


def rounded(row: Row, decimals: Mapping[str, int]) -> Row:
    """The row with each number at these dotted paths rounded to so many decimals.

    Terraform sends a number as text where binary fractions could not hold it.
    """
    for path, places in decimals.items():
        row = _rounded(row, path.split("."), places)
    return row


def _rounded(row: Row, path: list[str], places: int) -> Row:
    def changed(value: Value) -> Value:
        match value:
            case list():
                return [changed(item) for item in value]
            case dict() if rest:
                return _rounded(value, rest, places)
            case float() if not rest:
                return round(value, places)
            case str() if not rest:
                return str(round(float(value), places))
            case _:
                return value

    name, *rest = path
    return {**row, name: changed(row[name])} if name in row else row
