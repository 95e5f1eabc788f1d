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
    # A run's name has a random tail; the README keeps one.
    shown = re.sub(r"(\d{8}-\d{4})-[0-9a-f]{4}", r"\1-7f3a", done.stdout)
    head = f"<!-- output: multicloud {arguments} -->\n```text\n$ multicloud {arguments}\n"
    return f"{head}{shown}```"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")
