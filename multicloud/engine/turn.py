"""Whose turn it is to install providers into a cache that all stacks and runs share."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

_POLL_S = 0.1
_PATIENCE_S = 600.0


def any_time() -> Callable[[], AbstractContextManager[None]]:
    """Turns for stacks that share nothing: everybody's at once."""

    @contextmanager
    def turn() -> Iterator[None]:
        yield

    return turn


def one_at_a_time(
    cache: Path, *, patience_s: float = _PATIENCE_S
) -> Callable[[], AbstractContextManager[None]]:
    """Turns for stacks that share the plug-in cache, also with other processes.

    A lock on a file in the cache ends with its holder, however that ends.
    Raises, when a turn is taken: EngineError after `patience_s` seconds of waiting.
    """
    threads = threading.Lock()

    @contextmanager
    def turn() -> Iterator[None]:
        with threads, (cache / ".lock").open("w") as file:
            _lock(file.fileno(), patience_s)
            yield

    return turn


def _lock(descriptor: int, patience_s: float) -> None:
    try:
        import fcntl
    except ImportError:  # Windows; there the threads of one run take turns, runs do not
        return
    end = clock.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if clock.monotonic() > end:
                raise EngineError(
                    "another run has been installing providers for too long.",
                    hint="Wait for it or end it, then run again.",
                ) from None
            threading.Event().wait(_POLL_S)
        else:
            return
