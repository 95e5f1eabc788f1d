"""How long things take: the median of several goes, interleaved where two are compared."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GOES = 9


def call(work: Callable[[], object], *, goes: int = GOES) -> float:
    """Median seconds of calling `work`, after one call that does not count.

    As with `timeit`, the garbage collector waits: what it finds is not the work's doing.
    """
    work()
    gc.collect()
    gc.disable()
    try:
        return statistics.median(_timed(work) for _ in range(goes))
    finally:
        gc.enable()


def processes(
    commands: Sequence[Sequence[str]], *, folder: Path | None = None, goes: int = GOES
) -> list[float]:
    """Median seconds of each command as a whole process; the commands take turns."""

    def start(command: Sequence[str]) -> Callable[[], object]:
        return lambda: subprocess.run(command, cwd=folder, check=True, capture_output=True)

    starts = [start(command) for command in commands]
    for go in starts:
        go()
    taken = [[_timed(go) for go in starts] for _ in range(goes)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


BARE_PYTHON = (sys.executable, "-c", "pass")


def multicloud(*arguments: str) -> tuple[str, ...]:
    """The program as its console script would start it."""
    return (sys.executable, "-m", "multicloud", *arguments)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
