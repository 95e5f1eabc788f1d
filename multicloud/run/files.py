"""Reading what the user names, with errors that say the file and the next step."""

from __future__ import annotations

import os
from pathlib import Path

from multicloud.errors import InvalidInputError, PolicyError, Where

PROJECT_FILE = "multicloud.yaml"
MAX_TEXT_BYTES = 1 << 20


def read_text(
    path: Path, *, what: str, limit: int = MAX_TEXT_BYTES, shown: str | None = None
) -> str:
    """The file's text as UTF-8; `shown` is the path as messages name it.

    Raises:
        InvalidInputError: it is missing, no regular file, larger than `limit` or not UTF-8.
    """
    where = Where(file=shown or str(path))
    try:
        if not path.is_file():
            problem = "is not a regular file" if os.path.lexists(path) else "does not exist"
            raise InvalidInputError(f"{what} {problem}", hint="Check the path.", where=where)
        if path.stat().st_size > limit:
            raise InvalidInputError(f"{what} is larger than {limit} bytes", where=where)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{what} is not UTF-8 text (byte {error.start})", where=where
        ) from error
    except OSError as error:
        raise InvalidInputError(
            f"{what} cannot be read: {error.strerror or error}", where=where
        ) from error


def find_project_file(start: Path) -> Path | None:
    """The nearest `multicloud.yaml` in `start` or a folder above it."""
    for folder in (start, *start.parents):
        candidate = folder / PROJECT_FILE
        if candidate.is_file():
            return candidate
    return None


def policy_files(root: Path, listed: tuple[str, ...]) -> tuple[Path, ...]:
    """Policies of a project: those it lists (globs allowed), else all files in `policies/`.

    In the order of their names within each pattern.

    Raises:
        InvalidInputError: a pattern names no file, or there is no policy at all.
    """
    if not listed:
        found = sorted(p for p in root.glob("policies/*.y*ml") if p.suffix in {".yaml", ".yml"})
        if not found:
            raise InvalidInputError(
                "no policy given and none found in policies/",
                hint="Name one with --policy FILE, or run: multicloud init",
            )
        return tuple(found)
    files: list[Path] = []
    for pattern in listed:
        matches = sorted(root.glob(pattern))
        if not matches:
            raise InvalidInputError(
                f'policies: "{pattern}" matches no file', where=Where(file=str(root / PROJECT_FILE))
            )
        files.extend(matches)
    return tuple(files)


def read_beside(policy_file: str, relative: str, *, root: Path) -> str:
    """Contents of a file that a policy refers to, which must lie inside the project folder.

    Raises:
        PolicyError: the path is absolute, leaves `root` (also through a link), or cannot be read.
    """
    base = Path(policy_file).resolve().parent
    target = (base / relative).resolve()
    if Path(relative).is_absolute() or not target.is_relative_to(root.resolve()):
        raise PolicyError(
            f'"{relative}" lies outside the project folder',
            detail="Expected a path relative to the policy, inside the project, without links out.",
        )
    return read_text(target, what=f'file "{relative}"')
