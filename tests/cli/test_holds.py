"""`hold` and `release`: an override for a while, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.models.run import StepKind
from tests.cli.conftest import write_policy
from tests.cli.prepared import NOON, a_store, busy, record_run, record_stack
from tests.cli.test_apply import rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

AT = "2026-12-01T12:00:00Z"
TWO = (
    "  one: {need: T4, place: {in: aws/us-east-1}}\n"
    "  two:\n    need: T4\n    rules: [{when: 20:00-22:00, place: {in: aws/us-east-1}}]\n"
    "    otherwise: off\n"
)
OVERRIDES = "select policy, pool, kind, until from overrides order by pool"


def asked(folder: Path) -> list[str]:
    return ["-p", str(write_policy(folder, TWO)), "--at", AT]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["one"], "hold", "the next run leaves it as it is, with nothing"),
        (["one", "off"], "off", "the next run leaves it as it is, with nothing"),
        (["two", "on"], "on", "the next run makes it 1 x g4dn.xlarge"),
    ],
)
def test_a_hold_is_written_and_says_what_comes_next(
    multicloud: Multicloud, folder: Path, arguments: list[str], kind: str, words: str
) -> None:
    said = multicloud("hold", *arguments, "--for", "3h", *asked(folder))
    assert said.code == 0, said.err
    assert "until 2026-12-01 15:00Z" in said.out
    assert words in said.out
    assert said.out.endswith(f"Next: multicloud rebalance -p {folder / 'p.yaml'} --at {AT}\n")
    ((_, pool, written, until),) = rows(folder, "store.sqlite", OVERRIDES)
    assert (pool, written) == (arguments[0], kind)
    assert until.startswith("2026-12-01 15:00")


def test_a_glob_holds_each_pool_it_matches(multicloud: Multicloud, folder: Path) -> None:
    said = multicloud("hold", "*", "off", "--for", "1h30m", *asked(folder), "--json")
    assert said.code == 0
    held = said.json["overrides"]
    assert [(one["pool"], one["override"], one["until"]) for one in held] == [
        ("one", "off", "2026-12-01T13:30:00Z"),
        ("two", "off", "2026-12-01T13:30:00Z"),
    ]
    assert [one["next"]["action"] for one in held] == ["hold", "no_op"]


@pytest.mark.parametrize("span", ["0h", "0m", "-1h", "3", "1y", ""])
def test_a_hold_lasts_for_some_time(multicloud: Multicloud, folder: Path, span: str) -> None:
    said = multicloud("hold", "one", f"--for={span}", *asked(folder))
    assert said.code == 3
    assert "--for" in said.err
    assert not (folder / ".multicloud").exists()


def test_release_takes_back_only_what_is_there(multicloud: Multicloud, folder: Path) -> None:
    rest = asked(folder)
    assert multicloud("hold", "one", "--for", "3h", *rest).code == 0
    said = multicloud("release", "--all", *rest)
    assert said.code == 0
    assert said.out.startswith("p/one follows its rules again; the next run makes it 1 x")
    assert "two" not in said.out
    assert rows(folder, "store.sqlite", OVERRIDES) == []
    again = multicloud("release", "--all", *rest)
    assert (again.code, again.out) == (0, "nothing to release\n")


def test_release_without_a_store_makes_none(multicloud: Multicloud, folder: Path) -> None:
    said = multicloud("release", "--all", *asked(folder))
    assert (said.code, said.out) == (0, "nothing to release\n")
    assert not (folder / ".multicloud").exists()


@pytest.mark.parametrize("verb", [["hold", "one", "--for", "3h"], ["release", "one"]])
def test_b140_a_busy_policy_is_not_overridden(
    multicloud: Multicloud, folder: Path, verb: list[str]
) -> None:
    rest = asked(folder)
    assert multicloud("hold", "one", "--for", "2h", *rest).code == 0
    before = rows(folder, "store.sqlite", OVERRIDES)
    with busy(folder):
        said = multicloud(*verb, *rest)
    assert said.code == 4
    assert "run r9 since 2026-12-01T12:00:00Z by cron@host" in said.err
    assert rows(folder, "store.sqlite", OVERRIDES) == before


def test_a_hold_leaves_a_killed_runs_steps_to_the_next_run(
    multicloud: Multicloud, folder: Path
) -> None:
    stack = record_stack(folder, "one")
    record_run(folder)
    with a_store(folder) as store:
        store.begin_step("r1", stack.key, StepKind.APPLY_UP, {}, at=NOON)
    assert multicloud("hold", "one", "--for", "3h", *asked(folder)).code == 0
    with a_store(folder) as store:
        assert [step.outcome for step in store.open_steps("p")] == [None]


def test_pools_without_a_file_can_be_held(multicloud: Multicloud, folder: Path) -> None:
    record_stack(folder, "gone", policy="q")
    said = multicloud("hold", "gone", "off", "--for", "3h", "--at", AT, "--json")
    assert said.code == 0, said.err
    (held,) = said.json["overrides"]
    assert (held["policy"], held["pool"], held["next"]) == ("q", "gone", None)


@pytest.mark.parametrize(
    "verb",
    [
        ["hold", "one", "--for", "3h"],
        ["release", "one"],
        ["destroy", "one", "--yes"],
        ["rebalance"],
    ],
)
def test_live_records_are_not_dated_by_hand(
    multicloud: Multicloud, folder: Path, verb: list[str]
) -> None:
    said = multicloud(*verb, "--target", "live", *asked(folder))
    assert said.code == 4
    assert "Leave --at out" in said.err
    assert not (folder / ".multicloud").exists()
