"""Pools whose size somebody else decides: we keep the bounds, and take nothing back."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from multicloud.catalog.clouds import CLOUDS
from tests.builders import faults
from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes, rows, wrapped_engine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

POOL = """\
  serving:
    need: A100:8
    autoscaler: {mode: external, min: 1, max: 4}
    rules:
      - {name: day, when: 08:00-20:00, place: {in: aws/us-east-1}}
    otherwise: off
"""
DAY, LATER, NIGHT = "2026-12-01T10:00:00Z", "2026-12-01T11:00:00Z", "2026-12-01T22:00:00Z"


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_b110_any_size_within_the_bounds_is_right(folder: Path, multicloud: Multicloud) -> None:
    write_policy(folder, POOL)
    said = multicloud("rebalance", "-p", "p.yaml", "--at", DAY)
    assert said.code == 0, said.out + said.err
    assert len(nodes(folder)) == 1
    multicloud("sandbox", "scale", "serving", "3", "--at", DAY)
    said = multicloud("rebalance", "-p", "p.yaml", "--at", LATER, "--json")
    assert said.code == 0
    (outcome,) = said.json["outcomes"]
    assert outcome["decision"]["action"] == "no_op"
    assert len(nodes(folder)) == 3
    status = multicloud("status", "-p", "p.yaml", "--at", LATER)
    assert status.code == 0, status.out
    paid = rows(folder, "store.sqlite", "select nodes, end_at from usage order by id")
    assert [(count, end is None) for count, end in paid] == [(1, False), (3, True)]
    said = multicloud("rebalance", "-p", "p.yaml", "--at", NIGHT)
    assert said.code == 0, said.out + said.err
    assert nodes(folder) == []
    # Nothing is paid for what is gone.
    assert rows(folder, "store.sqlite", "select count(*) from usage where end_at is null") == [(0,)]


ANYWHERE = """\
  serving:
    need: {{gpu: any, gpu_memory: 10Gi, gpus: 1, per_node: 1}}
    autoscaler: {{mode: external, min: {least}, max: {most}}}
    rules:
      - {{name: day, when: 08:00-20:00, place: {{in: {place}}}}}
    otherwise: off
"""
MONEY = "timezone: UTC\nfx: {CNY: 7.2}\n"
NEXT_DAY = "2026-12-02T10:00:00Z"


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
@pytest.mark.parametrize("cloud", sorted(CLOUDS))
def test_a_pool_that_comes_back_has_its_least(
    folder: Path, multicloud: Multicloud, cloud: str
) -> None:
    """Off leaves the group at 0, and not every cloud's group has a minimum of its own."""
    write_policy(folder, ANYWHERE.format(least=2, most=4, place=cloud), head=MONEY)

    def run(at: str) -> int:
        said = multicloud("rebalance", "-p", "p.yaml", "--at", at, "--json")
        assert said.code == 0, said.out + said.err
        failed = [a for o in said.json["outcomes"] for a in o["attempts"] if a["failure"]]
        assert failed == []
        return len(nodes(folder))

    assert run(DAY) == 2
    assert multicloud("sandbox", "scale", "serving", "3", "--at", DAY).code == 0
    assert run(LATER) == 3
    assert run(NIGHT) == 0
    assert run(NEXT_DAY) == 2
    again = multicloud("plan", "-p", "p.yaml", "--at", NEXT_DAY, "--json").json
    assert [stack["skipped"] for stack in again["stacks"]] == [True]
    # Nobody else's size is taken back after it.
    assert multicloud("sandbox", "scale", "serving", "4", "--at", NEXT_DAY).code == 0
    assert run("2026-12-02T11:00:00Z") == 4


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
@pytest.mark.parametrize("cloud", sorted(CLOUDS))
def test_new_bounds_bring_the_size_within_them(
    folder: Path, multicloud: Multicloud, cloud: str
) -> None:
    def run(least: int, most: int, at: str) -> tuple[str, int]:
        write_policy(folder, ANYWHERE.format(least=least, most=most, place=cloud), head=MONEY)
        said = multicloud("rebalance", "-p", "p.yaml", "--at", at, "--json")
        assert said.code == 0, said.out + said.err
        return said.json["outcomes"][0]["decision"]["action"], len(nodes(folder))

    assert run(0, 2, DAY) == ("create", 0)
    assert run(2, 2, "2026-12-01T10:10:00Z") == ("no_op", 2)
    assert run(2, 6, "2026-12-01T10:20:00Z") == ("scale", 2)
    assert multicloud("sandbox", "scale", "serving", "5", "--at", "2026-12-01T10:20:00Z").code == 0
    assert run(1, 6, "2026-12-01T10:30:00Z") == ("no_op", 5)
    assert run(1, 3, "2026-12-01T10:40:00Z") == ("scale", 3)
    paid = rows(folder, "store.sqlite", "select nodes from usage where end_at is null")
    assert paid == [(3,)]


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_size_of_others_is_shown_planned_held_and_moved(
    folder: Path, multicloud: Multicloud
) -> None:
    write_policy(folder, POOL)
    ask = ["-p", "p.yaml", "--at"]
    assert multicloud("rebalance", *ask, DAY).code == 0
    assert multicloud("sandbox", "scale", "serving", "3", "--at", DAY).code == 0
    plan = multicloud("plan", *ask, LATER)
    assert "3 aws/us-east-1" in plan.out
    assert "1-4 x p4" in plan.out
    assert "1-4 nodes (now 3)" in plan.out
    assert "No changes." in plan.out
    status = multicloud("status", *ask, LATER)
    assert "1-4 (now 3)" in status.out
    told = multicloud("status", *ask, LATER, "--json").json["pools"][0]
    assert (told["wanted_min"], told["wanted"]) == (1, 4)
    assert told["running"] + told["pending"] == 3
    assert told["usd_per_hour"] * 4 == pytest.approx(
        told["decision"]["usd_per_hour_after"] * 3, abs=0.01
    )

    # What somebody else lets run meanwhile is no reason against a run that was planned.
    write_policy(folder, POOL.replace("max: 4", "max: 6"))
    run = multicloud("plan", *ask, LATER, "--json").json
    before, after = (run["decisions"][0][key][0] for key in ("before", "after"))
    assert (before["min_nodes"], before["nodes"], before["nodes_now"]) == (1, 4, 3)
    assert (after["min_nodes"], after["nodes"]) == (1, 6)
    assert multicloud("sandbox", "scale", "serving", "2", "--at", LATER).code == 0
    applied = multicloud("apply", run["run"])
    assert applied.code == 0, applied.out + applied.err
    assert len(nodes(folder)) == 2
    # Unless it is beyond the bounds.
    write_policy(folder, POOL.replace("max: 4", "max: 8"))
    run = multicloud("plan", *ask, LATER, "--json").json["run"]
    assert multicloud("sandbox", "scale", "serving", "7", "--at", LATER).code == 0
    assert multicloud("apply", run).code == 4
    assert multicloud("sandbox", "scale", "serving", "2", "--at", LATER).code == 0

    # Held, it keeps its bounds, whatever the policy says; the size is still another's.
    held = multicloud("hold", "serving", "--for", "2h", *ask, LATER)
    assert "1-6 (now 2) x p4d.24xlarge" in held.out
    write_policy(folder, POOL.replace("min: 1, max: 4", "min: 1, max: 1"))
    assert multicloud("rebalance", *ask, LATER).code == 0
    assert multicloud("sandbox", "scale", "serving", "6", "--at", LATER).code == 0
    assert multicloud("rebalance", *ask, LATER).code == 0
    assert len(nodes(folder)) == 6
    assert multicloud("release", "serving", *ask, LATER).code == 0

    # Elsewhere it begins with its least: nobody scales a group that nothing is asked of yet.
    write_policy(
        folder, POOL.replace("aws/us-east-1", "gcp/us-central1").replace("min: 1", "min: 2")
    )
    moved = multicloud("rebalance", *ask, "2026-12-01T13:30:00Z", "--json")
    assert moved.code == 0, moved.out + moved.err
    assert moved.json["outcomes"][0]["decision"]["action"] == "move"
    assert nodes(folder) == [("serving", "gcp")] * 2
    gone = multicloud("destroy", "serving", "--yes", *ask, "2026-12-01T14:00:00Z")
    assert gone.code == 0, gone.out + gone.err
    assert nodes(folder) == []
    assert rows(folder, "store.sqlite", "select count(*) from usage where end_at is null") == [(0,)]


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_size_that_cannot_be_left_to_others_is_left_by_the_next_run(
    folder: Path, multicloud: Multicloud, tmp_path: Path
) -> None:
    write_policy(folder, POOL)
    body = (
        f"count = {str(tmp_path / 'count')!r}\n"
        "if args[0] == 'apply':\n"
        "    open(count, 'a').write('x')\n"
        "    if open(count).read() == 'xx': sys.exit(1)\n"
    )
    ask = ["rebalance", "-p", "p.yaml", "--json"]
    said = multicloud(*ask, "--at", DAY, "--engine", wrapped_engine(tmp_path, body))
    assert said.code == 1, said.out
    assert len(nodes(folder)) == 1  # the nodes stay: only their number is still ours
    assert multicloud("sandbox", "scale", "serving", "3", "--at", DAY).code == 0
    said = multicloud(*ask, "--at", LATER)
    assert said.code == 0, said.out + said.err
    assert len(nodes(folder)) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{mode: external, min: 5, max: 4}", "more than max"),
        ("{mode: external, max: 0}", "no room for a node"),
        ("{min: 1}", "goes with mode: external"),
        ("{mode: magic}", "unknown"),
        ("{mode: external, min: 2}", "more than max (1)"),
    ],
)
def test_bounds_that_cannot_be(text: str, words: str) -> None:
    head = "version: 1\nname: test\npools:\n  p:\n    need: A100:8\n    place: {in: aws}\n"
    found = faults(f"{head}    autoscaler: {text}\n")
    assert len(found) == 1
    assert words in found[0]


def test_nodes_must_be_of_a_known_size() -> None:
    head = "version: 1\nname: test\npools:\n  p:\n    need: 8 x A100\n    place: {in: aws}\n"
    (found,) = faults(f"{head}    autoscaler: {{mode: external, max: 4}}\n")
    assert "does not say how large" in found


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ("need: {gpu: A100, gpus: 8, per_node: 4, spread: zones}", "makes several"),
        ("need: {gpu: A100, gpus: 8, per_node: 4, min_gpus: 4}", "min_gpus has no meaning"),
    ],
)
def test_one_group_has_one_number(pool: str, words: str) -> None:
    head = "version: 1\nname: test\npools:\n  p:\n    place: {in: aws}\n"
    (found,) = faults(f"{head}    autoscaler: {{mode: external}}\n    {pool}\n")
    assert words in found


@pytest.mark.parametrize(
    ("need", "bounds", "words"),
    [
        ("8 x A100", "max: 4", "rules[0].need: an autoscaler counts nodes"),
        ("4 x A100:8", "max: 4", "several"),
        ("4 x A100:8", "min: 3", "more than max (2)"),
        ("4 x A100:8", "min: 2", ""),
        ("2 x H100:8", "max: 4", ""),
        ("0 x A100:8", "max: 4", ""),
    ],
)
def test_needs_of_rules_have_bounds_too(need: str, bounds: str, words: str) -> None:
    text = f"""version: 1
name: test
timezone: UTC
pools:
  p:
    need: 2 x A100:8
    autoscaler: {{mode: external, {bounds}}}
    rules: [{{when: 08:00-20:00, need: {need}, place: {{in: aws}}}}]
    otherwise: {{in: aws}}
"""
    found = faults(text)
    assert len(found) == bool(words)
    assert words in "".join(found)
