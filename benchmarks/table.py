"""Rows of figures, printed as they come."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement in seconds, beside what it is held against (None: nothing)."""

    what: str
    seconds: float
    against: str = ""
    against_seconds: float | None = None
    goal: str = ""


def show(rows: Iterable[Row]) -> None:
    """Print a Markdown table, row by row."""
    out = sys.stdout
    out.write(
        "| what | ours, ms | against | its ms | ratio | goal |\n|---|---:|---|---:|---:|---|\n"
    )
    for row in rows:
        other, ratio = "", ""
        if row.against_seconds is not None:
            other = f"{row.against_seconds * 1000:,.1f}"
            ratio = f"{row.seconds / row.against_seconds:.2f}"
        out.write(
            f"| {row.what} | {row.seconds * 1000:,.1f} | {row.against} | {other} | {ratio} "
            f"| {row.goal} |\n"
        )
        out.flush()
