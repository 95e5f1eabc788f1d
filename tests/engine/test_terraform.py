"""One stack with a scripted engine."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.choose import Engine
from multicloud.engine.terraform import Terraform, Timeouts
from multicloud.engine.turn import any_time
from multicloud.engine.workspace import Workspace
from multicloud.errors import EngineError, EngineFailedError, PlanFormatError
from multicloud.models.change import ChangeAction, Diagnostic
from tests.builders import NOON
from tests.engine.stacks import a_key
from tests.engine.streams import diagnostic, planned, summary, version
from tests.fakes import FakeRunner, Reply

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = Engine(argv=("/tf",), product="terraform", version="1.11.4", origin="PATH")


def stream(*messages: object, code: int = 0) -> Reply:
    return Reply(exit_code=code, lines=tuple(json.dumps(m) for m in messages))


def a_terraform(*replies: Reply) -> tuple[Terraform, FakeRunner]:
    runner = FakeRunner(replies=deque(replies))
    terraform = Terraform(
        engine=ENGINE,
        runner=runner,
        env={"PATH": "/bin"},
        init_turn=any_time(),
        timeouts=Timeouts(init_s=1, validate_s=2, plan_s=3, apply_s=4),
        now=lambda: NOON,
    )
    return terraform, runner


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / ".multicloud", a_key())
    made.prepare({})
    return made


def test_a_plan_with_changes(workspace: Workspace) -> None:
    terraform, runner = a_terraform(stream(version(), planned("aws_vpc.a"), summary(add=1), code=2))
    plan = terraform.plan(workspace)
    assert (plan.key, plan.add, plan.has_changes) == (a_key(), 1, True)
    assert [c.action for c in plan.changes] == [ChangeAction.CREATE]
    assert plan.engine_version == "1.11.4"
    assert plan.error is None
    (call,) = runner.calls
    assert call.cwd == workspace.folder
    assert call.timeout_s == 3
    assert call.env == {"PATH": "/bin"}


def test_a_plan_without_changes_and_one_of_a_destroy(workspace: Workspace) -> None:
    terraform, runner = a_terraform(
        stream(version(), summary()), stream(version(), summary(remove=2), code=2)
    )
    assert not terraform.plan(workspace).has_changes
    assert terraform.plan(workspace, destroy=True, lock_timeout_s=5).destroy == 2
    assert {"-destroy", "-lock-timeout=5s"} <= set(runner.calls[1].argv)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (stream(version(), code=0), "told no counts"),
        (stream(version(), summary(add=1), code=0), "do not fit together"),
        (stream({"type": "version", "ui": "9.0"}), r"version 9\.0"),
    ],
)
def test_a_stream_that_cannot_be_trusted(workspace: Workspace, reply: Reply, told: str) -> None:
    terraform, _ = a_terraform(reply)
    with pytest.raises(PlanFormatError, match=told):
        terraform.plan(workspace)


@pytest.mark.parametrize("code", [1, 3, -2])
def test_b127_a_failed_plan(workspace: Workspace, code: int) -> None:
    terraform, _ = a_terraform(stream(version(), diagnostic("no way"), code=code))
    with pytest.raises(EngineFailedError, match="no way") as caught:
        terraform.plan(workspace)
    assert caught.value.exit_code_of_engine == code


def test_errors_in_the_stream_are_a_failure_whatever_the_exit_code(workspace: Workspace) -> None:
    terraform, _ = a_terraform(stream(version(), diagnostic("no way"), summary(add=1), code=2))
    with pytest.raises(EngineFailedError, match="no way"):
        terraform.plan(workspace)


@pytest.mark.parametrize("code", [1, 2])
def test_b127_init_and_apply_have_no_exit_code_2(workspace: Workspace, code: int) -> None:
    terraform, _ = a_terraform(Reply(exit_code=code, stderr="bad"), stream(version(), code=code))
    with pytest.raises(EngineFailedError, match="init failed"):
        terraform.init(workspace)
    with pytest.raises(EngineFailedError, match="apply failed"):
        terraform.apply(workspace)


def test_init_and_apply_that_work(workspace: Workspace) -> None:
    terraform, runner = a_terraform(Reply(), stream(version(), summary(add=2)))
    terraform.init(workspace)
    assert terraform.apply(workspace).add == 2
    assert [call.timeout_s for call in runner.calls] == [1, 4]


def findings(*messages: dict[str, object], code: int = 0) -> Reply:
    text = json.dumps({"format_version": "1.0", "diagnostics": messages}, indent=2)
    return Reply(exit_code=code, lines=tuple(text.splitlines()))


def test_validate_tells_findings(workspace: Workspace) -> None:
    finding: dict[str, object] = {
        "severity": "error",
        "summary": "Unsupported argument",
        "snippet": {"code": "secret"},
    }
    terraform, _ = a_terraform(findings(), findings(finding, code=1))
    assert terraform.validate(workspace) == ()
    assert terraform.validate(workspace) == (
        Diagnostic(severity="error", summary="Unsupported argument"),
    )


def test_validate_that_cannot_look(workspace: Workspace) -> None:
    terraform, _ = a_terraform(
        Reply(exit_code=1, lines=("{}",), stderr="no modules"), Reply(lines=("[]",))
    )
    with pytest.raises(EngineFailedError, match="no modules"):
        terraform.validate(workspace)
    with pytest.raises(PlanFormatError, match="not of the form"):
        terraform.validate(workspace)


def test_a_workspace_must_be_prepared(tmp_path: Path) -> None:
    terraform, _ = a_terraform()
    with pytest.raises(EngineError, match="prepare the workspace first"):
        terraform.init(Workspace(tmp_path / ".multicloud", a_key()))
