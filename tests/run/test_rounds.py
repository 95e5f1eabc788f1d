"""What a watch makes of a round that came to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import ExitCode, GuardrailError
from multicloud.models.run import RunKind
from multicloud.run import rounds
from multicloud.run.execute import ExecuteRequest
from multicloud.run.inputs import Question
from multicloud.run.rounds import Rounds

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_stopped_a_round_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def blocked(*_: object) -> None:
        raise GuardrailError("another run works.", hint="Wait for it.")

    monkeypatch.setattr(rounds, "rebalance", blocked)
    one = Rounds(
        question=Question(folder=tmp_path), request=ExecuteRequest(kind=RunKind.REBALANCE)
    ).act()
    assert one.text == "another run works. Wait for it."
    assert one.exit_code is ExitCode.BLOCKED
