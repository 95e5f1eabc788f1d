"""Fill the README's outputs: runs the commands named in `output:` comments, in order, and pastes.

They run in one empty folder beside copies of the policies, so that the tour is what a reader gets.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- output: multicloud (.*?) -->\n```text\n(.*?)```", re.DOTALL)
# A run's name has a random tail; the README keeps one.
RUN = re.compile(r"(\d{8}-\d{4})-[0-9a-f]{4}")


def filled(text: str) -> str:
    """The text with every output as it is now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("policies", "examples"):
            shutil.copytree(ROOT / part, folder / part)
        return BLOCK.sub(lambda match: _block(match[1], folder), text)


def _block(arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "multicloud", *shlex.split(arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    head = f"<!-- output: multicloud {arguments} -->\n```text\n$ multicloud {arguments}\n"
    shown = RUN.sub(r"\1-7f3a", done.stdout)
    return f"{head}{shown}```"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")
