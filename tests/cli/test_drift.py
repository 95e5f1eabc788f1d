"""Drift: what clouds do is told apart from what somebody did; nodes without a record are found."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_apply import nodes, rows
from tests.cli.test_status import LATER, up

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]
EXTERNAL = (
    "  a: {need: 4 x T4:1, place: {in: aws/us-east-1, capacity: spot},"
    " autoscaler: {mode: external, min: 1}}\n"
)


def change_by_hand(folder: Path, type_: str, **attributes: object) -> None:
    """Change a resource in the simulated cloud as a console would."""
    with closing(sqlite3.connect(folder / ".multicloud" / "sandbox.sqlite")) as db:
        query = "select id, attributes from resource where type = ?"
        for id_, text in db.execute(query, (type_,)).fetchall():
            changed = json.dumps({**json.loads(text), **attributes})
            db.execute("update resource set attributes = ? where id = ?", (changed, id_))
        db.commit()


def test_what_was_applied_does_not_drift(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    said = multicloud("drift", *rest)
    assert said.code == 0, said.out + said.err
    assert "1 stack compared: 0 changed by hand, 0 with what is to be expected." in said.out


def test_an_eviction_is_to_be_expected(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    multicloud("sandbox", "evict", "a", "--count", "1", "--no-refill", "--at", LATER)
    said = multicloud("drift", *rest, "--json")
    assert said.code == 0, said.out
    (stack,) = said.json["stacks"]
    assert stack["by_hand"] == []
    assert stack["expected"] == [
        "1 node taken back by the cloud, the last 12-01 12:20Z",
        "the group has 3 of 4 nodes: nodes are awaited",
        "1 node of 4 missing",
    ]


def test_a_resource_that_was_changed_in_the_console_is_told(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    change_by_hand(folder, "aws_security_group", description="opened for a friend")
    said = multicloud("drift", *rest, "--json")
    assert said.code == 2, said.out + said.err
    (stack,) = said.json["stacks"]
    assert stack["resources"] == [
        {"address": "module.pool.aws_security_group.this", "action": "update"}
    ]
    assert stack["by_hand"] == [
        "module.pool.aws_security_group.this: changed outside of multicloud"
    ]


def test_what_drift_advises_brings_it_back(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    change_by_hand(folder, "aws_security_group", description="opened for a friend")
    # The nodes are as they should be: by itself a rebalance has no reason to ask the engine.
    assert multicloud("rebalance", *rest).code == 0
    assert multicloud("drift", *rest).code == 2
    done = multicloud("rebalance", *rest, "--every-stack")
    assert done.code == 0, done.out + done.err
    assert multicloud("drift", *rest).code == 0


def test_a_group_that_was_scaled_by_hand_is_told_twice(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    assert multicloud("sandbox", "scale", "a", "6", "--at", LATER).code == 0
    said = multicloud("drift", *rest)
    assert said.code == 2
    assert "6 nodes where 4 were applied" in said.out
    assert "aws_autoscaling_group.this: changed outside of multicloud" in said.out
    advice = "To bring back what was applied: multicloud rebalance --every-stack"
    assert said.out.rstrip().endswith(advice)
    # Without the engine the nodes alone tell it.
    said = multicloud("drift", *rest, "--no-engine", "--json")
    assert (said.code, said.json["stacks"][0]["resources"]) == (2, [])


def test_what_an_autoscaler_may_do_is_no_drift(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder, EXTERNAL)
    assert multicloud("sandbox", "scale", "a", "3", "--at", LATER).code == 0
    said = multicloud("drift", *rest, "--json")
    assert (said.code, said.json["stacks"][0]["by_hand"]) == (0, [])


def test_a_region_that_cannot_be_read_is_not_taken_for_empty(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    multicloud("sandbox", "fail", "inventory", "read", "--times", "9", "--at", LATER)
    said = multicloud("drift", *rest, "--no-engine", "--json")
    assert said.code == 2
    assert said.json["unreadable"][0]["region"] == "us-east-1"
    assert said.json["stacks"][0]["by_hand"] == []


def lose_the_store(folder: Path) -> None:
    for file in (folder / ".multicloud").glob("store.sqlite*"):
        file.unlink()


def test_orphans_are_taken_down_by_the_state_that_made_them(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    lose_the_store(folder)
    said = multicloud("drift", *rest, "--orphans")
    assert said.code == 2
    assert "4 nodes that no record knows" in said.out
    asked = multicloud("drift", *rest, "--orphans", "--delete")
    assert (asked.code, len(nodes(folder))) == (4, 4)
    done = multicloud("drift", *rest, "--orphans", "--delete", "--yes")
    assert done.code == 0, done.out + done.err
    assert nodes(folder) == []
    assert rows(folder, "sandbox.sqlite", "select count(*) from resource") == [(0,)]
    assert rows(folder, "store.sqlite", "select count(*) from stacks") == [(0,)]
    assert multicloud("drift", *rest, "--orphans").code == 0


def test_orphans_whose_state_is_lost_too_are_left_and_said(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    lose_the_store(folder)
    shutil.rmtree(folder / ".multicloud" / "state")
    done = multicloud("drift", *rest, "--orphans", "--delete", "--yes")
    assert done.code == 4, done.out + done.err
    assert "its state knows no group, but 4 of its nodes run" in done.out
    assert len(nodes(folder)) == 4


def test_delete_goes_with_orphans_only(multicloud: Multicloud) -> None:
    said = multicloud("drift", "--delete")
    assert said.code == 3
    assert "--delete goes with --orphans" in said.err
