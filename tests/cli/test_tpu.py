"""TPU slices: another module of the same cloud, and a pool that moves to it and back."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.builders import faults
from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

AT, LATER, THEN = "2026-12-01T10:00:00Z", "2026-12-01T14:00:00Z", "2026-12-01T18:00:00Z"
GPU = "A100:8"


def _write(folder: Path, need: str, place: str) -> None:
    pool = f"  training:\n    need: {need}\n    place: {{in: {place}, capacity: on_demand}}\n"
    write_policy(folder, pool)


def _types(folder: Path) -> list[tuple[object, ...]]:
    return rows(folder, "sandbox.sqlite", "select distinct instance_type from node")


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_pool_of_slices_lives_and_moves(folder: Path, multicloud: Multicloud) -> None:
    _write(folder, "TPU-v5e:8", "gcp/us-central1")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", AT)
    assert said.code == 0, said.out + said.err
    assert (len(nodes(folder)), _types(folder)) == (1, [("v5litepod-8",)])
    for count in (3, 2):
        _write(folder, f"{count} x TPU-v5e:8", "gcp/us-central1")
        said = multicloud("rebalance", "-p", "p.yaml", "--at", AT)
        assert said.code == 0, said.out + said.err
        assert len(nodes(folder)) == count
    _write(folder, GPU, "gcp/us-central1")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", LATER)
    assert said.code == 0, said.out + said.err
    assert _types(folder) == [("a2-highgpu-8g",)]
    _write(folder, "TPU-v5p:4", "gcp")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", THEN)
    assert said.code == 0, said.out + said.err
    assert _types(folder) == [("v5p-8",)]
    gone = multicloud("destroy", "training", "-p", "p.yaml", "--yes", "--at", THEN)
    assert gone.code == 0, gone.out + gone.err
    assert rows(folder, "sandbox.sqlite", "select count(*) from resource") == [(0,)]


def test_offers_of_slices(multicloud: Multicloud) -> None:
    said = multicloud("offers", "TPU-v5e:8", "--json")
    assert said.code == 0
    assert {offer["instance_type"] for offer in said.json["offers"]} == {"v5litepod-8"}
    assert {offer["capacity_type"] for offer in said.json["offers"]} == {"on_demand"}


@pytest.mark.parametrize("need", ["TPU-v5e:8", "{instance_type: v5p-8, nodes: 1}"])
@pytest.mark.parametrize("line", ["autoscaler: {mode: external, max: 4}", "backstop: 2h"])
def test_nobody_else_resizes_slices(need: str, line: str) -> None:
    head = "version: 1\nname: test\npools:\n  p:\n"
    (found,) = faults(f"{head}    need: {need}\n    {line}\n    place: {{in: gcp}}\n")
    assert "in no group" in found
