"""Running verbs as the console script does, in an empty folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from multicloud.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
DAYNIGHT = ROOT / "policies" / "daynight.yaml"
DAY = "2026-12-01T10:12:00+08:00"
NIGHT = "2026-12-01T22:00:00+08:00"


@dataclass(frozen=True)
class Said:
    """What a command left: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the one document it must be."""
        return json.loads(self.out)


class Multicloud(Protocol):
    """Calls the command line."""

    def __call__(self, *arguments: str) -> Said: ...


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, with a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def multicloud(folder: Path, capfd: pytest.CaptureFixture[str]) -> Multicloud:
    """The command line in an empty folder."""

    def call(*arguments: str) -> Said:
        capfd.readouterr()
        code = run(arguments)
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return call


def write_policy(folder: Path, pools: str, *, head: str = "timezone: UTC\n") -> Path:
    """A policy file `p.yaml` with the given pools (indented by two blanks)."""
    path = folder / "p.yaml"
    path.write_text(f"version: 1\nname: p\n{head}pools:\n{pools}")
    return path
