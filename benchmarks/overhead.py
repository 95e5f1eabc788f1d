"""What our plan adds to `init` and `plan` of the same stacks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.engine import init_and_plan
from benchmarks.table import Row
from benchmarks.timing import multicloud, processes

if TYPE_CHECKING:
    from collections.abc import Iterator

STACKS = 8
AT = ("--at", "2026-12-01T12:00:00Z")


def rows() -> Iterator[Row]:
    """`multicloud plan` of eight stacks in the sandbox, beside the engine alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ["version: 1", "name: some", "timezone: UTC", "pools:"]
        lines += [f"  p{n}: {{need: T4, place: {{in: aws/us-east-1}}}}" for n in range(STACKS)]
        (folder / "some.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (ours,) = processes([multicloud("plan", "-p", "some.yaml", *AT)], folder=folder, goes=5)
        theirs = median(init_and_plan(folder, parallelism=4) for _ in range(5))
    yield Row(
        f"plan of {STACKS} stacks, sandbox",
        ours,
        "init + plan, 4 at once",
        theirs,
        "at most 1.5 s more",
    )
