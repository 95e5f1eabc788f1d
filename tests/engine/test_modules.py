"""Module files are found, Terraform's own only."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from multicloud.engine import modules
from multicloud.engine.modules import module_files, module_folder
from multicloud.errors import RenderError
from multicloud.models.offer import Cloud
from multicloud.render.stack import EXTERNAL_FOLDER, MODULES


@pytest.mark.parametrize("cloud", MODULES)
def test_terraforms_files_only(cloud: Cloud) -> None:
    files = module_files(cloud)
    names = [str(path) for path in files]
    assert {"main.tf", "outputs.tf", "variables.tf", "versions.tf"} <= set(names)
    assert names == sorted(names)
    folders = {PurePosixPath(), EXTERNAL_FOLDER}
    assert all(path.suffix == ".tf" and path.parent in folders for path in files)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty installed package, away from the checkout."""
    package = tmp_path / "site-packages" / "multicloud"
    package.mkdir(parents=True)
    monkeypatch.setattr(modules, "files", lambda _name: package)
    monkeypatch.setattr(modules, "__file__", str(package / "engine" / "modules.py"))
    return package


def test_the_installed_copy_comes_first(installed: Path) -> None:
    checkout = installed.parent / "terraform" / "modules" / "aws-gpu-pool"
    checkout.mkdir(parents=True)
    assert module_folder(Cloud.AWS) == checkout
    wheel = installed / "_terraform" / "modules" / "aws-gpu-pool"
    wheel.mkdir(parents=True)
    assert module_folder(Cloud.AWS) == wheel


def test_an_installation_without_modules(installed: Path) -> None:
    with pytest.raises(RenderError, match="aws-gpu-pool is missing from this installation"):
        module_folder(Cloud.AWS)
