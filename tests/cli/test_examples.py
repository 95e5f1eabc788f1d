"""The policies that come along: valid, and each pool finds a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.models.offer import Cloud
from tests.cli.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

AT = "2026-12-01T10:12:00+08:00"
POLICIES = sorted((*(ROOT / "policies").glob("*.yaml"), *(ROOT / "examples").glob("*.yaml")))


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_a_policy_that_comes_along(path: Path, multicloud: Multicloud) -> None:
    said = multicloud("validate", str(path))
    assert said.code == 0, said.out + said.err
    plan = multicloud("plan", "-p", str(path), "--at", AT, "--no-engine", "--json")
    assert plan.code == 0, plan.err
    assert [d["unmet"] for d in plan.json["decisions"]] == [None] * len(plan.json["decisions"])


def test_the_example_of_every_cloud_renders_them_all(folder: Path, multicloud: Multicloud) -> None:
    path = ROOT / "examples" / "everywhere.yaml"
    said = multicloud("render", "-p", str(path), "--at", AT, "--out", "roots")
    assert said.code == 0, said.err
    roots = [root.parent.name for root in (folder / "roots").glob("*/*/*/main.tf.json")]
    assert {name.split("-")[0] for name in roots} == {cloud.value for cloud in Cloud}
    assert len(roots) == len(Cloud) + 1
