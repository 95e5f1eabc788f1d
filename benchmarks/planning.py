"""Planning without the engine, as a whole process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.table import Row
from benchmarks.timing import BARE_PYTHON, multicloud, processes

if TYPE_CHECKING:
    from collections.abc import Iterator

POLICY = Path(__file__).parent.parent / "policies" / "daynight.yaml"


def rows() -> Iterator[Row]:
    """`plan --no-engine` of the day/night policy beside a Python that does nothing."""
    plan = multicloud("plan", "--no-engine", "-p", str(POLICY), "--at", "2026-12-01T10:12:00+08:00")
    with tempfile.TemporaryDirectory() as folder:
        bare, ours = processes([BARE_PYTHON, plan], folder=Path(folder), goes=7)
    yield Row("plan --no-engine, day/night", ours, "python -c pass", bare, "at most 1 s and 40x")
