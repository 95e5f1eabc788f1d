"""Applying, moving and running out of luck in the sandbox, with the real engine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from tests.cli.conftest import DAY, DAYNIGHT, NIGHT, ROOT, write_policy

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]

MOVER = """\
  roamer:
    need: 2 x T4:1
    rules:
      - {name: day, when: 08:00-20:00, place: {in: aws/us-east-1}}
    otherwise: {in: tencent/ap-guangzhou}
"""
MOVER_HEAD = "timezone: UTC\nfx: {CNY: 7.2}\n"
BY_DAY, BY_NIGHT = "2026-12-01T12:00:00Z", "2026-12-01T22:00:00Z"


def rows(folder: Path, file: str, query: str) -> list[Any]:
    """Rows of one of the project's databases."""
    with closing(sqlite3.connect(folder / ".multicloud" / file)) as db:
        return db.execute(query).fetchall()


def nodes(folder: Path) -> list[tuple[str, str]]:
    """(pool, cloud) of every node that the simulated clouds run."""
    return sorted(rows(folder, "sandbox.sqlite", "select pool, cloud from node"))


def journal(folder: Path) -> list[tuple[str, str, str]]:
    """(kind, cloud, outcome) of every step, in the order in which they were begun."""
    query = "select kind, stack, outcome from journal order by id"
    return [
        (kind, stack.rsplit("/", 1)[1].split("-", 1)[0], outcome)
        for kind, stack, outcome in rows(folder, "store.sqlite", query)
    ]


def a_mover(folder: Path) -> str:
    return str(write_policy(folder, MOVER, head=MOVER_HEAD))


def wrapped_engine(folder: Path, body: str) -> str:
    """The real engine behind a script that does `body` first; `real()` runs it."""
    script = folder / "terraform"
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, signal, subprocess, sys, time\n"
        "args = sys.argv[1:]\n"
        f"def real(): return subprocess.run([{shutil.which('terraform')!r}, *args]).returncode\n"
        f"{body}\n"
        "sys.exit(real())\n"
    )
    script.chmod(0o755)
    return str(script)


def test_the_tour_by_day_then_by_night(multicloud: Multicloud, folder: Path) -> None:
    policy = ["-p", str(DAYNIGHT)]
    planned = multicloud("plan", *policy, "--at", DAY, "--json").json
    applied = multicloud("apply", planned["run"], "--json")
    assert applied.code == 0, applied.out + applied.err
    assert [o["ending"] for o in applied.json["outcomes"]] == ["done", "nothing to do"]
    assert nodes(folder) == [("training", "aws")] * 2

    again = multicloud("plan", *policy, "--at", "2026-12-01T10:20:00+08:00", "--json")
    assert again.json["changes"] is False
    assert [stack["skipped"] for stack in again.json["stacks"]] == [True]
    assert again.json["engine"] is None

    night = multicloud("rebalance", *policy, "--at", NIGHT)
    assert night.code == 0, night.out + night.err
    assert nodes(folder) == [("inference", "tencent")] * 4

    day = multicloud("rebalance", *policy, "--at", "2026-12-02T10:00:00+08:00")
    assert day.code == 0, day.out + day.err
    assert nodes(folder) == [("training", "aws")] * 2


def test_a_second_run_that_changes_nothing_starts_no_engine(
    multicloud: Multicloud, folder: Path, tmp_path: Path
) -> None:
    ask = ["rebalance", "-p", str(DAYNIGHT)]
    assert multicloud(*ask, "--at", DAY).code == 0
    broken = wrapped_engine(tmp_path, "sys.exit(77)")
    said = multicloud(*ask, "--at", "2026-12-01T10:20:00+08:00", "--engine", broken)
    assert said.code == 0, said.out + said.err
    assert "nothing to do" in said.out


def test_a_move_brings_the_new_up_before_the_old_goes(multicloud: Multicloud, folder: Path) -> None:
    policy = a_mover(folder)
    assert multicloud("rebalance", "-p", policy, "--at", BY_DAY).code == 0
    moved = multicloud("rebalance", "-p", policy, "--at", BY_NIGHT, "--json")
    assert moved.code == 0, moved.out + moved.err
    assert moved.json["outcomes"][0]["decision"]["action"] == "move"
    assert nodes(folder) == [("roamer", "tencent")] * 2
    assert journal(folder)[2:] == [
        ("apply_up", "tencent", "done"),
        ("verify_up", "tencent", "done"),
        ("destroy", "aws", "done"),
        ("verify_down", "aws", "done"),
    ]
    # Nothing of the old place is left: neither in its state nor in its cloud.
    types = rows(folder, "sandbox.sqlite", "select provider from resource")
    assert {provider for (provider,) in types} == {"tencentcloudstack/tencentcloud"}


def test_a_place_without_capacity_gives_way_to_a_fallback(
    multicloud: Multicloud, folder: Path
) -> None:
    policy = write_policy(
        folder,
        "  a: {need: 2 x T4:1, place: {in: aws/us-east-1, capacity: [spot, on_demand]}}\n",
    )
    first = multicloud("plan", "-p", str(policy), "--at", BY_DAY, "--json").json
    chosen = first["decisions"][0]["after"][0]
    marked = multicloud(
        "sandbox", "unavailable", "aws", "us-east-1", "--type", chosen["instance_type"],
        "--capacity", chosen["capacity_type"], "--at", BY_DAY,
    )  # fmt: skip
    assert marked.code == 0, marked.err
    said = multicloud("rebalance", "-p", str(policy), "--at", BY_DAY, "--json")
    assert said.code == 0, said.out + said.err
    outcome = said.json["outcomes"][0]
    assert [a["failure"] for a in outcome["attempts"]] == ["capacity", None]
    assert outcome["after"][0] != chosen
    assert len(nodes(folder)) == 2
    groups = rows(
        folder, "sandbox.sqlite", "select id from resource where type = 'aws_autoscaling_group'"
    )
    assert len(groups) == 1  # the failed candidate was rolled back


def test_a_changed_run_folder_is_blocked(multicloud: Multicloud, folder: Path) -> None:
    run = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY, "--json").json["run"]
    saved = folder / ".multicloud" / "runs" / run / "saved.json"
    saved.write_text(saved.read_text().replace('"nodes":2', '"nodes":9'))
    said = multicloud("apply", run)
    assert said.code == 4
    assert "was changed since it was planned" in said.err
    assert not (folder / ".multicloud" / "store.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--at", "2026-12-01T12:00:00+08:00"], "was good until"),
        (["--pool", "inference"], "belongs to training"),
    ],
    ids=["too-late", "B123"],
)
def test_a_run_that_does_not_fit_is_blocked(
    multicloud: Multicloud, arguments: list[str], words: str
) -> None:
    ask = ["plan", "-p", str(DAYNIGHT), "--at", DAY, "--pool", "training", "--json"]
    run = multicloud(*ask).json["run"]
    said = multicloud("apply", run, *arguments)
    assert said.code == 4
    assert words in said.err


def test_a_policy_changed_since_blocks_its_run(multicloud: Multicloud, folder: Path) -> None:
    policy = folder / "p.yaml"
    policy.write_text(DAYNIGHT.read_text())
    run = multicloud("plan", "-p", "p.yaml", "--at", DAY, "--json").json["run"]
    policy.write_text(policy.read_text().replace("2.10/gpu-h", "2.20/gpu-h"))
    said = multicloud("apply", run)
    assert said.code == 4
    assert "p.yaml was changed since" in said.err


def test_a_stale_plan_is_blocked(multicloud: Multicloud) -> None:
    run = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY, "--json").json["run"]
    assert multicloud("apply", run).code == 0
    said = multicloud("apply", run)
    assert said.code == 4
    assert "was changed since run" in said.err


PRICES = """\
cloud,region,zone,instance_type,capacity_type,amount,unit,currency,observed_at,source
aws,us-east-1,,g5.xlarge,on_demand,{price},usd_per_hour,USD,2026-12-01T11:00:00Z,test
"""


@pytest.mark.parametrize(("price", "code"), [("14.70", 4), ("10.20", 0)])
def test_b158_a_price_beyond_tolerance_blocks(
    multicloud: Multicloud, folder: Path, price: str, code: int
) -> None:
    prices = folder / "prices.csv"
    prices.write_text(PRICES.format(price="9.80"))
    policy = write_policy(folder, "  a: {need: A10G, place: {in: aws}}\n")
    ask = ["plan", "-p", str(policy), "--at", BY_DAY, "--prices", "prices.csv", "--json"]
    run = multicloud(*ask).json["run"]
    prices.write_text(PRICES.format(price=price))
    said = multicloud("apply", run)
    assert said.code == code, said.out + said.err
    if code:
        assert "+50.0 %" in said.err


def test_nobody_to_ask_is_blocked(multicloud: Multicloud) -> None:
    said = multicloud("apply", "-p", str(DAYNIGHT), "--at", DAY)
    assert said.code == 4
    assert "--yes" in said.err


def test_b85_one_pools_failure_stops_no_other(
    multicloud: Multicloud, folder: Path, tmp_path: Path
) -> None:
    pools = "".join(f"  p{n}: {{need: T4, place: {{in: aws/us-east-1}}}}\n" for n in (1, 2, 3))
    policy = write_policy(folder, pools)
    engine = wrapped_engine(
        tmp_path, "if 'apply' in args and '/p2/' in os.getcwd():\n    sys.exit(1)"
    )
    ask = ["rebalance", "-p", str(policy), "--at", BY_DAY, "--engine", engine, "--json"]
    said = multicloud(*ask)
    assert said.code == 5, said.out + said.err
    endings = {o["decision"]["pool"]: o["ending"] for o in said.json["outcomes"]}
    assert endings == {"p1": "done", "p2": "failed", "p3": "done"}
    assert {pool for pool, _ in nodes(folder)} == {"p1", "p3"}
    healed = multicloud("rebalance", "-p", str(policy), "--at", "2026-12-01T12:05:00Z")
    assert healed.code == 0, healed.out + healed.err
    assert {pool for pool, _ in nodes(folder)} == {"p1", "p2", "p3"}


def test_b117_an_errored_state_blocks_its_stack_until_it_is_saved(
    multicloud: Multicloud, folder: Path, tmp_path: Path
) -> None:
    pools = "".join(f"  p{n}: {{need: T4, place: {{in: aws/us-east-1}}}}\n" for n in (1, 2))
    policy = write_policy(folder, pools)
    engine = wrapped_engine(
        tmp_path,
        "if 'apply' in args and '/p1/' in os.getcwd():\n"
        "    open('errored.tfstate', 'w').write('{}'); sys.exit(1)",
    )
    ask = ["rebalance", "-p", str(policy), "--json", "--at"]
    assert multicloud(*ask, BY_DAY, "--engine", engine).code == 5
    said = multicloud(*ask, "2026-12-01T12:05:00Z")
    endings = {o["decision"]["pool"]: (o["ending"], o["text"]) for o in said.json["outcomes"]}
    assert endings["p1"][0] == "blocked"
    assert "terraform state push errored.tfstate" in endings["p1"][1]
    assert endings["p2"][0] == "nothing to do"


def spawn(*arguments: str) -> subprocess.Popen[str]:
    """The command line as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "multicloud", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_b140_of_concurrent_runs_one_works(
    multicloud: Multicloud, folder: Path, tmp_path: Path, count: int
) -> None:
    run = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY, "--json").json["run"]
    engine = wrapped_engine(tmp_path, "if 'apply' in args:\n    time.sleep(6)")
    started = time.monotonic()
    children = [spawn("apply", run, "--engine", engine) for _ in range(count)]
    ended: dict[int, tuple[float, int, str]] = {}
    while len(ended) < count:
        for child in children:
            if child.pid not in ended and child.poll() is not None:
                said = child.communicate()
                ended[child.pid] = (time.monotonic() - started, child.returncode, said[1])
        time.sleep(0.05)
    codes = sorted(code for _, code, _ in ended.values())
    assert codes == [0, *[4] * (count - 1)], ended
    refused = [(seconds, text) for seconds, code, text in ended.values() if code == 4]
    assert all("busy, run" in text for _, text in refused)
    assert nodes(folder) == [("training", "aws")] * 2


def test_b121_an_interrupt_is_told_once_and_the_next_run_finishes(
    multicloud: Multicloud, folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "signals"
    engine = wrapped_engine(
        tmp_path,
        "if 'apply' in args:\n"
        f"    signal.signal(signal.SIGINT, lambda *a: open({str(log)!r}, 'a').write('x'))\n"
        "    time.sleep(1); code = real(); sys.exit(1 if code else 0)",
    )
    ask = ["rebalance", "-p", str(DAYNIGHT), "--at", DAY]
    child = spawn(*ask, "--engine", engine)
    deadline = time.monotonic() + 30
    query = "select count(*) from journal"
    store = folder / ".multicloud" / "store.sqlite"
    while time.monotonic() < deadline:
        if store.exists() and _count(store, query):
            break
        time.sleep(0.05)
    time.sleep(0.4)
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert log.read_text() == "x"
    healed = multicloud(*ask)
    assert healed.code == 0, healed.out + healed.err
    assert nodes(folder) == [("training", "aws")] * 2


def _count(store: Path, query: str) -> int:
    try:
        with closing(sqlite3.connect(store)) as db:
            return int(db.execute(query).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


KILL = "os.kill(os.getppid(), signal.SIGKILL)"
POINTS = {
    "before-up": ("tencent", ""),
    "after-up": ("tencent", "real()"),
    "before-down": ("aws", ""),
    "after-down": ("aws", "real()"),
}


@pytest.mark.slow
@pytest.mark.parametrize("point", list(POINTS))
def test_a_killed_move_is_finished_by_the_next_run(
    multicloud: Multicloud, folder: Path, tmp_path: Path, point: str
) -> None:
    policy = a_mover(folder)
    assert multicloud("rebalance", "-p", policy, "--at", BY_DAY).code == 0
    cloud, first = POINTS[point]
    engine = wrapped_engine(
        tmp_path,
        f"if 'apply' in args and '/{cloud}-' in os.getcwd():\n"
        f"    {first or 'pass'}; {KILL}; sys.exit(1)",
    )
    child = spawn("rebalance", "-p", policy, "--at", BY_NIGHT, "--engine", engine)
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    assert len(nodes(folder)) >= 2  # never fewer than asked
    healed = multicloud("rebalance", "-p", policy, "--at", "2026-12-01T22:05:00Z", "--json")
    assert healed.code == 0, healed.out + healed.err
    assert nodes(folder) == [("roamer", "tencent")] * 2
    left = rows(folder, "sandbox.sqlite", "select distinct provider from resource")
    assert left == [("tencentcloudstack/tencentcloud",)]
    assert all(outcome for _, _, outcome in journal(folder))
    quiet = multicloud("plan", "-p", policy, "--at", "2026-12-01T22:10:00Z", "--json").json
    assert quiet["changes"] is False


def test_the_runs_memory_survives(multicloud: Multicloud, folder: Path) -> None:
    assert multicloud("rebalance", "-p", str(DAYNIGHT), "--at", DAY).code == 0
    document = multicloud(
        "plan", "--no-engine", "-p", str(DAYNIGHT), "--at", "2026-12-01T10:20:00+08:00", "--json"
    ).json
    assert document["memory"] == "store"
    (usage,) = rows(folder, "store.sqlite", "select pool, nodes, end_at from usage")
    assert usage[:2] == ("training", 2)
    assert json.dumps(document["decisions"][0]["before"])


BERLIN = """\
  train:
    need: 2 x T4:1
    rules:
      - {name: day, when: mon-fri 08:00-20:00, place: {in: aws/us-east-1}}
      - {name: weekend, when: sat 10:00-sun 18:00, place: {in: tencent/ap-guangzhou}}
    otherwise: off
  serve:
    need: 1 x T4:1
    rules:
      - {name: night, when: 20:00-08:00, place: {in: tencent/ap-guangzhou}}
    otherwise: {in: aws/us-east-1}
"""


@pytest.mark.slow
def test_two_weeks_of_cron_over_the_autumn_clock_change(
    multicloud: Multicloud, folder: Path
) -> None:
    policy = str(write_policy(folder, BERLIN, head="timezone: Europe/Berlin\nfx: {CNY: 7.2}\n"))
    instant = datetime(2026, 10, 18, 22, 30, tzinfo=UTC)
    end = instant + timedelta(days=14)
    zone = ZoneInfo("Europe/Berlin")
    while instant < end:
        said = multicloud("rebalance", "-p", policy, "--at", instant.isoformat())
        assert said.code == 0, (instant, said.out, said.err)
        assert nodes(folder) == expected_nodes(instant.astimezone(zone)), instant
        instant += timedelta(minutes=90)


def expected_nodes(local: datetime) -> list[tuple[str, str]]:
    """What the policy above means, written once more by hand."""
    minute = local.hour * 60 + local.minute
    day = local.weekday()
    serve = "aws" if 480 <= minute < 1200 else "tencent"
    found = [("serve", serve)]
    if day < 5 and 480 <= minute < 1200:
        found += [("train", "aws")] * 2
    elif (day == 5 and minute >= 600) or (day == 6 and minute < 1080):
        found += [("train", "tencent")] * 2
    return sorted(found)
