"""Module files are found, Terraform's own only."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from multicloud.engine.modules import module_files
from multicloud.errors import RenderError
from multicloud.models.offer import Cloud
from multicloud.render.stack import MODULES


@pytest.mark.parametrize("cloud", MODULES)
def test_terraforms_files_only(cloud: Cloud) -> None:
    files = module_files(cloud)
    names = [str(path) for path in files]
    assert {"main.tf", "outputs.tf", "variables.tf", "versions.tf"} <= set(names)
    assert names == sorted(names)
    assert all(path.suffix == ".tf" and path == PurePosixPath(path.name) for path in files)


def test_a_cloud_without_a_module() -> None:
    with pytest.raises(RenderError, match="no Terraform module yet"):
        module_files(Cloud.ORACLE)
