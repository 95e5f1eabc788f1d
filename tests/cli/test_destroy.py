"""Taking pools down: all of it, only what was asked, and never "gone" without a look."""

from __future__ import annotations

import io
import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import DAY, DAYNIGHT, write_policy
from tests.cli.prepared import busy, record_stack
from tests.cli.test_apply import journal, nodes, rows, wrapped_engine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

needs_engine = [
    pytest.mark.engine,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]
OVERRIDES = "select pool, kind from overrides order by pool"
AT = "2026-12-01T12:00:00Z"
LATER = "2026-12-01T12:10:00Z"
TWO = (
    "  one: {need: T4, place: {in: aws/us-east-1}}\n  two: {need: T4, place: {in: aws/us-east-1}}\n"
)


def up(multicloud: Multicloud, folder: Path, pools: str = TWO) -> list[str]:
    """Bring the pools up; the arguments that name their policy and a later instant."""
    policy = ["-p", str(write_policy(folder, pools))]
    said = multicloud("rebalance", *policy, "--at", AT)
    assert said.code == 0, said.out + said.err
    return [*policy, "--at", LATER]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([""], '0 pools matched ""'),
        ([], "no pool named"),
        (["three*"], '0 pools matched "three*"'),
        (["one", ""], '0 pools matched ""'),
        (["*"], '"*" matches every pool. If that is meant: --all'),
        (["one", "**?"], "matches every pool"),
        (["one", "--all"], "exclude each other"),
    ],
    ids=[
        "B165-empty",
        "B165-none",
        "B161-glob",
        "B165-one-empty",
        "B165-star",
        "B165-only-wildcards",
        "B165-both",
    ],
)
def test_b165_a_wrong_or_empty_target_is_invalid(
    multicloud: Multicloud, folder: Path, arguments: list[str], words: str
) -> None:
    policy = ["-p", str(write_policy(folder, TWO))]
    said = multicloud("destroy", *arguments, *policy, "--yes")
    assert said.code == 3
    assert words in said.err


@pytest.mark.parametrize("names", [["one"], ["--all"]], ids=["B133-one", "B133-all"])
def test_b133_nothing_recorded_is_nothing_to_do(
    multicloud: Multicloud, folder: Path, names: list[str]
) -> None:
    policy = ["-p", str(write_policy(folder, TWO))]
    said = multicloud("destroy", *names, *policy)
    assert (said.code, said.out) == (0, "nothing to do: no stack is recorded\n")
    assert not (folder / ".multicloud").exists()
    assert multicloud("destroy", *names, *policy, "--json").json["outcomes"] == []


def test_b165_all_of_nothing_at_all_is_nothing_to_do(multicloud: Multicloud) -> None:
    assert multicloud("destroy", "--all", "--yes").code == 0
    assert multicloud("destroy", "one", "--yes").code == 3


def test_b165_no_in_the_terminal_changes_nothing(
    multicloud: Multicloud, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_stack(folder, "one")
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    said = multicloud("destroy", "--all", "-p", str(write_policy(folder, TWO)), "--at", AT)
    assert said.code == 4
    assert "To destroy: 1 stack of 1 pool (one)" in said.err
    assert "not approved" in said.err
    assert rows(folder, "store.sqlite", OVERRIDES) == []


def test_b140_a_busy_policy_is_not_destroyed(multicloud: Multicloud, folder: Path) -> None:
    record_stack(folder, "one")
    policy = ["-p", str(write_policy(folder, TWO))]
    with busy(folder):
        said = multicloud("destroy", "one", *policy, "--at", AT, "--yes")
    assert said.code == 4
    assert "is busy, run r9" in said.err
    assert rows(folder, "store.sqlite", OVERRIDES) == []


def test_without_an_engine_nothing_is_overridden(multicloud: Multicloud, folder: Path) -> None:
    record_stack(folder, "one")
    policy = ["-p", str(write_policy(folder, TWO)), "--at", AT]
    assert multicloud("hold", "one", "on", "--for", "3h", *policy).code == 0
    said = multicloud("destroy", "--all", *policy, "--yes", "--engine", "/bin/false")
    assert said.code == 1
    assert rows(folder, "store.sqlite", OVERRIDES) == [("one", "on")]
    ended = rows(folder, "store.sqlite", "select kind, status, exit_code from runs")
    assert ended == [("destroy", "failed", 1)]


class Terminal(io.StringIO):
    """An answer typed by a person."""

    def isatty(self) -> bool:
        return True


class TestWithEngine:
    pytestmark = needs_engine

    def test_b165_the_list_comes_first_and_all_needs_yes(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        said = multicloud("destroy", "--all", *rest)
        assert said.code == 4
        assert "To destroy: 2 stacks of 2 pools (one, two)" in said.err
        assert len(nodes(folder)) == 2

    def test_one_pool_goes_and_stays_away_until_it_is_released(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        said = multicloud("destroy", "one", *rest, "--yes")
        assert said.code == 0, said.err
        assert "one stays off until: multicloud release one" in said.err
        assert nodes(folder) == [("two", "aws")]
        cron = multicloud("rebalance", *rest)
        assert cron.code == 0, cron.out + cron.err
        assert nodes(folder) == [("two", "aws")]
        assert multicloud("release", "one", *rest).code == 0
        assert multicloud("rebalance", *rest).code == 0
        assert nodes(folder) == [("one", "aws"), ("two", "aws")]

    def test_b133_all_goes_and_again_is_nothing_to_do(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        assert multicloud("destroy", "--all", "--yes", *rest).code == 0
        assert rows(folder, "sandbox.sqlite", "select * from resource") == []
        for state in (folder / ".multicloud" / "state").rglob("*.tfstate"):
            assert json.loads(state.read_text())["resources"] == []
        said = multicloud("destroy", "--all", "--yes", *rest)
        assert said.code == 0
        assert "nothing to do" in said.out

    def test_b133_a_half_done_destroy_is_finished_by_the_next(
        self, multicloud: Multicloud, folder: Path, tmp_path: Path
    ) -> None:
        rest = up(multicloud, folder)
        _fail(folder, "aws_vpc", "delete", "DependencyViolation: has dependencies")
        first = multicloud("destroy", "one", *rest, "--yes", "--json")
        assert first.code == 1
        assert first.json["outcomes"][0]["ending"] == "failed"
        assert multicloud("sandbox", "status", *rest[2:]).code == 0
        assert nodes(folder) == [("two", "aws")]  # its nodes went, its network did not
        second = multicloud("destroy", "one", *rest, "--yes")
        assert second.code == 0, second.out + second.err
        third = multicloud("destroy", "one", *rest, "--yes")
        assert (third.code, "nothing to do" in third.out) == (0, True)
        paid = rows(folder, "store.sqlite", "select pool from usage where end_at is null")
        assert paid == [("two",)]

    def test_b81_the_next_run_of_cron_finishes_a_failed_destroy(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        _fail(folder, "aws_vpc", "delete", "DependencyViolation: has dependencies")
        assert multicloud("destroy", "one", *rest, "--yes").code == 1
        assert multicloud("status", *rest, "--json").json["pools"][0]["health"] == "unfinished"
        cron = multicloud("rebalance", *rest)
        assert cron.code == 0, cron.out + cron.err
        assert rows(folder, "store.sqlite", "select pool from stacks") == [("two",)]
        assert nodes(folder) == [("two", "aws")]

    def test_an_empty_stack_goes_too(self, multicloud: Multicloud, folder: Path) -> None:
        rest = up(multicloud, folder)
        assert multicloud("hold", "one", "off", "--for", "3h", *rest).code == 0
        assert multicloud("rebalance", *rest).code == 0
        left = rows(folder, "store.sqlite", "select status from stacks where pool = 'one'")
        assert left == [("empty",)]
        assert multicloud("destroy", "one", *rest, "--yes").code == 0
        assert rows(folder, "store.sqlite", "select pool from stacks") == [("two",)]
        assert rows(folder, "store.sqlite", OVERRIDES) == [("one", "off")]

    def test_pools_that_only_the_store_knows_go_without_their_policy(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        up(multicloud, folder)
        (folder / "p.yaml").unlink()
        said = multicloud("destroy", "one", "--yes", "--at", LATER)
        assert said.code == 0, said.out + said.err
        assert nodes(folder) == [("two", "aws")]
        # No file is at hand, so the pool may well stand in one: cron must not bring it back.
        assert rows(folder, "store.sqlite", OVERRIDES) == [("one", "off")]

    def test_other_policies_have_no_part_in_it(self, multicloud: Multicloud, folder: Path) -> None:
        rest = up(multicloud, folder)
        other = folder / "q.yaml"
        pools = TWO.replace("one", "three").replace("two", "four")
        other.write_text(f"version: 1\nname: q\ntimezone: UTC\npools:\n{pools}")
        both = [*rest, "-p", str(other)]
        assert multicloud("rebalance", *both).code == 0
        assert multicloud("destroy", "one", *both, "--yes").code == 0
        runs = rows(folder, "store.sqlite", "select policy, status from runs where kind='destroy'")
        assert runs == [("p", "done")]

    def test_b81_destroyed_is_said_only_after_a_look(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        _fail(folder, "aws_autoscaling_group", "delete", "InternalFailure: 500")
        said = multicloud("destroy", "one", *rest, "--yes", "--json")
        assert said.code == 1
        assert said.json["outcomes"][0]["ending"] == "failed"
        status = "select status from stacks where pool = 'one'"
        assert rows(folder, "store.sqlite", status) == [("unknown",)]
        assert ("one", "aws") in nodes(folder)
        again = multicloud("destroy", "one", *rest, "--yes")
        assert again.code == 0, again.out + again.err
        assert nodes(folder) == [("two", "aws")]
        assert rows(folder, "store.sqlite", status) == []

    def test_b131_the_pool_goes_before_its_network_by_every_path(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        assert multicloud("destroy", "one", *rest, "--yes").code == 0
        calls = rows(folder, "sandbox.sqlite", "select type from call where operation = 'delete'")
        types = [type_ for (type_,) in calls]
        assert types.index("aws_autoscaling_group") < types.index("aws_subnet")
        assert types.index("aws_subnet") < types.index("aws_vpc")

    def test_b125_no_force_and_no_lock_switch_is_ever_passed(
        self, multicloud: Multicloud, folder: Path, tmp_path: Path
    ) -> None:
        rest = up(multicloud, folder)
        log = tmp_path / "argv"
        engine = wrapped_engine(
            tmp_path, f"open({str(log)!r}, 'a').write(' '.join(args) + chr(10))"
        )
        said = multicloud("destroy", "one", *rest, "--yes", "--engine", engine)
        assert said.code == 0, said.out + said.err
        argv = log.read_text()
        assert "-destroy" in argv
        assert "-input=false" in argv
        assert "-force" not in argv
        assert "-lock=false" not in argv

    def test_a_pool_that_left_its_policy_is_taken_down_by_cron(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        write_policy(folder, TWO.splitlines()[0] + "\n")
        said = multicloud("rebalance", *rest, "--json")
        assert said.code == 0, said.out + said.err
        gone = next(o for o in said.json["outcomes"] if o["decision"]["pool"] == "two")
        assert gone["decision"]["cause"] == "policy"
        assert nodes(folder) == [("one", "aws")]
        assert ("destroy", "aws", "done") in journal(folder)

    def test_b135_a_state_of_another_pool_is_not_destroyed(
        self, multicloud: Multicloud, folder: Path
    ) -> None:
        rest = up(multicloud, folder)
        one, two = sorted((folder / ".multicloud" / "state").rglob("*.tfstate"))
        shutil.copy(two, one)
        said = multicloud("destroy", "one", *rest, "--yes")
        assert said.code == 4
        assert "belongs to p/two/" in said.out
        assert len(nodes(folder)) == 2
        assert rows(folder, "store.sqlite", OVERRIDES) == []
        assert "stays off" not in said.err

    def test_b119_a_held_state_lock_is_told_and_never_forced(
        self, multicloud: Multicloud, folder: Path, tmp_path: Path
    ) -> None:
        body = (
            "if 'plan' in args:\n"
            "    sys.stderr.write('Error: Error acquiring the state lock\\n\\nLock Info:\\n"
            "  ID:        L1\\n  Path:      x\\n  Operation: OperationTypeApply\\n"
            "  Who:       ci@runner7\\n  Version:   1.11.4\\n"
            "  Created:   2026-12-01 04:12:00 +0000 UTC\\n'); sys.exit(1)"
        )
        engine = wrapped_engine(tmp_path, body)
        said = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY, "--engine", engine)
        assert said.code in (1, 4)
        assert "ci@runner7" in said.out
        assert "L1" in said.out


def _fail(folder: Path, type_: str, operation: str, message: str) -> None:
    """Let the next such call of the simulated cloud be refused."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / ".multicloud" / "sandbox.sqlite")) as db, db:
        db.execute(
            "insert into fault(type, operation, matching, message, times, provider, region)"
            " values(?, ?, '{}', ?, 1, '', '')",
            (type_, operation, message),
        )
