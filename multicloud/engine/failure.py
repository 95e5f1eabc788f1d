"""What an engine said when it failed, as one error with advice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from multicloud.engine.explain import explain, lock_holder
from multicloud.errors import EngineFailedError, StateLockedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from multicloud.engine.process import Completed
    from multicloud.engine.stream import Outcome

_FRAME = re.compile(r"^\s*[╷│╵|]\s?", re.MULTILINE)
_SHOWN_LINES = 12


def failed(
    what: str,
    done: Completed,
    *,
    redact: Callable[[str], str],
    now: datetime,
    outcome: Outcome | None = None,
) -> EngineFailedError:
    """The error to raise for a command (`init`, `plan`, ...) that ended badly.

    It carries what the stream's diagnostics say, or else the last lines that the engine wrote.
    """
    told = _told(done, outcome, redact)
    advice = explain(told)
    summary = f"{what} failed (engine exit code {done.exit_code})."
    if advice is not None and advice.kind == "lock":
        return _locked(what, done, told, now)
    hint = f"{advice.kind}: {advice.text}" if advice else ""
    return EngineFailedError(summary, exit_code_of_engine=done.exit_code, detail=told, hint=hint)


def _locked(what: str, done: Completed, told: str, now: datetime) -> StateLockedError:
    holder = lock_holder(told)
    if holder is None:
        return StateLockedError(
            f"{what} blocked: the state is locked.",
            exit_code_of_engine=done.exit_code,
            detail=told,
            hint="Wait for the other run; locks are never forced.",
        )
    return StateLockedError(
        f"{what} blocked: {holder.describe(now)}.",
        exit_code_of_engine=done.exit_code,
        hint=(
            "Wait for it. If that run is certainly gone, unlock by hand in the stack's folder: "
            f"terraform force-unlock {holder.id}"
        ),
    )


def _told(done: Completed, outcome: Outcome | None, redact: Callable[[str], str]) -> str:
    """The engine's errors as text, redacted."""
    if outcome is not None and outcome.errors:
        parts = (
            "\n".join(part for part in (error.summary, error.detail) if part)
            for error in outcome.errors
        )
        return "\n".join(parts)
    # With -json, stdout is a stream whose readable part is in the log; stderr has the rest.
    told = done.stderr_tail.strip() or (
        "\n".join(outcome.log) if outcome is not None else done.stdout_tail
    )
    lines = [line for line in _FRAME.sub("", redact(told)).splitlines() if line.strip()]
    return "\n".join(lines[-_SHOWN_LINES:])
