"""Exit codes of runs that act."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from multicloud.errors import ExitCode
from multicloud.run.outcome import Ending, PoolOutcome, exit_code

if TYPE_CHECKING:
    from multicloud.models.decision import Decision


@pytest.mark.parametrize(
    ("endings", "code"),
    [
        ([], ExitCode.OK),
        ([Ending.NOTHING, Ending.DONE], ExitCode.OK),
        ([Ending.DONE, Ending.UNMET], ExitCode.PARTIAL),
        ([Ending.UNMET], ExitCode.PARTIAL),
        ([Ending.DONE, Ending.FAILED], ExitCode.PARTIAL),
        ([Ending.FAILED, Ending.FAILED], ExitCode.FAILED),
        ([Ending.FAILED, Ending.UNMET], ExitCode.PARTIAL),
        ([Ending.BLOCKED, Ending.NOTHING], ExitCode.BLOCKED),
        ([Ending.BLOCKED, Ending.DONE], ExitCode.PARTIAL),
        ([Ending.DONE, Ending.INTERRUPTED], ExitCode.INTERRUPTED),
    ],
)
def test_the_table(endings: list[Ending], code: ExitCode) -> None:
    decision = cast("Decision", None)
    outcomes = tuple(PoolOutcome(decision=decision, ending=e, after=()) for e in endings)
    assert exit_code(outcomes) is code
