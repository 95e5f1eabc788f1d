"""What `status` and `nodes` tell of records alone: no engine has run, no node is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.models.run import StackStatus
from tests.cli.conftest import write_policy
from tests.cli.prepared import busy, record_run, record_stack, refuse_inventory

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

AT = ["--at", "2026-12-01T12:20:00Z"]
ONE = "  a: {need: 2 x T4:1, place: {in: aws/us-east-1}}\n"


def asked(folder: Path) -> list[str]:
    return ["-p", str(write_policy(folder, ONE)), *AT]


def test_b89_recorded_nodes_that_nobody_sees_are_missing(
    multicloud: Multicloud, folder: Path
) -> None:
    record_stack(folder)
    said = multicloud("status", *asked(folder))
    assert said.code == 2
    assert "degraded 0/2" in said.out
    assert multicloud("nodes", "a", *asked(folder)).out == "no node runs\n"


@pytest.mark.parametrize("status", [StackStatus.UNKNOWN, StackStatus.DESTROYING])
def test_b81_a_stack_left_halfway_is_unfinished(
    multicloud: Multicloud, folder: Path, status: StackStatus
) -> None:
    record_stack(folder, status=status)
    said = multicloud("status", *asked(folder), "--json")
    assert said.code == said.json["exit_code"] == 2
    assert said.json["pools"][0]["health"] == "unfinished"


def test_b140_who_holds_the_lock_is_told_and_is_no_finding(
    multicloud: Multicloud, folder: Path
) -> None:
    record_stack(folder, status=StackStatus.APPLYING)
    record_run(folder)
    with busy(folder):
        said = multicloud("status", *asked(folder))
        document = multicloud("status", *asked(folder), "--json").json
    assert said.code == 0
    assert "changing" in said.out
    assert "Busy     p: cron@host since 2026-12-01 12:00Z with run r9" in said.out
    assert "r1 (rebalance) running, 20m ago" in said.out
    assert document["holders"] == [
        {"policy": "p", "who": "cron@host", "run": "r9", "since": "2026-12-01T12:00:00Z"}
    ]


def test_a_killed_run_did_not_end(multicloud: Multicloud, folder: Path) -> None:
    record_run(folder)
    said = multicloud("status", *asked(folder))
    assert said.code == 0
    assert "r1 (rebalance) did not end, 20m ago" in said.out
    (run,) = multicloud("status", *asked(folder), "--json").json["last_runs"]
    assert (run["did_not_end"], run["exit_code"], run["finished_at"]) == (True, None, None)


def test_an_unreadable_region_is_named_and_never_empty(
    multicloud: Multicloud, folder: Path
) -> None:
    record_stack(folder)
    assert multicloud("sandbox", "status", *AT).code == 0
    refuse_inventory(folder)
    said = multicloud("status", *asked(folder))
    assert said.code == 2
    assert "unknown" in said.out
    assert "aws/us-east-1 cannot be read" in said.out
    assert "UnauthorizedOperation" in said.out
    listed = multicloud("nodes", "a", *asked(folder))
    assert listed.code == 5
    assert "no node runs" not in listed.out
    assert "aws/us-east-1 cannot be read" in listed.out
    document = multicloud("nodes", "a", *asked(folder), "--json").json
    assert [one["region"] for one in document["unreadable"]] == ["us-east-1"]
    assert document["exit_code"] == 5


def test_what_only_the_store_knows_is_listed(multicloud: Multicloud, folder: Path) -> None:
    record_stack(folder, "gone", policy="q", nodes=0)
    said = multicloud("status", *AT)
    assert said.code == 0, said.err
    assert "gone: its policy q is in no file that was read" in said.out
    assert "multicloud destroy gone" in said.out
    (pool,) = multicloud("status", *AT, "--json").json["pools"]
    assert (pool["policy"], pool["decision"], pool["health"]) == ("q", None, "off")


def test_an_override_is_told_with_its_end(multicloud: Multicloud, folder: Path) -> None:
    rest = asked(folder)
    assert multicloud("hold", "a", "off", "--for", "3h", *rest).code == 0
    said = multicloud("status", *rest)
    assert 'i  a: override "off" by ' in said.out
    assert "until 2026-12-01 15:20Z" in said.out
    (pool,) = multicloud("status", *rest, "--json").json["pools"]
    assert pool["override"]["until"] == "2026-12-01T15:20:00Z"


def test_an_ended_override_is_not_told(multicloud: Multicloud, folder: Path) -> None:
    rest = asked(folder)
    assert multicloud("hold", "a", "off", "--for", "3h", *rest).code == 0
    said = multicloud("status", *rest[:2], "--at", "2026-12-01T15:20:00Z")
    assert "override" not in said.out


@pytest.mark.parametrize("verb", [["status"], ["nodes", "a"]])
def test_without_any_policy_there_is_nothing_to_tell(
    multicloud: Multicloud, folder: Path, verb: list[str]
) -> None:
    said = multicloud(*verb)
    assert said.code == 3
    assert list(folder.iterdir()) == []
