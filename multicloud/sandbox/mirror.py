"""Plug-in files in a file system mirror, for tests of init, version ranges and lock files."""

from __future__ import annotations

import platform
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from multicloud.sandbox import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSIONS: Mapping[str, Sequence[str]] = {
    "aws": ("5.100.0",),
    "alicloud": ("1.247.0",),
    "azurerm": ("5.10.0",),
    "google": ("8.7.0",),
    "google-beta": ("8.7.0",),
    "oci": ("7.19.0",),
    "tencentcloud": ("1.81.145",),
}
"""The versions whose schemas are carried, by the providers' local names."""

_HOSTS = ("registry.terraform.io", "registry.opentofu.org")
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_PROGRAM = 0o700


def write_mirror(
    folder: Path,
    *,
    store: Path,
    python: str = sys.executable,
    versions: Mapping[str, Sequence[str]] = VERSIONS,
) -> None:
    """Write plug-in files for `versions` (provider -> versions) into `folder`.

    They are small scripts that start the stand-in with `python` over the simulated cloud in
    `store`; the files of different versions behave alike. The folder has the unpacked layout
    that `filesystem_mirror` in a CLI configuration expects, for Terraform's registry and for
    OpenTofu's.
    """
    system = platform.system().lower()
    target = f"{system}_{_MACHINES.get(platform.machine().lower(), platform.machine().lower())}"
    for name, wanted in versions.items():
        source = schema.load(name).source
        for host in _HOSTS:
            for version in wanted:
                place = folder / host / source / version / target
                place.mkdir(parents=True, exist_ok=True)
                file = place / f"terraform-provider-{name}_v{version}"
                file.write_text(_script(name, version, store, python), encoding="utf-8")
                file.chmod(_PROGRAM)


def _script(name: str, version: str, store: Path, python: str) -> str:
    """A shell script, since the line that names an interpreter has a length limit.

    The version stands in it, so that two versions have two checksums.
    """
    package_root = Path(__file__).resolve().parents[2]
    command = [python, "-P", "-m", "multicloud.sandbox.plugin", name, "--store", str(store)]
    return (
        "#!/bin/sh\n"
        f"# stand-in for terraform-provider-{name} {version}\n"
        f"PYTHONPATH={shlex.quote(str(package_root))} exec {shlex.join(command)}\n"
    )
