"""Shares of a GPU, for those who say that shares will do."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.builders import compiled, faults
from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

POOL = """\
  inference:
    need: {{gpu: T4, gpus: {gpus}, vgpu: true}}
    node: {{image: img-grid}}
    place: {{in: tencent/ap-guangzhou, capacity: on_demand}}
"""
HEAD = "version: 1\nname: test\npools:\n"
AT = "2026-12-01T10:00:00Z"


def _write(folder: Path, gpus: str) -> None:
    write_policy(folder, POOL.format(gpus=gpus), head="timezone: UTC\nfx: {CNY: 7.2}\n")


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_quarter_of_a_t4_runs(folder: Path, multicloud: Multicloud) -> None:
    _write(folder, "1/4")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", AT)
    assert said.code == 0, said.out + said.err
    assert len(nodes(folder)) == 1
    assert rows(folder, "sandbox.sqlite", "select distinct instance_type from node") == [
        ("GN7.LARGE20",)
    ]
    status = multicloud("status", "-p", "p.yaml", "--at", AT, "--json")
    assert status.code == 0
    assert status.json["pools"][0]["health"] == "booting"
    plan = multicloud("plan", "-p", "p.yaml", "--at", AT, "--json")
    (has,) = plan.json["decisions"][0]["after"]
    assert (has["nodes"], has["gpus"]) == (1, 0.25)


def test_shares_add_up_to_whole_gpus(folder: Path, multicloud: Multicloud) -> None:
    _write(folder, "1")
    said = multicloud("explain", "inference", "-p", "p.yaml", "--at", AT)
    assert said.code == 0, said.err
    assert "GN7" in said.out


def test_how_a_share_is_written() -> None:
    policy = compiled("need: {gpu: T4, gpus: 3/4, vgpu: true}\nplace: off")
    assert policy.need.text == "3/4 T4"
    whole = "  p:\n    need: {gpu: T4, gpus: 1/4}\n    place: {in: tencent}\n"
    (found,) = faults(HEAD + whole)
    assert "share of a GPU" in found
    assert "vgpu: true" in found
    (found,) = faults(HEAD + POOL.format(gpus="1/0"))
    assert "no share" in found


def test_the_driver_is_the_users(folder: Path, multicloud: Multicloud) -> None:
    write_policy(folder, POOL.format(gpus="1/4").replace("    node: {image: img-grid}\n", ""))
    said = multicloud("validate", "p.yaml")
    assert said.code == 0
    assert "GRID" in said.out + said.err
