"""A run's folder: what was planned, from what, so that it can be done exactly and checked."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING

from multicloud import __version__
from multicloud.run.layout import FOLDER_MODE, KEPT_RUNS, Layout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_MODE = 0o600


def write_run(layout: Layout, run: str, files: Mapping[str, str]) -> str:
    """Write a run's files (path below its folder -> text) and return the digest over them.

    The digest, of every path and text in order, stands in `digest`. Older runs beyond the
    newest 50 are removed.

    Raises:
        OSError: the folder cannot be written.
    """
    layout.prepare()
    layout.runs.mkdir(mode=FOLDER_MODE, exist_ok=True)
    folder = layout.runs / run
    folder.mkdir(mode=FOLDER_MODE)
    digest = digest_of(files)
    for path, text in {**files, "digest": digest + "\n"}.items():
        _write(folder, path, text)
    _forget_old(layout)
    return digest


def digest_of(files: Mapping[str, str]) -> str:
    """SHA-256 over paths and texts, in order of path; no two different sets share one."""
    whole = json.dumps(dict(sorted(files.items())), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()


def made_by() -> dict[str, str]:
    """What wrote a run: its recorded bundled prices are those of this version."""
    return {"multicloud": __version__}


def _write(folder: Path, relative: str, text: str) -> None:
    path = folder / relative
    for parent in reversed(path.relative_to(folder).parents[:-1]):
        (folder / parent).mkdir(mode=FOLDER_MODE, exist_ok=True)
    path.touch(mode=FILE_MODE, exist_ok=False)
    path.write_text(text, encoding="utf-8")


def _forget_old(layout: Layout) -> None:
    runs = sorted(path for path in layout.runs.iterdir() if path.is_dir())
    for old in runs[:-KEPT_RUNS]:
        shutil.rmtree(old, ignore_errors=True)
