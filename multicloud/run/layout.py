"""Where a project keeps what runs leave behind: `.multicloud/`, private to its user."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

FOLDER_MODE = 0o700
KEPT_RUNS = 50


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below a project's root; nothing is made until it is used."""

    root: Path

    @property
    def home(self) -> Path:
        """The project's own folder."""
        return self.root / ".multicloud"

    @property
    def runs(self) -> Path:
        """One folder per run; the newest `KEPT_RUNS` are kept."""
        return self.home / "runs"

    @property
    def work(self) -> Path:
        """One folder per stack, emptied before each use."""
        return self.home / "work"

    @property
    def state(self) -> Path:
        """Terraform states of the local backend, by stack key."""
        return self.home / "state"

    @property
    def sandbox(self) -> Path:
        """The simulated cloud."""
        return self.home / "sandbox.sqlite"

    def prepare(self) -> None:
        """Make the project's own folder, readable by its user alone, ignored by git."""
        self.home.mkdir(mode=FOLDER_MODE, exist_ok=True)
        ignore = self.home / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")


def new_run_id(now: datetime) -> str:
    """`YYYYMMDD-HHMM-xxxx`: sorts by time, four random hex digits keep runs apart."""
    return f"{now:%Y%m%d-%H%M}-{secrets.token_hex(2)}"
