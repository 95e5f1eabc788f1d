"""Reading a pipe: bounded memory, whole lines."""

from __future__ import annotations

import os

import pytest

from multicloud.engine.drain import Drain


def drained(*chunks: bytes) -> tuple[list[str], Drain]:
    lines: list[str] = []
    reader, writer = os.pipe()
    drain = Drain(os.fdopen(reader, "rb", buffering=0), lines.append)
    drain.start()
    for chunk in chunks:
        os.write(writer, chunk)
    os.close(writer)
    drain.join(10)
    drain.close()
    return lines, drain


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ((b"a\nb\n",), ["a", "b"]),
        ((b"a\nb",), ["a", "b"]),
        ((b"a", b"b\nc"), ["ab", "c"]),
        ((b"a\r\n\r\n\nb",), ["a", "", "b"]),
        ((b"\xc3", b"\xa9\n\xff\n"), ["\u00e9", "\ufffd"]),
        ((), []),
    ],
)
def test_lines(chunks: tuple[bytes, ...], lines: list[str]) -> None:
    assert drained(*chunks)[0] == lines


def test_only_the_tail_is_kept() -> None:
    blocks = [bytes([65 + n]) * 50_000 for n in range(6)]
    _, drain = drained(*blocks)
    text = drain.tail.text()
    assert len(text) == 64 * 1024
    assert text.endswith("F" * 50_000)
    assert set(text) == {"E", "F"}


def test_an_endless_line_is_cut() -> None:
    lines, _ = drained(*[b"x" * 60_000] * 100, b"\nnext\n")
    assert [len(line) for line in lines] == [4 * 1024 * 1024, 4]
