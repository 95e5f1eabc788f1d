"""The modules under every version of their provider that is at hand."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.pool import NodeSettings, WeeklyTime
from multicloud.models.project import CloudSettings, Project
from multicloud.render.stack import MODULES
from multicloud.sandbox.server import SandboxServer
from tests.builders import NOON, a_pool
from tests.modules.places import on
from tests.modules.stacks import Stack
from tests.modules.terraform import Terraform, environment
from tests.modules.versions import VERSIONS, each_version, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.modules.versions import Version

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ROOT = Path(__file__).parents[2] / "terraform" / "modules"


@pytest.fixture
def server(
    version: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SandboxServer]:
    serve(version, monkeypatch)
    with SandboxServer(tmp_path / "cloud.sqlite", now=lambda: NOON) as running:
        yield running


@each_version
def test_the_modules_own_tests(version: Version, server: SandboxServer, tmp_path: Path) -> None:
    folder = tmp_path / "modules" / MODULES[version.cloud].folder
    shutil.copytree(ROOT / MODULES[version.cloud].folder, folder)
    env = environment(tmp_path, mirror=tmp_path, TF_REATTACH_PROVIDERS=server.reattach)
    module = Terraform(folder=folder, env=env).init()
    module.run("validate", "-no-color")
    assert "0 failed" in module.run("test", "-no-color")


@each_version
@pytest.mark.parametrize("capacity", [CapacityType.SPOT, CapacityType.ON_DEMAND])
def test_a_whole_pool(
    version: Version, capacity: CapacityType, server: SandboxServer, tmp_path: Path
) -> None:
    """Made with whatever can be given, planned again, resized, gone."""
    node = NodeSettings(
        startup="#!/bin/sh\ntrue\n", ssh_key="ssh-ed25519 AAAA x", public_ip=True, ports=(22,)
    )
    stops = (WeeklyTime(days=("mon", "sun"), time="22:00"),)
    pool = replace(a_pool(node=node, labels=(("team", "research"),)), backstops=stops)
    account = CloudSettings(service_account="nodes@p.iam.gserviceaccount.com")
    project = Project(clouds={Cloud.GCP: account})
    stack = Stack(server, tmp_path)
    stack.apply(on(version.cloud, 2, capacity=capacity), pool=pool, project=project)
    stack.apply(on(version.cloud, 0, capacity=capacity), pool=pool, project=project)
    stack.terraform.destroy()
    assert server.store.records() == ()


@each_version
def test_the_range_takes_it(version: Version) -> None:
    """The version stands in the range that the module asks for."""
    low, high = re.findall(r"[0-9.]+", MODULES[version.cloud].plugin.versions)
    assert _numbers(low) <= _numbers(version.number) < _numbers(high)


@pytest.mark.parametrize("cloud", sorted({version.cloud for version in VERSIONS}))
def test_the_range_begins_where_we_looked(cloud: Cloud) -> None:
    """A range that began earlier would promise what nobody has tried."""
    low, _ = re.findall(r"[0-9.]+", MODULES[cloud].plugin.versions)
    oldest = min(_numbers(one.number) for one in VERSIONS if one.cloud is cloud)
    assert _numbers(low) == oldest[: len(_numbers(low))]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
