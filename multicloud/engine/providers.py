"""Which builds of a provider lie in a folder: a file system mirror, or the plug-in cache."""

from __future__ import annotations

import platform
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.render.contract import Plugin

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_HOSTS = ("registry.terraform.io", "registry.opentofu.org")
_BOUND = re.compile(r"(>=|<)\s*([0-9.]+)")

Version = tuple[int, ...]


def this_platform() -> str:
    """The machine as mirrors name it, such as `linux_amd64`."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}_{_MACHINES.get(machine, machine)}"


def builds_in(folder: Path, source: str, target: str) -> tuple[str, ...]:
    """Versions of a provider for a platform, oldest first; unpacked and packed layouts.

    Layouts: developer.hashicorp.com/terraform/cli/config/config-file, `filesystem_mirror`.
    Raises: OSError when the folder cannot be read.
    """
    list(folder.iterdir())  # a folder that is not there is no empty one
    kind = source.rpartition("/")[2]
    packed = re.compile(rf"terraform-provider-{re.escape(kind)}_(.+)_{re.escape(target)}\.zip")
    found: set[str] = set()
    for host in _HOSTS:
        own = folder / host / source
        if not own.is_dir():
            continue
        for item in own.iterdir():
            zipped = packed.fullmatch(item.name)
            if zipped:
                found.add(zipped[1])
            elif (item / target).is_dir():
                found.add(item.name)
    return tuple(sorted(found, key=_numbers))


def fitting(plugin: Plugin, versions: tuple[str, ...]) -> str | None:
    """The newest of the versions that the module takes; a pre-release is never taken."""
    good = [v for v in versions if "-" not in v and is_within(v, plugin.versions)]
    return max(good, key=_numbers, default=None)


def is_within(version: str, versions: str) -> bool:
    """Whether a version lies in a range such as `>= 1.6, < 2`; a pre-release as its release."""
    told = _numbers(version)
    bounds = [(sign, _numbers(text)) for sign, text in _BOUND.findall(versions)]
    return all(told >= bound if sign == ">=" else told < bound for sign, bound in bounds)


def _numbers(version: str) -> Version:
    """`7.10` is `(7, 10, 0)`: a version compares as its parts do."""
    parts = [int(part) for part in re.findall(r"\d+", version.partition("-")[0])]
    return tuple((*parts, 0, 0, 0)[:3])
