"""Status, nodes, holds and the simulated clouds."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]
AT, LATER = "2026-12-01T12:00:00Z", "2026-12-01T12:20:00Z"
FOUR = "  a: {need: 4 x T4:1, place: {in: aws/us-east-1, capacity: spot}}\n"


def up(multicloud: Multicloud, folder: Path, pools: str = FOUR) -> list[str]:
    """Bring the pools up; the arguments that name their policy and a later instant."""
    policy = ["-p", str(write_policy(folder, pools))]
    said = multicloud("rebalance", *policy, "--at", AT)
    assert said.code == 0, said.out + said.err
    return [*policy, "--at", LATER]


def test_a_whole_pool_is_ok(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    said = multicloud("status", *rest, "--json")
    assert said.code == 0
    (pool,) = said.json["pools"]
    assert (pool["health"], pool["running"], pool["wanted"]) == ("ok", 4, 4)
    assert said.json["last_runs"][0]["kind"] == "rebalance"
    listed = multicloud("nodes", "a", *rest, "--json").json["nodes"]
    assert len(listed) == 4
    assert {node["state"] for node in listed} == {"running"}


def test_b89_a_lost_node_is_degraded_and_is_refilled(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    gone = multicloud("sandbox", "evict", "a", "--count", "1", "--no-refill", "--at", LATER)
    assert gone.code == 0, gone.err
    said = multicloud("status", *rest)
    assert said.code == 2
    assert "degraded 3/4" in said.out
    document = multicloud("status", *rest, "--json").json
    assert document["pools"][0]["health"] == "degraded 3/4"
    # It was evicted: the group shrinks by it, and the deficit goes to another zone.
    (zone,) = rows(folder, "sandbox.sqlite", "select zone from interruption")
    healed = multicloud("rebalance", *rest[:2], "--at", "2026-12-01T12:40:00Z", "--json")
    assert healed.code == 0, healed.out + healed.err
    assert len(nodes(folder)) == 4
    after = healed.json["outcomes"][0]["after"]
    assert [placement["nodes"] for placement in after] == [3, 1]
    assert zone[0] not in after[1]["zones"]


def test_b89_a_node_lost_otherwise_is_the_groups_to_refill_for_a_while(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    gone = multicloud("sandbox", "evict", "a", "--count", "1", "--no-refill", "--at", LATER)
    assert gone.code == 0, gone.err
    _run_sql(folder, "sandbox.sqlite", "delete from interruption")
    waiting = multicloud("rebalance", *rest[:2], "--at", "2026-12-01T12:40:00Z")
    assert waiting.code == 5
    assert "3 of 4 nodes run" in waiting.out
    healed = multicloud("rebalance", *rest[:2], "--at", "2026-12-01T13:00:00Z")
    assert healed.code == 0, healed.out + healed.err
    assert len(nodes(folder)) == 4


def test_b137_nodes_without_a_record_are_strangers(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    assert rows(folder, "sandbox.sqlite", "select count(*) from node") == [(4,)]
    _stray(folder)
    said = multicloud("status", *rest, "--json")
    assert said.code == 2
    (stranger,) = said.json["strangers"]
    assert (stranger["pool"], stranger["region"]) == ("a", "us-east-1")
    assert stranger["launched_at"] == "2026-12-01T02:00:00Z"
    text = multicloud("status", *rest).out
    assert "1 node that no record knows" in text
    row = next(line for line in text.splitlines() if "i-stray" in line)
    assert "10h 20m" in row
    assert row.endswith(f"{stranger['usd_per_hour']:.2f}")
    assert len(multicloud("nodes", "a", *rest, "--json").json["nodes"]) == 5


def test_b137_strangers_are_seen_where_no_stack_is_recorded(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    _run_sql(folder, "store.sqlite", "delete from stacks")
    said = multicloud("status", *rest, "--json")
    assert said.code == 2
    assert [one["pool"] for one in said.json["strangers"]] == ["a"] * 4
    assert said.json["pools"][0]["health"] == "off"


def test_b137_nodes_of_unknown_policies_are_told_and_no_alarm(
    multicloud: Multicloud, folder: Path
) -> None:
    rest = up(multicloud, folder)
    _stray(folder)
    _run_sql(folder, "sandbox.sqlite", "update node set policy = 'other' where id = 'i-stray'")
    said = multicloud("status", *rest)
    assert said.code == 0
    assert "1 node of policies that are not known here: other" in said.out


def _run_sql(folder: Path, file: str, statement: str) -> None:
    with closing(sqlite3.connect(folder / ".multicloud" / file)) as db, db:
        db.execute(statement)


def _stray(folder: Path) -> None:
    """A node with our tags in a place that nobody recorded."""
    with closing(sqlite3.connect(folder / ".multicloud" / "sandbox.sqlite")) as db, db:
        db.execute(
            "insert into resource(provider, region, type, id, attributes, sent, changed_at)"
            " select provider, region, type, 'stray', attributes, sent, changed_at from resource"
            " where type = 'aws_autoscaling_group'"
        )
        db.execute(
            "insert into node(id, provider, home, region, type, group_id, cloud, zone, policy,"
            " pool, place, is_ours, instance_type, capacity_type, launched_at, ready_at)"
            " select 'i-stray', provider, home, region, type, 'stray', cloud, zone, policy, pool,"
            " 'ffffffff', 1, instance_type, capacity_type, '2026-12-01T02:00:00+00:00',"
            " '2026-12-01T02:01:00+00:00' from node limit 1"
        )
        db.execute(
            "update resource set attributes = json_set(attributes, '$.desired_capacity', 1)"
            " where id = 'stray'"
        )


def test_status_without_any_run(multicloud: Multicloud, folder: Path) -> None:
    policy = write_policy(folder, FOUR)
    said = multicloud("status", "-p", str(policy), "--at", AT)
    assert said.code == 0
    assert "Last run none" in said.out
    assert not (folder / ".multicloud").exists()


def test_hold_off_then_release(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    held = multicloud("hold", "a", "off", "--for", "3h", *rest)
    assert held.code == 0
    assert "held off until 2026-12-01 15:20Z" in held.out
    assert multicloud("rebalance", *rest).code == 0
    assert nodes(folder) == []
    over = multicloud("rebalance", *rest[:2], "--at", "2026-12-01T15:21:00Z")
    assert over.code == 0, over.out + over.err
    assert len(nodes(folder)) == 4


def test_hold_freezes_against_the_clock(multicloud: Multicloud, folder: Path) -> None:
    pools = (
        "  a:\n    need: T4\n    rules: [{when: 08:00-13:00, place: {in: aws/us-east-1}}]\n"
        "    otherwise: off\n"
    )
    rest = up(multicloud, folder, pools)
    assert multicloud("hold", "a", "--for", "2h", *rest).code == 0
    assert multicloud("rebalance", *rest[:2], "--at", "2026-12-01T13:30:00Z").code == 0
    assert len(nodes(folder)) == 1
    assert multicloud("rebalance", *rest[:2], "--at", "2026-12-01T14:30:00Z").code == 0
    assert nodes(folder) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["hold", "b", "--for", "3h"],
        ["hold", "a", "--for", "3x"],
        ["hold", "a"],
        ["hold", "a", "maybe", "--for", "3h"],
        ["release"],
        ["release", "b"],
        ["nodes", "b"],
    ],
)
def test_holds_refuse_what_they_cannot_read(
    multicloud: Multicloud, folder: Path, arguments: list[str]
) -> None:
    policy = write_policy(folder, FOUR)
    assert multicloud(*arguments, "-p", str(policy)).code == 3


def test_b87_a_pinned_pool_over_quota_is_unmet_and_nothing_else_happens(
    multicloud: Multicloud, folder: Path
) -> None:
    pinned = FOUR.replace("us-east-1", "us-east-1/use1-az1")
    rest = up(multicloud, folder, pinned)
    marked = multicloud("sandbox", "unavailable", "aws", "--quota", "--at", LATER)
    assert marked.code == 0, marked.err
    grown = write_policy(
        folder, FOUR.replace("us-east-1", "us-east-1/use1-az1").replace("4 x", "6 x")
    )
    said = multicloud("rebalance", "-p", str(grown), *rest[2:], "--json")
    assert said.code == 5
    (outcome,) = said.json["outcomes"]
    assert outcome["ending"] == "unmet"
    assert "VcpuLimitExceeded" in outcome["text"]
    assert len(nodes(folder)) == 4  # nothing made elsewhere, nothing destroyed
    zones = rows(folder, "sandbox.sqlite", "select distinct zone from node")
    assert zones == [("use1-az1",)]


def test_b55_a_price_that_moved_changes_no_text(multicloud: Multicloud, folder: Path) -> None:
    prices = folder / "prices.csv"
    head = "cloud,region,zone,instance_type,capacity_type,amount,unit,currency,observed_at,source\n"
    row = "aws,us-east-1,,g4dn.xlarge,spot,{},usd_per_hour,USD,2026-12-01T11:00:00Z,test\n"
    policy = write_policy(
        folder, "  a: {need: T4, place: {in: aws, capacity: spot, max_price: 1.50/gpu-h}}\n"
    )
    ask = ["-p", str(policy), "--prices", "prices.csv", "--json"]
    prices.write_text(head + row.format("1.2031"))
    assert multicloud("rebalance", *ask, "--at", AT).code == 0
    prices.write_text(head + row.format("1.2044"))
    again = multicloud("plan", *ask, "--at", LATER).json
    assert again["changes"] is False
    assert [stack["skipped"] for stack in again["stacks"]] == [True]


def test_b104_what_the_server_fills_in_is_no_change(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    _forget(folder)
    planned = multicloud("plan", *rest, "--json").json
    (stack,) = planned["stacks"]
    assert (stack["skipped"], stack["add"], stack["change"], stack["destroy"]) == (False, 0, 0, 0)


def _forget(folder: Path) -> None:
    """Make the recorded text differ, so that the engine is asked again."""
    _run_sql(folder, "store.sqlite", "update stacks set text_digest = 'x'")


def test_a_throttled_cloud_fails_and_the_next_run_heals(
    multicloud: Multicloud, folder: Path
) -> None:
    policy = ["-p", str(write_policy(folder, FOUR))]
    assert multicloud("sandbox", "throttle", "aws", "--at", AT).code == 0
    said = multicloud("rebalance", *policy, "--at", AT, "--json")
    assert said.code == 1, said.out + said.err
    assert said.json["outcomes"][0]["attempts"][0]["failure"] == "throttle"
    assert multicloud("rebalance", *policy, "--at", LATER).code == 0
    assert len(nodes(folder)) == 4


def test_a_fault_plan_acts_once_by_the_sandboxs_clock(multicloud: Multicloud, folder: Path) -> None:
    rest = up(multicloud, folder)
    (folder / "plan.yaml").write_text(
        "- {at: 2026-12-01T12:30:00Z, do: evict, pool: a, count: 2, no_refill: 'true'}\n"
        "- {at: 2026-12-01T13:00:00Z, do: unavailable, cloud: aws}\n"
    )
    for words in ("2 of 2", "0 of 2"):
        said = multicloud("sandbox", "script", "plan.yaml", "--at", LATER)
        assert (said.code, words in said.out) == (0, True), said.err
    assert len(nodes(folder)) == 4
    assert multicloud("status", *rest[:2], "--at", "2026-12-01T12:29:00Z").code == 0
    assert multicloud("status", *rest[:2], "--at", "2026-12-01T12:31:00Z").code == 2
    assert len(nodes(folder)) == 2
    seen = multicloud("sandbox", "status", "--at", "2026-12-01T13:01:00Z", "--json").json
    assert (seen["due"], len(seen["unavailable"])) == (0, 1)
    freed = multicloud("sandbox", "available", "aws", "--at", "2026-12-01T13:02:00Z")
    assert "1 marks removed" in freed.out


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "- x",
        "- {at: now, do: evict, pool: a}",
        "- {at: 2026-12-01T12:30:00, do: evict, pool: a}",
        "- {at: 2026-12-01T12:30:00Z, do: explode}",
        "- {at: 2026-12-01T12:30:00Z, do: evict}",
        "- {at: 2026-12-01T12:30:00Z, do: evict, pool: a, count: few}",
        "- {at: 2026-12-01T12:30:00Z, do: throttle, cloud: moon}",
        "- {at: 2026-12-01T12:30:00Z, do: evict, pool: a, colour: red}",
    ],
)
def test_a_bad_fault_plan_is_refused_whole(multicloud: Multicloud, folder: Path, text: str) -> None:
    (folder / "plan.yaml").write_text(text)
    said = multicloud("sandbox", "script", "plan.yaml")
    assert said.code == 3
    assert "plan.yaml:1" in said.err


def test_sandbox_commands_refuse_what_is_not_there(multicloud: Multicloud) -> None:
    assert multicloud("sandbox", "evict", "nobody").code == 3
    assert multicloud("sandbox", "unavailable", "moon").code == 3
    assert multicloud("sandbox", "reset").code == 4


def test_reset_empties_the_simulated_clouds(multicloud: Multicloud, folder: Path) -> None:
    up(multicloud, folder)
    said = multicloud("sandbox", "reset", "--yes")
    assert said.code == 0
    assert "1 states still name" in said.err
    assert nodes(folder) == []
