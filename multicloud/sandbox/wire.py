"""The part of protobuf's wire format that Terraform's plug-in protocol needs, by field number."""

from __future__ import annotations

from dataclasses import dataclass, field

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_TWO_TO_64 = 1 << 64


class WireError(ValueError):
    """Bytes that are not a protobuf message."""


def varint(number: int) -> bytes:
    """Encode an integer; negative ones take ten bytes, as in two's complement of 64 bits."""
    rest = number % _TWO_TO_64
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def blob(number: int, value: bytes) -> bytes:
    """A field of bytes, also an embedded message; written even when empty."""
    return varint(number << 3 | _BYTES) + varint(len(value)) + value


def text(number: int, value: str) -> bytes:
    """A field of text."""
    return blob(number, value.encode())


def integer(number: int, value: int) -> bytes:
    """A field of an integer or bool; the default 0 is left out, as proto3 does."""
    return varint(number << 3) + varint(value) if value else b""


def present_integer(number: int, value: int) -> bytes:
    """An integer inside a `oneof`, where 0 must be written to be seen."""
    return varint(number << 3) + varint(value)


@dataclass(frozen=True, slots=True)
class Message:
    """A parsed message; a field that was not sent reads as its empty value."""

    blobs: dict[int, list[bytes]] = field(default_factory=dict)
    integers: dict[int, list[int]] = field(default_factory=dict)

    def blob(self, number: int) -> bytes:
        """The last value of a bytes field, empty when absent."""
        values = self.blobs.get(number)
        return values[-1] if values else b""

    def text(self, number: int) -> str:
        """The last value of a text field, empty when absent."""
        return self.blob(number).decode()

    def has(self, number: int) -> bool:
        """Whether a bytes field was sent at all."""
        return number in self.blobs


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise WireError("a number is cut off or too long")
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7


def parse(data: bytes) -> Message:
    """Read a message; fields of fixed width are skipped, since the protocol uses none.

    Raises: WireError when the bytes are not a message.
    """
    message = Message()
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            message.integers.setdefault(number, []).append(value)
            continue
        if kind == _BYTES:
            size, at = _read_varint(data, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise WireError(f"wire type {kind} is not known")
        if at + size > len(data):
            raise WireError(f"field {number} is cut off")
        if kind == _BYTES:
            message.blobs.setdefault(number, []).append(data[at : at + size])
        at += size
    return message
