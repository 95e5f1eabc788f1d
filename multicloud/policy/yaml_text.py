"""A tree of nodes back to YAML text that reads as the same tree."""

from __future__ import annotations

import re
from typing import assert_never

from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence

# Texts that need no quotes anywhere, also not inside [ ] and { }, in YAML 1.1 and 1.2 alike.
_PLAIN = re.compile(r"[A-Za-z0-9_/.%+-]+(?:[ :][A-Za-z0-9_/.%+-]+)*", re.ASCII)
_FIRST = re.compile(r"[A-Za-z0-9/.]", re.ASCII)


def to_yaml(node: Node) -> str:
    """Block style for maps and lists of maps, flow style for lists of scalars."""
    return "\n".join(_lines(node, 0)) + "\n"


def _lines(node: Node, depth: int) -> list[str]:
    indent = "  " * depth
    match node:
        case Scalar() | Sequence(items=()) | Mapping(entries=()):
            return [indent + _inline(node)]
        case Sequence(items=items):
            lines = []
            for item in items:
                first, *rest = _lines(item, depth + 1)
                lines += [f"{indent}- {first.lstrip()}", *rest]
            return lines
        case Mapping(entries=entries):
            lines = []
            for key, value in entries:
                if _is_short(value):
                    lines.append(f"{indent}{_inline(key)}: {_inline(value)}")
                else:
                    lines += [f"{indent}{_inline(key)}:", *_lines(value, depth + 1)]
            return lines
        case _:
            assert_never(node)


def _is_short(node: Node) -> bool:
    if isinstance(node, Sequence):
        return all(isinstance(item, Scalar) for item in node.items)
    return isinstance(node, Scalar) or not node.entries


def _inline(node: Node) -> str:
    match node:
        case Scalar():
            return _scalar(node)
        case Sequence(items=items):
            return f"[{', '.join(_inline(item) for item in items)}]"
        case Mapping(entries=entries):
            return f"{{{', '.join(f'{_inline(k)}: {_inline(v)}' for k, v in entries)}}}"
        case _:
            assert_never(node)


def _scalar(scalar: Scalar) -> str:
    if scalar.is_null:
        return "null"
    text = scalar.text
    plain = Scalar(scalar.where, text, quoted=False)
    if _PLAIN.fullmatch(text) and _FIRST.match(text) and not plain.is_null:
        return text
    return f'"{"".join(_escaped(char) for char in text)}"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )
