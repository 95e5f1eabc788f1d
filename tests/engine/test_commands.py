"""The engine's command lines, as they are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.engine import commands

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = ("/usr/bin/terraform",)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (commands.version_command(ENGINE), ["version", "-json"]),
        (commands.init_command(ENGINE), ["init", "-input=false", "-no-color", "-reconfigure"]),
        (
            commands.init_command(ENGINE, readonly_lock=True),
            ["init", "-input=false", "-no-color", "-reconfigure", "-lockfile=readonly"],
        ),
        (commands.validate_command(ENGINE), ["validate", "-no-color", "-json"]),
        (
            commands.plan_command(ENGINE),
            [
                *("plan", "-input=false", "-no-color", "-json", "-detailed-exitcode"),
                *("-lock-timeout=20s", "-out=plan.bin"),
            ],
        ),
        (
            commands.plan_command(ENGINE, lock_timeout_s=0, destroy=True),
            [
                *("plan", "-input=false", "-no-color", "-json", "-detailed-exitcode"),
                *("-lock-timeout=0s", "-out=plan.bin", "-destroy"),
            ],
        ),
        (
            commands.apply_command(ENGINE),
            ["apply", "-input=false", "-no-color", "-json", "-lock-timeout=20s", "plan.bin"],
        ),
    ],
)
def test_command_lines(argv: list[str], expected: list[str]) -> None:
    assert argv == [*ENGINE, *expected]


def test_an_engine_of_several_words_stays_in_front() -> None:
    words = ("/a b/python", "-P", "/c d/wheel.py")
    assert commands.version_command(words) == [*words, "version", "-json"]


def test_a_state_file_in_the_current_folder_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "terraform.tfstate").write_text("not JSON", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert commands.validate_command(ENGINE)[1] == "validate"


@pytest.mark.parametrize(
    ("arguments", "code", "success"),
    [
        (commands.plan_command(ENGINE), 0, True),
        (commands.plan_command(ENGINE), 2, True),
        (commands.plan_command(ENGINE), 1, False),
        (["terraform", "plan"], 2, False),
        (commands.init_command(ENGINE), 2, False),
        (commands.validate_command(ENGINE), 2, False),
        (commands.apply_command(ENGINE), 2, False),
        (["terraform", "show"], 2, False),
        (["terraform", "fmt"], 2, False),
        (commands.apply_command(ENGINE), 0, True),
        (commands.apply_command(ENGINE), -2, False),
    ],
)
def test_b127_exit_code_2_is_changes_for_a_plan_only(
    arguments: list[str], code: int, *, success: bool
) -> None:
    assert commands.is_success(arguments, code) is success


def test_no_command_forces_or_skips_a_lock() -> None:
    every = [
        *commands.init_command(ENGINE),
        *commands.plan_command(ENGINE, destroy=True),
        *commands.apply_command(ENGINE),
    ]
    assert not {"-lock=false", "-force", "force-unlock"} & set(every)
