"""Pools whose size somebody else decides: we keep the bounds, and take nothing back."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from multicloud.catalog.clouds import CLOUDS
from tests.builders import faults
from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes, rows

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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{mode: external, min: 5, max: 4}", "more than max"),
        ("{mode: external, max: 0}", "no room for a node"),
        ("{min: 1}", "goes with mode: external"),
        ("{mode: magic}", "unknown"),
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
