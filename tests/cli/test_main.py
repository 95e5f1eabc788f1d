"""The group itself: help, version, exit codes, failures as text and as JSON."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from multicloud import __version__
from multicloud.cli import main
from tests.cli.conftest import DAYNIGHT, ROOT

if TYPE_CHECKING:
    from tests.cli.conftest import Multicloud


def test_version_needs_neither_click_nor_anything_else() -> None:
    code = (
        "import atexit, sys; sys.argv = ['multicloud', '--version']\n"
        "import multicloud.__main__ as m\n"
        "names = lambda: sorted(n for n in sys.modules if n.startswith('multicloud'))\n"
        "atexit.register(lambda: print(names(), 'click' in sys.modules))\n"
        "m.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.splitlines() == [
        f"multicloud {__version__}",
        "['multicloud', 'multicloud.__main__'] False",
    ]


def test_help_lists_every_verb_and_imports_none(multicloud: Multicloud) -> None:
    code = (
        "import sys; from multicloud.cli.main import run; run(['--help']); "
        "print(sorted(n for n in sys.modules if n.startswith('multicloud.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    for verb in main.VERBS:
        assert f"\n  {verb} " in done.stdout
    assert "Exit codes: 0 done" in done.stdout
    loaded = done.stdout.splitlines()[-1]
    assert "multicloud.run" not in loaded
    assert "multicloud.cli.plan" not in loaded


@pytest.mark.parametrize("verb", list(main.VERBS))
def test_every_verb_has_help(multicloud: Multicloud, verb: str) -> None:
    said = multicloud(verb, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: multicloud {verb}")


@pytest.mark.parametrize("arguments", [["nonsense"], ["plan", "--nonsense"], ["offers"], []])
def test_usage_errors_exit_3(multicloud: Multicloud, arguments: list[str]) -> None:
    said = multicloud(*arguments)
    assert said.code == 3
    assert "error: " in said.err or "Usage:" in said.err


def test_usage_errors_are_json_when_json_was_asked(multicloud: Multicloud) -> None:
    said = multicloud("plan", "--json", "--parallelism", "0")
    assert said.code == 3
    assert said.json["error"]["kind"] == "invalid"
    assert "parallelism" in said.json["error"]["summary"]
    assert said.json["exit_code"] == 3


def test_all_policy_errors_come_as_one_document(multicloud: Multicloud, folder: object) -> None:
    said = multicloud("plan", "-p", "none.yaml", "--format", "json")
    assert said.code == 3
    assert said.json["errors"][0]["where"]["file"].endswith("none.yaml")
    assert said.err == ""


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (RuntimeError("boom"), 1, "internal error: RuntimeError: boom"),
    ],
)
def test_nothing_ends_in_a_traceback(
    multicloud: Multicloud,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    words: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("multicloud.run.plan.make_plan", fail)
    said = multicloud("plan", "-p", str(DAYNIGHT))
    assert said.code == code
    assert words in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("arguments", [["--version"], ["validate", "--schema"], ["init", "x"]])
def test_a_full_disk_under_stdout_is_one_line(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "multicloud", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_stdout_is_one_line() -> None:
    command = f"{sys.executable} -m multicloud --version >&-"
    done = subprocess.run(
        ["/bin/bash", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_loop_of_links_is_invalid(multicloud: Multicloud, folder: Path) -> None:
    (folder / "loop.yaml").symlink_to("loop.yaml")
    said = multicloud("validate", "loop.yaml")
    assert said.code == 3
    assert "loop.yaml policy is not a regular file" in said.err


def test_every_file_is_looked_at(multicloud: Multicloud, folder: Path) -> None:
    (folder / "bad.yaml").write_text("version: 2\n")
    said = multicloud("validate", "missing.yaml", "bad.yaml")
    assert said.code == 3
    assert "missing.yaml policy does not exist" in said.err
    assert "bad.yaml:1" in said.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m multicloud validate --schema | head -c 1 >/dev/null"
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0
    assert done.stderr == ""
