"""Runs the real engine for tests of modules, away from the developer's settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path, PurePosixPath

TIMEOUT_S = 300.0
NO_INSTALL = """disable_checkpoint = true
provider_installation {
  filesystem_mirror {
    path = "%s"
  }
}
"""


@dataclass(frozen=True, kw_only=True)
class Terraform:
    """Terraform in one folder with one set of providers."""

    folder: Path
    env: Mapping[str, str]
    program: str = field(default_factory=lambda: shutil.which("terraform") or "")

    def run(self, *arguments: str, good: tuple[int, ...] = (0,)) -> str:
        """What a command writes to stdout; fails the test on another exit code than `good`."""
        if not self.program:
            pytest.skip("needs terraform on PATH")
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.folder,
            env=dict(self.env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode in good, (
            f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    def init(self) -> Terraform:
        """Prepare the folder; returns itself."""
        self.run("init", "-input=false", "-no-color")
        return self

    def apply(self) -> None:
        """Apply without asking."""
        self.run("apply", "-input=false", "-auto-approve", "-no-color")

    def destroy(self) -> None:
        """Destroy without asking."""
        self.run("destroy", "-input=false", "-auto-approve", "-no-color")

    def plan(self, *, good: tuple[int, ...] = (0, 2)) -> dict[str, str]:
        """Address to action of every change of a new plan; empty when there is none."""
        out = self.run("plan", "-input=false", "-json", "-detailed-exitcode", good=good)
        found: dict[str, str] = {}
        for line in out.splitlines():
            event: dict[str, Any] = json.loads(line)
            if event["type"] == "planned_change":
                change = event["change"]
                found[change["resource"]["addr"]] = change["action"]
        return found


def environment(folder: Path, *, mirror: Path, **more: str) -> dict[str, str]:
    """PATH and a CLI configuration that installs from `mirror` only; `more` is added."""
    config = folder / "cli.tfrc"
    config.write_text(NO_INSTALL % mirror)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TF_CLI_CONFIG_FILE": str(config),
        **more,
    }


def write(folder: Path, files: Mapping[PurePosixPath, str]) -> None:
    """Write rendered files below a folder."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
