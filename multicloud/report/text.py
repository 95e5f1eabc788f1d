"""Plain text for terminals and logs: tables, paragraphs, money. No colour, no wrapped cells."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 110
UNKNOWN = "?"
CUT = "…"
CENT = Decimal("0.01")


def money(amount: Decimal | None, *, places: Decimal = CENT) -> str:
    """An amount with thousands commas; `?` for one that nobody knows, never 0."""
    if amount is None:
        return UNKNOWN
    return f"{amount.quantize(places, rounding=ROUND_HALF_EVEN):,}"


def percent(share: Decimal | None) -> str:
    """A share as whole per cent, or `-`."""
    return "-" if share is None else f"{share * 100:.0f} %"


@dataclass(frozen=True, slots=True)
class Column:
    """A table column; `right` aligns figures, `shrinks` lets long text be cut to fit."""

    title: str
    right: bool = False
    shrinks: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int = WIDTH) -> str:
    """Rows under their titles, two blanks between columns, at most `width` wide.

    Cells are never wrapped: when a row would be too long, cells of shrinking columns lose their
    middle to `CUT`, the widest column first.
    """
    cells = [[column.title for column in columns], *[list(row) for row in rows]]
    sizes = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    _shrink(columns, sizes, width - 2 * (len(columns) - 1))
    return "\n".join(_line(columns, sizes, row) for row in cells)


def _shrink(columns: Sequence[Column], sizes: list[int], room: int) -> None:
    least = 8
    while sum(sizes) > room:
        able = [i for i, column in enumerate(columns) if column.shrinks and sizes[i] > least]
        if not able:
            return
        widest = max(able, key=lambda i: sizes[i])
        sizes[widest] -= 1


def _line(columns: Sequence[Column], sizes: Sequence[int], row: Sequence[str]) -> str:
    parts = []
    for column, size, cell in zip(columns, sizes, row, strict=True):
        text = cell if len(cell) <= size else _cut(cell, size)
        parts.append(text.rjust(size) if column.right else text.ljust(size))
    return "  ".join(parts).rstrip()


def _cut(text: str, size: int) -> str:
    """Shorten in the middle: what tells two names apart is often at their end."""
    head = (size - 1) // 2
    return text[:head] + CUT + text[len(text) - (size - 1 - head) :]


def paragraph(head: str, text: str, *, indent: int, width: int = WIDTH) -> str:
    """`head` in a column of `indent` characters, `text` wrapped beside it."""
    lead = head.ljust(indent)
    if len(lead) > indent:
        lead += " "
    return textwrap.fill(
        text,
        width=width,
        initial_indent=lead,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
