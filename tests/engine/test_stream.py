"""JSON streams: counts, changes and errors, without values."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.engine.redact import Redactor
from multicloud.engine.stream import StreamReader
from multicloud.errors import PlanFormatError
from multicloud.models.change import ChangeAction, Diagnostic, ResourceChange
from tests.engine.streams import diagnostic, planned, summary, version


def read(*messages: dict[str, Any] | str, redact: Redactor | None = None) -> StreamReader:
    reader = StreamReader(redact or Redactor())
    for message in messages:
        reader.feed(message if isinstance(message, str) else json.dumps(message))
    return reader


def test_a_whole_plan() -> None:
    outcome = read(
        version(),
        {"type": "refresh_start", "hook": {"resource": {"addr": "aws_vpc.a"}}},
        {**planned("aws_vpc.a", "update"), "type": "resource_drift"},
        planned("aws_vpc.a", "create"),
        planned("module.pool.aws_subnet.b[0]", "replace", reason="cannot_update"),
        summary(add=2, remove=1),
        {"type": "outputs", "outputs": {"token": {"value": "s3cret-value"}}},
    ).outcome
    assert (outcome.add, outcome.change, outcome.destroy) == (2, 0, 1)
    assert outcome.is_summed
    assert outcome.engine_version == "1.11.4"
    assert outcome.changes == (
        ResourceChange(address="aws_vpc.a", type="aws_vpc", action=ChangeAction.CREATE),
        ResourceChange(
            address="module.pool.aws_subnet.b[0]",
            type="aws_subnet",
            action=ChangeAction.REPLACE,
            reason="cannot_update",
        ),
    )
    assert [d.action for d in outcome.drift] == [ChangeAction.UPDATE]
    assert "s3cret" not in repr(outcome)


def test_b175_diagnostics_lose_snippets_and_secrets() -> None:
    message = diagnostic("bad value token-123456", "the token-123456 is\nbad", address="aws_vpc.a")
    message["diagnostic"]["snippet"] = {"code": "password = hunter2", "values": []}
    outcome = read(version(), message, redact=Redactor(["token-123456"])).outcome
    assert outcome.diagnostics == (
        Diagnostic(
            severity="error",
            summary="bad value (hidden)",
            detail="the (hidden) is\nbad",
            address="aws_vpc.a",
        ),
    )
    assert "hunter2" not in repr(outcome)


def test_errors_are_diagnostics_that_are_no_warnings() -> None:
    outcome = read(diagnostic("w", severity="warning"), diagnostic("e")).outcome
    assert [d.summary for d in outcome.diagnostics] == ["w", "e"]
    assert [d.summary for d in outcome.errors] == ["e"]


def test_lines_that_are_no_messages_are_log() -> None:
    lines = ["plain token-123456", "", "{broken", "[1]", '{"type": "new_kind", "x": 1}', "{}"]
    outcome = read(*lines, redact=Redactor(["token-123456"])).outcome
    assert outcome.log == ("plain (hidden)", "{broken", "[1]")
    assert not outcome.is_summed


def test_the_log_is_bounded() -> None:
    outcome = read(*[f"line {n}" for n in range(1000)]).outcome
    assert len(outcome.log) == 50
    assert outcome.log[-1] == "line 999"


def test_an_unknown_major_version_is_refused_and_a_minor_one_is_read() -> None:
    assert read(version("1.99")).outcome.engine_version == "1.11.4"
    with pytest.raises(PlanFormatError, match=r"version 2\.0"):
        read(version("2.0"))


def test_opentofu_names_itself() -> None:
    message = {"type": "version", "ui": "1.2", "tofu": "1.9.0"}
    assert read(message).outcome.engine_version == "1.9.0"


@pytest.mark.parametrize(
    ("name", "action"),
    [*((str(a), a) for a in ChangeAction), ("forget", ChangeAction.REMOVE)],
)
def test_every_action(name: str, action: ChangeAction) -> None:
    assert read(planned("a.b", name)).outcome.changes[0].action is action


@pytest.mark.parametrize(
    "message",
    [
        planned("a.b", "explode"),
        {"type": "planned_change"},
        {"type": "planned_change", "change": {"resource": None, "action": "create"}},
        {"type": "change_summary", "changes": {"add": 1}},
        summary(add="many"),
        summary(add=-1),
        {"type": "diagnostic", "diagnostic": {"severity": "error"}},
        {"type": "version"},
    ],
    ids=["action", "no change", "no resource", "counts", "text", "negative", "summary", "version"],
)
def test_a_known_message_of_another_form_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(PlanFormatError, match="is not of the form we know"):
        read(message)


def test_steps_are_told() -> None:
    told: list[str] = []
    reader = StreamReader(Redactor(), told.append)
    hook = {"resource": {"addr": "aws_vpc.a"}, "action": "create"}
    reader.feed(json.dumps({"type": "apply_start", "hook": hook}))
    reader.feed(json.dumps({"type": "refresh_start", "hook": {"resource": {"addr": "b"}}}))
    assert told == ["create aws_vpc.a", "refresh b"]


@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_no_line_of_any_kind_is_a_traceback(line: str) -> None:
    read(line)


keys = st.sampled_from(["type", "change", "resource", "addr", "action", "ui", "changes", "hook"])
leaves = st.none() | st.integers() | st.sampled_from(["version", "planned_change", "diagnostic"])
bodies = st.recursive(leaves, lambda inner: st.dictionaries(keys, inner), max_leaves=12)


@given(st.dictionaries(keys, bodies))
def test_any_object_is_read_or_refused_in_one_way(message: dict[str, Any]) -> None:
    with contextlib.suppress(PlanFormatError):
        read(message)
