"""The folders in which the engine runs: one per stack, private, with generated files only.

Nothing else is ever in reach of the engine: not the files beside the policy, not what an earlier
run left, and no symbolic link that somebody planted is followed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from multicloud.errors import EngineError, GuardrailError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.change import StackKey

FOLDER_MODE = 0o700
FILE_MODE = 0o600
LOCK_FILE = ".terraform.lock.hcl"
ERRORED_STATE = "errored.tfstate"

_DATA_FOLDER = ".terraform"
_SAFE_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


class Workspace:
    """One stack's work folder `work/<stack key>/` and local state below the project's `home`.

    Raises: EngineError for a key whose parts are no plain names.
    """

    def __init__(self, home: Path, key: StackKey) -> None:
        parts = str(key).split("/")
        if len(parts) != 4 or not all(_SAFE_PART.fullmatch(part) for part in parts):
            raise EngineError(f"the stack key {str(key)!r} cannot be a path.")
        self.home = home
        self.key = key
        self.folder = home.joinpath("work", *parts)
        self.state = home.joinpath("state", *parts[:-1], f"{parts[-1]}.tfstate")

    def prepare(self, files: Mapping[PurePosixPath, str], *, lock_text: str | None = None) -> None:
        """Empty the folder, but for the engine's own data and lock, and write `files`.

        `lock_text` is the committed provider lock; None keeps what the last run left.
        Raises: GuardrailError while an `errored.tfstate` waits there; EngineError for a link in
        the way, a path that leads out, or a folder that cannot be written.
        """
        try:
            self.refuse_errored_state()
            make_folder(self.home, self.folder)
            make_folder(self.home, self.state.parent)
            self._empty()
            for path, text in files.items():
                self._write(path, text)
            if lock_text is not None:
                self._write(PurePosixPath(LOCK_FILE), lock_text)
        except OSError as error:
            raise EngineError(
                f"cannot prepare {self.folder}: {error.strerror or error}.",
                hint="Check that the project's folder can be written and has room.",
            ) from error

    def refuse_errored_state(self) -> None:
        """Block a stack whose last apply could not save its state.

        Raises: GuardrailError with the command that saves it.
        """
        errored = self.folder / ERRORED_STATE
        if os.path.lexists(errored):
            raise GuardrailError(
                f"{self.key}: the last apply could not save its state and left {errored}.",
                detail="Running again would lose track of what it made.",
                hint=(
                    f"Run: cd {self.folder} && terraform init && terraform state push "
                    f"{ERRORED_STATE}; when that worked, remove the file."
                ),
            )

    def lock_text(self) -> str | None:
        """The provider lock that the engine wrote, None when there is none."""
        path = self.folder / LOCK_FILE
        return path.read_text(encoding="utf-8") if _is_plain_file(path) else None

    def _empty(self) -> None:
        for entry in list(os.scandir(self.folder)):
            is_link = entry.is_symlink()
            kept_folder = entry.name == _DATA_FOLDER and entry.is_dir(follow_symlinks=False)
            kept_file = entry.name == LOCK_FILE and entry.is_file(follow_symlinks=False)
            if not is_link and (kept_folder or kept_file):
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                Path(entry.path).unlink()

    def _write(self, relative: PurePosixPath, text: str) -> None:
        if relative.is_absolute() or ".." in relative.parts or not relative.parts:
            raise EngineError(f"the generated path {str(relative)!r} leads out of the stack.")
        path = self.folder.joinpath(*relative.parts)
        make_folder(self.home, path.parent)
        write_file(path, text)


def make_folder(home: Path, folder: Path) -> None:
    """Make `home` and each folder down to `folder`, for the user alone.

    Raises: EngineError when one of them is a symbolic link or no folder; OSError when one cannot
    be made.
    """
    home.parent.mkdir(parents=True, exist_ok=True)
    for step in _steps(home, folder):
        try:
            mode = step.lstat().st_mode
        except FileNotFoundError:
            step.mkdir(mode=FOLDER_MODE, exist_ok=True)  # another stack may be making it too
            mode = step.lstat().st_mode
        if not stat.S_ISDIR(mode):
            what = "a symbolic link" if stat.S_ISLNK(mode) else "not a folder"
            raise EngineError(
                f"{step} is {what}; nothing is written there.",
                hint="Remove it; multicloud makes its folders itself.",
            )


def _steps(home: Path, folder: Path) -> Iterator[Path]:
    yield home
    step = home
    for part in folder.relative_to(home).parts:
        step /= part
        yield step


def write_file(path: Path, text: str) -> None:
    """Write a file for the user alone, whole or not at all; a link at `path` is replaced.

    Raises: OSError.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(temporary, flags, FILE_MODE), "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_plain_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False
