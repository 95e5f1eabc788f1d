"""A progress line on stderr while stacks are with the engine; nothing when it is no terminal."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from multicloud.models.change import StackKey

CLEAR = "\r\x1b[K"


@contextmanager
def stack_progress() -> Iterator[Callable[[StackKey, str], None] | None]:
    """Yield a callback that shows each stack's latest step; the line is gone at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    lock = threading.Lock()
    steps: dict[str, str] = {}

    def show(key: StackKey, text: str) -> None:
        with lock:
            steps[f"{key.owner}/{key.cloud}/{key.region}"] = text
            line = "  ".join(f"{name}: {step}" for name, step in steps.items())
            sys.stderr.write(f"{CLEAR}{line[:100]}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()


@contextmanager
def part_progress() -> Iterator[Callable[[str, str], None] | None]:
    """Yield a callback that counts what was read of each cloud; the line is gone at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    counts: dict[str, int] = {}

    def show(cloud: str, part: str) -> None:
        counts[cloud] = counts.get(cloud, 0) + 1
        line = "  ".join(f"{name}: {count}" for name, count in counts.items())
        sys.stderr.write(f"{CLEAR}{line}  ({part})"[:110])
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
