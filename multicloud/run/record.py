"""A run's folder: what was planned, from what, so that it can be done exactly and checked."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING

from multicloud.errors import GuardrailError, InvalidInputError
from multicloud.run.layout import FOLDER_MODE, KEPT_RUNS, Layout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_MODE = 0o600
DIGEST = "digest"


def write_run(layout: Layout, run: str, files: Mapping[str, bytes]) -> str:
    """Write a run's files (path below its folder -> contents) and return the digest over them.

    The digest, of every path and content, stands in `digest`. Older runs beyond the newest 50
    are removed.

    Raises:
        OSError: the folder cannot be written.
    """
    layout.prepare()
    layout.runs.mkdir(mode=FOLDER_MODE, exist_ok=True)
    folder = layout.runs / run
    folder.mkdir(mode=FOLDER_MODE)
    digest = digest_of(files)
    for path, contents in {**files, DIGEST: f"{digest}\n".encode()}.items():
        _write(folder, path, contents)
    _forget_old(layout)
    return digest


def read_run(layout: Layout, run: str) -> tuple[Mapping[str, bytes], str]:
    """A run's files as they were written, and their digest.

    Raises:
        InvalidInputError: there is no such run.
        GuardrailError: a file was changed, added or removed since.
    """
    folder = layout.runs / run
    if not run or "/" in run or run.startswith(".") or not folder.is_dir():
        known = sorted(path.name for path in layout.runs.glob("*")) if layout.runs.is_dir() else []
        last = f" The last one is {known[-1]}." if known else ""
        raise InvalidInputError(f'no run "{run}" here.{last}', hint="Run: multicloud plan")
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
    said = found.pop(DIGEST, b"").decode(errors="replace").strip()
    digest = digest_of(found)
    if digest != said:
        raise GuardrailError(
            f"run {run} was changed since it was planned: its digest differs.",
            hint="Plan again: multicloud plan",
        )
    return found, digest


def digest_of(files: Mapping[str, bytes]) -> str:
    """SHA-256 over paths and contents, in order of path; no two different sets share one."""
    parts = {path: hashlib.sha256(contents).hexdigest() for path, contents in files.items()}
    whole = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()


def _write(folder: Path, relative: str, contents: bytes) -> None:
    path = folder / relative
    for parent in reversed(path.relative_to(folder).parents[:-1]):
        (folder / parent).mkdir(mode=FOLDER_MODE, exist_ok=True)
    path.touch(mode=FILE_MODE, exist_ok=False)
    path.write_bytes(contents)


def _forget_old(layout: Layout) -> None:
    runs = sorted(path for path in layout.runs.iterdir() if path.is_dir())
    for old in runs[:-KEPT_RUNS]:
        shutil.rmtree(old, ignore_errors=True)
