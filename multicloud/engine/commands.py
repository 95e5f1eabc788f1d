"""The engine's command lines, through python-terraform's builder; no IO, no secret in any.

Of python-terraform only the builder is used: its own running of commands has no timeout, no
stream and no way to stop, and its `destroy` passes a flag that Terraform no longer knows.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAN_FILE = "plan.bin"
LOCK_TIMEOUT_S = 20
CHANGES_EXIT_CODE = 2


def _build(engine: Sequence[str], command: str, *arguments: str, **options: Any) -> list[str]:  # noqa: ANN401 - the builder takes text, numbers and flags
    """`engine` may be several words (an interpreter and its script); the builder knows one."""
    from python_terraform import IsFlagged, Terraform

    # The constructor reads a state file below `working_dir`; there can be none below this one.
    builder = Terraform(working_dir=os.devnull, terraform_bin_path=engine[-1])
    flags = {name: IsFlagged if value is True else value for name, value in options.items()}
    built: list[str] = builder.generate_cmd_string(command, *arguments, **flags)
    return [*engine[:-1], *built]


def version_command(engine: Sequence[str]) -> list[str]:
    """Product and version as JSON."""
    return _build(engine, "version", json=True)


def init_command(engine: Sequence[str], *, readonly_lock: bool = False) -> list[str]:
    """Install providers and set up the backend without asking.

    `-reconfigure`: the backend is part of the rendered text, and a state is never moved here.
    """
    lock = "readonly" if readonly_lock else None
    return _build(engine, "init", input="false", no_color=True, reconfigure=True, lockfile=lock)


def validate_command(engine: Sequence[str]) -> list[str]:
    """Check the root against the providers' schemas; the findings are JSON."""
    return _build(engine, "validate", no_color=True, json=True)


def plan_command(
    engine: Sequence[str],
    *,
    lock_timeout_s: int = LOCK_TIMEOUT_S,
    destroy: bool = False,
    refresh_only: bool = False,
) -> list[str]:
    """Plan into `PLAN_FILE`, with the JSON stream on stdout; exit code 2 says "changes".

    `refresh_only` compares the state with what is there, and nothing else.
    """
    return _build(
        engine,
        "plan",
        input="false",
        no_color=True,
        json=True,
        detailed_exitcode=True,
        lock_timeout=f"{lock_timeout_s}s",
        out=PLAN_FILE,
        destroy=True if destroy else None,
        refresh_only=True if refresh_only else None,
    )


def apply_command(engine: Sequence[str], *, lock_timeout_s: int = LOCK_TIMEOUT_S) -> list[str]:
    """Carry out `PLAN_FILE`, a plan of a destroy included, with the JSON stream on stdout."""
    return _build(
        engine,
        "apply",
        PLAN_FILE,
        input="false",
        no_color=True,
        json=True,
        lock_timeout=f"{lock_timeout_s}s",
    )


def is_success(argv: Sequence[str], exit_code: int) -> bool:
    """Whether an engine's exit code is a success for this command line.

    2 is "changes" for a plan with `-detailed-exitcode`, and a failure for everything else.
    """
    if exit_code == CHANGES_EXIT_CODE:
        return "plan" in argv and "-detailed-exitcode" in argv
    return exit_code == 0
