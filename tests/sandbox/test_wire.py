"""The protobuf codec against worked examples and itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.sandbox import wire


@pytest.mark.parametrize(
    ("number", "encoded"),
    [(0, b"\0"), (1, b"\x01"), (150, b"\x96\x01"), (-1, b"\xff" * 9 + b"\x01")],
)
def test_varint_is_as_in_the_protobuf_documentation(number: int, encoded: bytes) -> None:
    assert wire.varint(number) == encoded


@given(st.integers(1, 2**29 - 1), st.binary(), st.text(), st.integers(1, 2**63))
def test_fields_come_back(number: int, data: bytes, text: str, integer: int) -> None:
    other = number % (2**29 - 1) + 1
    message = wire.parse(wire.blob(number, data) + wire.integer(other, integer))
    assert message.blob(number) == data
    assert message.integers[other] == [integer]
    assert wire.parse(wire.text(number, text)).text(number) == text


def test_absent_fields_read_as_empty_and_zero_is_left_out() -> None:
    message = wire.parse(b"")
    assert message.blob(1) == b""
    assert message.text(2) == ""
    assert not message.has(1)
    assert wire.integer(1, 0) == b""
    assert wire.present_integer(3, 0) == b"\x18\x00"


def test_repeated_fields_are_all_kept_and_fixed_width_is_skipped() -> None:
    fixed = wire.varint(4 << 3 | 1) + b"12345678" + wire.varint(5 << 3 | 5) + b"1234"
    message = wire.parse(wire.blob(1, b"a") + fixed + wire.blob(1, b"b"))
    assert message.blobs == {1: [b"a", b"b"]}


@pytest.mark.parametrize(
    "data",
    [b"\x80", b"\x80" * 12, b"\x0a\x05ab", b"\x0b", b"\x09123"],
    ids=["cut number", "endless number", "cut bytes", "group", "cut fixed"],
)
def test_what_is_no_message_is_an_error(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.parse(data)
