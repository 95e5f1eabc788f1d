"""An engine's failure as one error."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from multicloud.engine.failure import failed
from multicloud.engine.process import Completed
from multicloud.engine.redact import Redactor
from multicloud.engine.stream import StreamReader
from multicloud.errors import EngineFailedError, StateLockedError
from tests.builders import NOON
from tests.engine.streams import diagnostic
from tests.engine.test_explain import LOCK


def the_error(
    stderr: str = "", stdout: str = "", messages: tuple[object, ...] | None = None
) -> EngineFailedError:
    reader = StreamReader(Redactor(["hunter22"]))
    for message in messages or ():
        reader.feed(message if isinstance(message, str) else json.dumps(message))
    return failed(
        "plan",
        Completed(exit_code=1, stdout_tail=stdout, stderr_tail=stderr),
        redact=Redactor(["hunter22"]),
        now=NOON + timedelta(minutes=10),
        outcome=None if messages is None else reader.outcome,
    )


def test_the_streams_errors_and_their_advice() -> None:
    error = the_error(
        messages=(
            diagnostic("careful", severity="warning"),
            diagnostic("creating group: VcpuLimitExceeded", "limit of 0 for hunter22"),
            diagnostic("second"),
        )
    )
    assert error.summary == "plan failed (engine exit code 1)."
    assert error.detail == "creating group: VcpuLimitExceeded\nlimit of 0 for (hidden)\nsecond"
    assert error.hint.startswith("quota: ")
    assert error.exit_code_of_engine == 1


def test_b144_the_last_lines_without_frame_and_colour() -> None:
    lines = "\n".join(f"noise {n}" for n in range(100))
    error = the_error(stderr=f"{lines}\n\x1b[31m╷\n│ Error: bad hunter22\n│ \n│ why\n╵\x1b[0m\n")
    assert error.detail.splitlines()[-2:] == ["Error: bad (hidden)", "why"]
    assert len(error.detail.splitlines()) == 12
    assert error.hint == ""


def test_without_stderr_the_output_or_the_log_is_told() -> None:
    assert the_error(stdout="out").detail == "out"
    assert the_error(stdout='{"type": "x"}', messages=("plain",)).detail == "plain"


def test_b119_a_lock_names_its_holder_and_is_not_forced() -> None:
    summary, detail = LOCK.split("\n", 1)
    error = the_error(messages=(diagnostic(summary, detail),))
    assert isinstance(error, StateLockedError)
    assert "8db8a1ce-5d1d-4b4c-9d0e-L1" in error.summary
    assert "ci@runner7, 6 h old" in error.summary
    assert "terraform force-unlock 8db8a1ce-5d1d-4b4c-9d0e-L1" in error.hint


def test_a_lock_without_details_is_still_a_lock() -> None:
    error = the_error(stderr="Error acquiring the state lock")
    assert isinstance(error, StateLockedError)
    assert "never forced" in error.hint


@pytest.mark.parametrize("stderr", ["", "\n\n", "│ \n"])
def test_silence_has_no_detail(stderr: str) -> None:
    assert the_error(stderr=stderr).detail == ""
