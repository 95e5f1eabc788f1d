"""A state that is no successor is put aside; a state of another pool is never destroyed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from multicloud.errors import EngineError, GuardrailError
from multicloud.models.change import StackKey
from multicloud.run.states import check_owner, keep_if_sound

if TYPE_CHECKING:
    from pathlib import Path

KEY = StackKey(
    target="sandbox", policy="p", pool="a", cloud="aws", region="us-east-1", digest="0a1b2c3d"
)


def a_state(serial: int = 3, lineage: str = "L", pool: str = "a") -> bytes:
    tags = {"managed-by": "multicloud", "policy": "p", "pool": pool, "place": "0a1b2c3d"}
    resources = [{"type": "aws_vpc", "instances": [{"attributes": {"tags": tags}}]}]
    return json.dumps({"serial": serial, "lineage": lineage, "resources": resources}).encode()


def test_a_successor_stays(tmp_path: Path) -> None:
    state = tmp_path / "a.tfstate"
    state.write_bytes(a_state(4))
    keep_if_sound(state, a_state(3))
    assert state.read_bytes() == a_state(4)


def test_a_first_state_stays(tmp_path: Path) -> None:
    state = tmp_path / "a.tfstate"
    state.write_bytes(a_state())
    keep_if_sound(state, None)
    assert state.read_bytes() == a_state()


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (b"", "is empty"),
        (b"{", "cannot be read"),
        (a_state(2), "is older"),
        (a_state(4, lineage="M"), "another lineage"),
    ],
    ids=["B142-empty", "B142-broken", "B142-older", "B142-foreign"],
)
def test_b142_a_bad_state_is_put_aside(tmp_path: Path, left: bytes, words: str) -> None:
    state = tmp_path / "a.tfstate"
    state.write_bytes(left)
    with pytest.raises(EngineError, match=words):
        keep_if_sound(state, a_state(3))
    assert state.read_bytes() == a_state(3)
    assert (tmp_path / "a.tfstate.rejected").read_bytes() == left


def test_b142_a_vanished_state_is_put_back(tmp_path: Path) -> None:
    state = tmp_path / "a.tfstate"
    with pytest.raises(EngineError, match="is empty"):
        keep_if_sound(state, a_state(3))
    assert state.read_bytes() == a_state(3)


def test_the_owner_passes(tmp_path: Path) -> None:
    state = tmp_path / "a.tfstate"
    check_owner(state, KEY)
    state.write_bytes(a_state())
    check_owner(state, KEY)


def test_b135_another_pools_state_is_blocked(tmp_path: Path) -> None:
    state = tmp_path / "a.tfstate"
    state.write_bytes(a_state(pool="b"))
    with pytest.raises(GuardrailError, match="belongs to p/b/0a1b2c3d, not to p/a/0a1b2c3d"):
        check_owner(state, KEY)
