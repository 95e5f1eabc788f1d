"""Plug-in files: what init installs, locks and refuses, and a plan over a started plug-in."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.cli_config import ProviderSources, cli_config
from multicloud.sandbox.mirror import VERSIONS, write_mirror
from tests.sandbox.roots import POOLS, RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sandbox.conftest import Root


def test_the_mirror_has_one_program_per_version_and_registry(tmp_path: Path) -> None:
    write_mirror(
        tmp_path, store=tmp_path / "c", python="/a b/python", versions={"aws": ("5.1.0", "5.2.0")}
    )
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert [f.name for f in files] == [
        "terraform-provider-aws_v5.1.0",
        "terraform-provider-aws_v5.2.0",
    ] * 2
    assert {f.relative_to(tmp_path).parts[0] for f in files} == {
        "registry.terraform.io",
        "registry.opentofu.org",
    }
    assert all(os.access(f, os.X_OK) for f in files)
    text = files[0].read_text(encoding="utf-8")
    assert "'/a b/python' -P -m multicloud.sandbox.plugin aws" in text


def test_a_plug_in_is_not_for_people(tmp_path: Path) -> None:
    write_mirror(tmp_path, store=tmp_path / "cloud.sqlite", versions={"aws": ("5.100.0",)})
    program = next(p for p in tmp_path.rglob("terraform-provider-*"))
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "Terraform starts it" in done.stderr
    assert not (tmp_path / "cloud.sqlite").exists()


@pytest.fixture
def mirrored(root: Root, tmp_path: Path) -> Root:
    """The root with plug-in files in place of the reattached server."""
    mirror = tmp_path / "mirror"
    versions = {**VERSIONS, "aws": ("4.67.0", "5.99.0", "5.100.0")}
    write_mirror(mirror, store=root.store.path, versions=versions)
    config = tmp_path / "mirror.tfrc"
    config.write_text(cli_config(ProviderSources(mirrors=(str(mirror),), direct=False)))
    env = {**root.env, "TF_CLI_CONFIG_FILE": str(config)}
    del env["TF_REATTACH_PROVIDERS"]
    return replace(root, env=env)


@pytest.mark.engine
@pytest.mark.slow
def test_init_takes_the_newest_in_range_and_locks_it(mirrored: Root) -> None:
    mirrored.write(POOLS)
    mirrored.ok("init")
    lock = (mirrored.folder / ".terraform.lock.hcl").read_text(encoding="utf-8")
    assert 'version     = "5.100.0"' in lock
    assert "4.67.0" not in lock
    mirrored.write(POOLS.replace("~> 5.0", "~> 4.0"))
    refused = mirrored.run("init")
    assert refused.code == 1
    assert "locked provider" in refused.out
    mirrored.write(POOLS.replace("~> 5.0", "~> 6.0"))
    (mirrored.folder / ".terraform.lock.hcl").unlink()
    assert "no available releases match" in mirrored.run("init").out


@pytest.mark.engine
@pytest.mark.slow
def test_a_started_plug_in_plans_and_applies(mirrored: Root) -> None:
    mirrored.write(POOLS)
    mirrored.ok("init")
    mirrored.ok("apply", "-auto-approve")
    assert len(mirrored.store.records()) == RESOURCES
    assert mirrored.run("plan", "-detailed-exitcode").code == 0
    mirrored.ok("destroy", "-auto-approve")
    assert mirrored.store.records() == ()


@pytest.mark.engine
def test_without_plug_in_and_server_nothing_can_be_reached(root: Root) -> None:
    env = dict(root.env)
    del env["TF_REATTACH_PROVIDERS"]
    lost = replace(root, env=env)
    lost.write(POOLS)
    refused = lost.run("init")
    assert refused.code == 1
    assert "Failed to query available provider packages" in refused.out
