"""Fill the README's outputs: runs each command named in an `output:` comment and pastes it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- output: multicloud (.*?) -->\n```text\n(.*?)```", re.DOTALL)


def filled(text: str) -> str:
    """The text with every output as it is now."""
    return BLOCK.sub(lambda m: _block(m[1]), text)


def _block(arguments: str) -> str:
    command = [sys.executable, "-m", "multicloud", *shlex.split(arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return f"<!-- output: multicloud {arguments} -->\n```text\n$ multicloud {arguments}\n{done.stdout}```"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")
