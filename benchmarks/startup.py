"""Start-up: what a shell waits for before anything happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.table import Row
from benchmarks.timing import BARE_PYTHON, multicloud, processes

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """`--version` and `--help` beside a Python that does nothing."""
    bare, version, help_ = processes(
        [BARE_PYTHON, multicloud("--version"), multicloud("--help")], goes=15
    )
    yield Row("multicloud --version", version, "python -c pass", bare, "at most 3x")
    yield Row("multicloud --help", help_, "python -c pass", bare, "at most 6x")
