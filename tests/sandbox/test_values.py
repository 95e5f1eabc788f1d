"""Dynamic values: what Terraform sends comes back the same, unknowns included."""

from __future__ import annotations

import json

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.sandbox import wire
from multicloud.sandbox.values import (
    UNKNOWN,
    Value,
    canonical,
    decode,
    decode_row,
    encode,
    has_unknown,
)

leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text() | st.just(UNKNOWN)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(values)
def test_values_come_back(value: Value) -> None:
    assert decode(encode(value)) == value


def test_a_refined_unknown_is_unknown() -> None:
    packed = msgpack.packb(msgpack.ExtType(12, b"\x81\x01\xc2"))
    assert decode(wire.blob(1, packed)) is UNKNOWN


def test_json_and_absent_values() -> None:
    assert decode(wire.blob(2, json.dumps({"a": 1}).encode())) == {"a": 1}
    assert decode(b"") is None


def test_a_row_is_an_object_or_null() -> None:
    assert decode_row(encode(None)) is None
    assert decode_row(encode({"a": None})) == {"a": None}
    with pytest.raises(TypeError, match="expected an object, got list"):
        decode_row(encode([]))


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises(TypeError, match="object is not a Terraform value"):
        encode(object())  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize(
    ("value", "expected"),
    [(UNKNOWN, True), ({"a": [1, {"b": UNKNOWN}]}, True), ({"a": [1, None]}, False), ("x", False)],
)
def test_has_unknown_looks_inside(value: Value, expected: bool) -> None:
    assert has_unknown(value) is expected


def test_canonical_ignores_the_order_of_keys() -> None:
    assert canonical({"a": 1, "b": UNKNOWN}) == canonical({"b": UNKNOWN, "a": 1})
    assert canonical({"a": UNKNOWN}) != canonical({"a": "unknown"})
