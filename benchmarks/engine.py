"""Terraform by hand over the stacks that a project's last run left, for comparison."""

from __future__ import annotations

import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from multicloud.engine.choose import choose_engine
from multicloud.engine.process import SubprocessRunner
from multicloud.models.project import EngineSettings
from multicloud.sandbox.server import SandboxServer

if TYPE_CHECKING:
    from pathlib import Path


def init_and_plan(folder: Path, *, parallelism: int) -> float:
    """Seconds of `init` and `plan` in every stack's folder, against the same simulated cloud."""
    home = folder / ".multicloud"
    roots = [path.parent for path in (home / "work").rglob("main.tf.json")]
    engine = choose_engine(None, os.environ, EngineSettings(), runner=SubprocessRunner())
    instant = datetime(2026, 12, 1, 12, 20, tzinfo=UTC)
    with SandboxServer(home / "sandbox.sqlite", now=lambda: instant) as server:
        env = {
            "PATH": os.environ["PATH"],
            "TF_REATTACH_PROVIDERS": server.reattach,
            "TF_CLI_CONFIG_FILE": str(home / "engine" / "sandbox" / "cli.tfrc"),
            "CHECKPOINT_DISABLE": "1",
        }

        def one(root: Path) -> None:
            for command in (["init", "-input=false"], ["plan", "-input=false", "-out=x.bin"]):
                subprocess.run(
                    [*engine.argv, *command], cwd=root, env=env, check=True, capture_output=True
                )

        start = time.perf_counter()
        with ThreadPoolExecutor(parallelism) as pool:
            list(pool.map(one, roots))
        return time.perf_counter() - start
