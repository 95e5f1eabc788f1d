"""A pool under a new name keeps what it has."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from multicloud.errors import InvalidInputsError
from multicloud.policy.compile import Source, compile_policies
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


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_plan_of_a_renamed_pool_is_applied_and_its_next_place_is_named_anew(
    folder: Path, multicloud: Multicloud
) -> None:
    _write(folder, "old")
    assert multicloud("rebalance", "-p", "p.yaml", "--at", AT).code == 0
    _write(folder, "new", count=2, was="old")
    assert "new (was old)/aws/us-east-1" in multicloud("plan", "-p", "p.yaml", "--at", LATER).out
    planned = multicloud("plan", "-p", "p.yaml", "--at", LATER, "--json").json
    assert [(s["pool"], s["was"]) for s in planned["stacks"]] == [("new", "old")]
    assert planned["decisions"][0]["cause"] == "policy"
    applied = multicloud("apply", planned["run"])
    assert applied.code == 0, applied.out + applied.err
    assert nodes(folder) == [("old", "aws")] * 2

    path = folder / "p.yaml"
    path.write_text(path.read_text().replace("aws/us-east-1", "gcp/us-central1"))
    moved = multicloud("rebalance", "-p", "p.yaml", "--at", "2026-12-01T13:30:00Z")
    assert moved.code == 0, moved.out + moved.err
    assert nodes(folder) == [("new", "gcp")] * 2
    assert rows(folder, "store.sqlite", "select pool, key like '%/new/%' from stacks") == [
        ("new", 1)
    ]
    # Nothing is left of the old name, so that the key has no effect.
    again = multicloud("plan", "-p", "p.yaml", "--at", "2026-12-01T13:40:00Z", "--json").json
    assert (again["changes"], again["stacks"][0]["was"]) == (False, None)


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_name_that_was_remembered_too_late_leaves_nothing_running_twice(
    folder: Path, multicloud: Multicloud
) -> None:
    """The renamed pool came up anew beside the old one, which a guard kept: then `was` is said."""
    _write(folder, "old")
    assert multicloud("rebalance", "-p", "p.yaml", "--at", AT).code == 0
    _write(folder, "new")
    path = folder / "p.yaml"
    path.write_text(path.read_text().replace("pools:", "limits: {destroyed_nodes: 0}\npools:"))
    planned = multicloud("plan", "-p", "p.yaml", "--at", LATER)
    assert "say so in it: was: old" in " ".join(planned.out.split())
    assert multicloud("rebalance", "-p", "p.yaml", "--at", LATER).code == 5
    assert nodes(folder) == [("new", "aws"), ("old", "aws")]
    _write(folder, "new", was="old")
    said = multicloud("rebalance", "-p", "p.yaml", "--at", THEN)
    assert said.code == 0, said.out + said.err
    assert nodes(folder) == [("new", "aws")]
    assert rows(folder, "store.sqlite", "select pool from usage where end_at is null") == [("new",)]


@pytest.mark.parametrize(
    ("pools", "words"),
    [
        ((("a", "a"),), "present name"),
        ((("a", "b"), ("b", "")), "pool of its own"),
        ((("a", "c"), ("b", "c")), 'given by "a" too'),
        ((("a", "c"), ("b", "C")), 'given by "a" too'),
        ((("a", "B"), ("b", "")), "pool of its own"),
        ((("b", "a"), ("c", "b")), "pool of its own"),  # one step at a time
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


@pytest.mark.parametrize(
    ("other", "found"),
    [("old", 1), ("OLD", 1), ("older", 0)],
)
def test_a_pool_of_another_policy_has_its_name(other: str, found: int) -> None:
    head = "version: 1\nname: {}\npools:\n"
    sources = [
        Source("a.yaml", head.format("a") + POOL.format(name="new", count=1, was="    was: old\n")),
        Source("b.yaml", head.format("b") + POOL.format(name=other, count=1, was="")),
    ]
    if found:
        with pytest.raises(InvalidInputsError) as caught:
            compile_policies(sources)
        (fault,) = caught.value.errors
        assert str(fault).startswith("a.yaml:")
        assert "stands at b.yaml:" in str(fault)
    else:
        assert len(compile_policies(sources)) == 2


def test_a_name_may_change_its_case() -> None:
    text = POOL.format(name="Training", count=1, was="    was: training\n")
    assert faults(f"version: 1\nname: test\npools:\n{text}") == []


def test_two_bad_names_are_two_faults() -> None:
    text = "".join(POOL.format(name=name, count=1, was="    was: no name\n") for name in "ab")
    found = faults(f"version: 1\nname: test\npools:\n{text}")
    assert len(found) == 2
    assert all("cannot name a pool" in fault for fault in found)
