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


@cache
def module_files(cloud: Cloud) -> Mapping[PurePosixPath, str]:
    """Terraform's files of a cloud's module and of its `external` folder, in order of path.

    Read once per process: the stacks of a run are all made of the same text.
    Raises: RenderError for a cloud without a module, or when the installation lacks it.
    """
    root = module_folder(cloud)
    texts = {
        below / item.name: item.read_text(encoding="utf-8")
        for below in (PurePosixPath(), EXTERNAL_FOLDER)
        for folder in (root.joinpath(str(below)),)
        if folder.is_dir()
        for item in folder.iterdir()
        if item.name.endswith(".tf") and item.is_file()
    }
    return MappingProxyType(dict(sorted(texts.items())))


def module_folder(cloud: Cloud) -> Traversable:
    """The folder of a cloud's module. Raises: RenderError when there is none."""
    name = module_for(cloud).folder
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
