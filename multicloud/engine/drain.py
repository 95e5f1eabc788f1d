"""Reads a child's pipe in a thread, in bounded memory: lines for a caller, the tail for errors."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

_CHUNK = 64 * 1024
_TAIL_BYTES = 64 * 1024
_LONGEST_LINE = 4 * 1024 * 1024


class _Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= _TAIL_BYTES:
            self._size -= len(self._chunks.popleft())

    def text(self) -> str:
        return b"".join(self._chunks)[-_TAIL_BYTES:].decode("utf-8", "replace")


class _Lines:
    """Cuts a stream into lines; of one that is endless only the first part is kept."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._rest = bytearray()

    def add(self, chunk: bytes) -> None:
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._keep(line)
            self.end()
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._rest += part[: _LONGEST_LINE - len(self._rest)]

    def end(self) -> None:
        line, self._rest = bytes(self._rest), bytearray()
        if line:
            self._on_line(line.decode("utf-8", "replace").rstrip("\r"))


class Drain(threading.Thread):
    """Reads one pipe to its end, whatever the reader of its lines does.

    `tail` is the end of what was read, `error` the first fault that `on_line` raised; it gets no
    line after that.
    """

    def __init__(self, pipe: IO[bytes], on_line: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._lines = _Lines(on_line) if on_line else None
        self.tail = _Tail()
        self.error: Exception | None = None

    def run(self) -> None:
        """Read until every holder of the pipe's other end has closed it."""
        for chunk in self._chunks():
            self.tail.add(chunk)
            self._pass_on(chunk)
        self._pass_on(None)

    def close(self) -> None:
        """Close the pipe, once the thread has ended."""
        self._pipe.close()

    def _chunks(self) -> Iterator[bytes]:
        while chunk := os.read(self._pipe.fileno(), _CHUNK):
            yield chunk

    def _pass_on(self, chunk: bytes | None) -> None:
        if self._lines is None or self.error is not None:
            return
        try:
            self._lines.end() if chunk is None else self._lines.add(chunk)
        except Exception as error:  # noqa: BLE001 - kept for whoever started the child
            self.error = error
