"""What the provider refuses, and what the cloud refuses at apply."""

from __future__ import annotations

from typing import Any

import pytest

from multicloud.sandbox.check import Finding, check_configuration, float_of, refusal
from multicloud.sandbox.values import UNKNOWN, Row
from tests.sandbox.samples import a_block, some_facts

BLOCK = a_block()
FACTS = some_facts(
    one_of={"disk.kind": ["ssd", "hdd"]},
    ranges={"size": [1, 9]},
    conflicts=[["shade", "tags"]],
    exactly_one=[["zones", "size"]],
    at_least_one=[["name", "shade"]],
)


def check(**config: Any) -> list[Finding]:
    return list(check_configuration(BLOCK, FACTS, {"name": "n", "size": 1, **config}))


def test_a_good_configuration_has_no_findings() -> None:
    assert check(disk=[{"kind": "ssd"}, {"kind": None}, {"kind": UNKNOWN}], shade="x") == []


def test_a_result_cannot_be_given_a_value() -> None:
    (found,) = check(arn="x")
    assert found.summary == "Value for unconfigurable attribute"
    assert found.path == ("arn",)


def test_a_result_inside_a_block_cannot_either() -> None:
    block = a_block({"disk": {"@": "list", "uuid": "string~"}})
    config: Row = {"disk": [{"uuid": None}, {"uuid": "x"}]}
    (found,) = check_configuration(block, some_facts(), config)
    assert found.path == ("disk", 1, "uuid")


@pytest.mark.parametrize(
    ("config", "summary", "path"),
    [
        (
            {"disk": [{"kind": "ssd"}, {"kind": "tape"}]},
            'expected disk.kind to be one of ["ssd" "hdd"], got tape',
            ("disk", 1, "kind"),
        ),
        ({"size": 10}, "expected size to be in the range (1 - 9), got 10", ("size",)),
        (
            {"shade": "x", "tags": {"a": "b"}},
            "Conflicting configuration arguments",
            ("shade",),
        ),
        ({"zones": ["a"]}, "Invalid combination of arguments", ("zones",)),
        ({"size": None}, "Invalid combination of arguments", ("zones",)),
        ({"name": None}, "Missing required argument", ("name",)),
    ],
)
def test_findings(config: Row, summary: str, path: tuple[str | int, ...]) -> None:
    (found,) = check(**config)
    assert (found.summary, found.path) == (summary, path)


def test_what_is_not_known_yet_may_turn_out_well() -> None:
    assert check(size=UNKNOWN) == []
    assert check(name=UNKNOWN) == []


SPOT = some_facts(
    needs=[{"when": {"shade": "spot"}, "need": ["name"], "message": "spot needs a name"}],
    ascending=["low", "mid", "high"],
    ascending_error="low <= mid <= high",
    base64=["data"],
    base64_error="not base64",
)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"shade": "spot", "name": ""}, "spot needs a name"),
        ({"shade": "spot", "name": "n"}, None),
        ({"shade": "other"}, None),
        ({"low": 0, "mid": 2, "high": 1}, "low <= mid <= high"),
        ({"low": 0, "mid": 0, "high": 0}, None),
        ({"low": 2, "high": 1}, "low <= mid <= high"),
        ({"data": "aGVsbG8="}, None),
        ({"data": ""}, None),
        ({"data": "#!/bin/sh"}, "not base64"),
        ({"data": "aGVsbG8"}, "not base64"),
    ],
)
def test_refusals_at_apply(row: Row, message: str | None) -> None:
    assert refusal(SPOT, row) == message


def test_what_is_no_number_sorts_first() -> None:
    assert sorted([2, None, 1.5], key=float_of) == [None, 1.5, 2]
