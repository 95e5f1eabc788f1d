"""A rebalance that changes nothing: 100 stacks, no engine."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.engine import init_and_plan
from benchmarks.table import Row
from benchmarks.timing import multicloud, processes

if TYPE_CHECKING:
    from collections.abc import Iterator

POOLS = 100
AT = ("--at", "2026-12-01T12:00:00Z")
LATER = ("--at", "2026-12-01T12:20:00Z")


def rows() -> Iterator[Row]:
    """The second of two rebalances, beside a full `terraform plan` of every stack."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ["version: 1", "name: many", "timezone: UTC", "pools:"]
        lines += [f"  p{n:03}: {{need: T4, place: {{in: aws/us-east-1}}}}" for n in range(POOLS)]
        (folder / "many.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        first = multicloud("rebalance", "-p", "many.yaml", *AT)
        subprocess.run(first, cwd=folder, check=True, capture_output=True)
        again = multicloud("rebalance", "-p", "many.yaml", *LATER)
        (ours,) = processes([again], folder=folder, goes=5)
        theirs = init_and_plan(folder, parallelism=4)
    yield Row(
        f"rebalance without changes, {POOLS} stacks",
        ours,
        f"terraform init + plan of {POOLS} stacks, 4 at once",
        theirs,
        "under 1.5 s, no engine",
    )
