"""Finds the Terraform modules: in the installed package first, then in the checkout."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from multicloud.errors import RenderError
from multicloud.render.stack import EXTERNAL_FOLDER, module_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from multicloud.models.offer import Cloud


def module_files(cloud: Cloud, instance_type: str = "") -> Mapping[PurePosixPath, str]:
    """Terraform's files of the module for a type, and of its `external` folder, in order of path.

    Read once per process: the stacks of a run are all made of the same text.
    Raises: RenderError when the installation lacks the module.
    """
    return _files(module_for(cloud, instance_type).folder)


def module_folder(cloud: Cloud, instance_type: str = "") -> Traversable:
    """The folder of the module for a type. Raises: RenderError when it is not installed."""
    return _folder(module_for(cloud, instance_type).folder)


@cache
def _files(name: str) -> Mapping[PurePosixPath, str]:
    root = _folder(name)
    texts = {
        below / item.name: item.read_text(encoding="utf-8")
        for below in (PurePosixPath(), EXTERNAL_FOLDER)
        for folder in (root.joinpath(str(below)),)
        if folder.is_dir()
        for item in folder.iterdir()
        if item.name.endswith(".tf") and item.is_file()
    }
    return MappingProxyType(dict(sorted(texts.items())))


def _folder(name: str) -> Traversable:
    package = files("multicloud")
    checkout = Path(__file__).resolve().parents[2]
    for root in (package / "_terraform" / "modules", checkout / "terraform" / "modules"):
        folder = root / name
        if folder.is_dir():
            return folder
    raise RenderError(
        f"the Terraform module {name} is missing from this installation.",
        hint="Install the package again: pip install --force-reinstall multicloud",
    )
