"""A pool under a new name keeps what it has."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.builders import faults
from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

POOL = "  {name}:\n    need: {count} x A100:8\n{was}    place: {{in: aws/us-east-1}}\n"
AT, LATER, THEN = "2026-12-01T10:00:00Z", "2026-12-01T11:00:00Z", "2026-12-01T12:00:00Z"


def _write(folder: Path, name: str, count: int = 1, was: str = "") -> None:
    text = POOL.format(name=name, count=count, was=f"    was: {was}\n" if was else "")
    write_policy(folder, text)


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_renamed_pool_keeps_its_nodes(folder: Path, multicloud: Multicloud) -> None:
    _write(folder, "old")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", AT)
    assert said.code == 0, said.out + said.err
    (first,) = nodes(folder)
    _write(folder, "new", was="old")
    said = multicloud("plan", "-p", "p.yaml", "--at", LATER)
    assert said.code == 0, said.out + said.err
    assert "No changes" in said.out
    status = multicloud("status", "-p", "p.yaml", "--at", LATER, "--json")
    assert (status.code, status.json["strangers"]) == (0, [])
    assert [(p["pool"], p["health"]) for p in status.json["pools"]] == [("new", "ok")]
    _write(folder, "new", count=2, was="old")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", LATER)
    assert said.code == 0, said.out + said.err
    grown = nodes(folder)
    assert len(grown) == 2
    assert first in grown
    assert rows(folder, "store.sqlite", "select pool, key like '%/old/%' from stacks") == [
        ("new", 1)
    ]
    assert rows(folder, "store.sqlite", "select distinct pool from usage") == [("new",)]
    found = multicloud("nodes", "new", "-p", "p.yaml", "--at", THEN, "--json")
    assert [node["pool"] for node in found.json["nodes"]] == ["new", "new"]
    _write(folder, "new", count=1)
    said = multicloud("rebalance", "-p", "p.yaml", "--at", THEN)
    assert said.code == 0, said.out + said.err
    assert len(nodes(folder)) == 1
    gone = multicloud("destroy", "new", "-p", "p.yaml", "--yes", "--at", THEN)
    assert gone.code == 0, gone.out + gone.err
    assert nodes(folder) == []


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_name_is_not_given_away_where_its_stack_stands(
    folder: Path, multicloud: Multicloud
) -> None:
    _write(folder, "old")
    assert multicloud("rebalance", "-p", "p.yaml", "--at", AT).code == 0
    _write(folder, "new", count=2, was="old")
    assert multicloud("rebalance", "-p", "p.yaml", "--at", AT).code == 0
    write_policy(folder, "".join(POOL.format(name=n, count=2, was="") for n in ("new", "old")))
    said = multicloud("rebalance", "-p", "p.yaml", "--at", LATER)
    assert said.code == 3, said.out
    assert 'stands there as the pool "new"' in said.err
    assert len(nodes(folder)) == 2


def test_an_override_goes_with_the_name(folder: Path, multicloud: Multicloud) -> None:
    _write(folder, "old")
    assert multicloud("hold", "old", "--for", "8h", "-p", "p.yaml", "--at", AT).code == 0
    _write(folder, "new", was="old")
    status = multicloud("status", "-p", "p.yaml", "--at", AT, "--json")
    assert status.json["pools"][0]["override"] is not None
    freed = multicloud("release", "new", "-p", "p.yaml", "--at", AT)
    assert freed.code == 0, freed.err
    status = multicloud("status", "-p", "p.yaml", "--at", AT, "--json")
    assert status.json["pools"][0]["override"] is None


@pytest.mark.parametrize(
    ("pools", "words"),
    [
        ((("a", "a"),), "present name"),
        ((("a", "b"), ("b", "")), "pool of its own"),
        ((("a", "c"), ("b", "c")), 'given by "a" too'),
    ],
)
def test_names_that_cannot_have_been(pools: tuple[tuple[str, str], ...], words: str) -> None:
    head = "version: 1\nname: test\npools:\n"
    body = "".join(
        POOL.format(name=name, count=1, was=f"    was: {was}\n" if was else "")
        for name, was in pools
    )
    (found,) = faults(head + body)
    assert words in found
