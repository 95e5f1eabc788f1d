"""Terraform's JSON syntax, written so that no text is ever evaluated.

In that syntax every string is a template: `${1+1}` in a label would be computed. Here each
string, key or value, comes out literally; only an `Expr` is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from json import dumps

from multicloud.errors import RenderError

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression that Terraform shall evaluate: `Expr("module.pool.pool_id")`."""

    text: str


Value = str | bool | int | Decimal | Expr | None | Sequence["Value"] | Mapping[str, "Value"]


def escape(text: str) -> str:
    """Make a text literal inside a template; all other characters already are.

    `$${` and `%%{` are the only escapes that the template syntax has, so replacing each opening
    mark is right for runs too: `$${` becomes `$$${`, which reads back as `$${`.
    """
    return text.replace("${", "$${").replace("%{", "%%{")


def encode(value: Mapping[str, Value]) -> str:
    """Write a document: keys sorted, two blanks of indent, one newline at the end.

    An entry whose value is None is left out, as an argument that is not set. Numbers are plain
    decimals without an exponent. Equal input gives equal bytes.
    Raises: RenderError for text that is not Unicode and for a number that is not finite.
    """
    return _write(value, "") + "\n"


def _write(value: Value, indent: str) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Decimal():
            return _number(value)
        case str():
            return _text(escape(value))
        case Expr():
            return _text("${" + value.text + "}")
        case Mapping():
            inner = indent + _INDENT
            entries = [
                f"{_text(escape(key))}: {_write(item, inner)}"
                for key, item in sorted(value.items())
                if item is not None
            ]
            return _wrap(entries, indent, "{}")
        case _:
            inner = indent + _INDENT
            return _wrap([_write(item, inner) for item in value], indent, "[]")


def _wrap(entries: list[str], indent: str, marks: str) -> str:
    if not entries:
        return marks
    inner = indent + _INDENT
    return f"{marks[0]}\n{inner}" + f",\n{inner}".join(entries) + f"\n{indent}{marks[1]}"


def _number(value: Decimal) -> str:
    if not value.is_finite():
        raise RenderError(f"{value} is not a number that Terraform can read.")
    return format(value, "f")


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RenderError(f"{text!r} is not valid Unicode text.") from error
    return dumps(text, ensure_ascii=False)
