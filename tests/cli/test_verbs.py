"""The other verbs: what a user relies on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from multicloud.cli.main import VERBS
from tests.cli.conftest import DAY, DAYNIGHT, ROOT, write_policy
from tools.update_readme import filled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

README = ROOT / "README.md"


def test_init_then_plan_works_and_a_second_init_is_refused(
    multicloud: Multicloud, folder: Path
) -> None:
    assert multicloud("init").code == 0
    said = multicloud("plan", "--no-engine", "--at", "2026-12-01T10:00Z")
    assert said.code == 0, said.err
    assert "+ training" in said.out
    again = multicloud("init")
    assert again.code == 3
    assert "nothing was written" in again.err


def test_validate_sums_up_and_warns(multicloud: Multicloud) -> None:
    said = multicloud("validate", str(DAYNIGHT))
    assert said.code == 0
    assert "[spot-no-checkpoint]" in said.out
    assert said.out.splitlines()[-1] == "1 policy with 2 pools valid, 1 warning."


def test_validate_strict_makes_warnings_count(multicloud: Multicloud) -> None:
    assert multicloud("validate", str(DAYNIGHT), "--strict").code == 3
    document = multicloud("validate", str(DAYNIGHT), "--strict", "--json")
    assert (document.code, document.json["exit_code"]) == (3, 3)
    assert document.json["warnings"][0]["where"]["line"] > 0


def test_b159_all_errors_at_once_with_places(multicloud: Multicloud, folder: Path) -> None:
    policy = write_policy(
        folder,
        "  a: {need: H10O, place: {in: awss}}\n  b: {need: A100, plase: {in: aws}}\n",
    )
    said = multicloud("validate", str(policy), "--json")
    assert said.code == 3
    places = [(e["where"]["line"], e["summary"]) for e in said.json["errors"]]
    assert len(places) >= 3
    assert places == sorted(places, key=lambda p: p[0])
    text = multicloud("validate", str(policy)).err
    assert "p.yaml:5:" in text
    assert 'Did you mean "place"?' in text


def test_a_label_that_a_cloud_in_reach_refuses_is_invalid_now(
    multicloud: Multicloud, folder: Path
) -> None:
    policy = write_policy(
        folder,
        "  a: {need: T4, place: [{in: aws}, {in: tencent}], labels: {team: ''}}\n"
        "  b: {need: T4, place: {in: aws}, labels: {'aws:x': y}}\n",
    )
    said = multicloud("validate", str(policy))
    assert said.code == 3
    assert "p.yaml:5:" in said.err
    assert "p.yaml:6:" in said.err


def test_validate_prints_the_schema(multicloud: Multicloud) -> None:
    schema = multicloud("validate", "--schema").json
    assert schema["type"] == "object"
    assert "pools" in schema["properties"]


def test_expand_loads_again(multicloud: Multicloud, folder: Path) -> None:
    expanded = multicloud("validate", str(DAYNIGHT), "--expand")
    (folder / "again.yaml").write_text(expanded.out)
    assert multicloud("validate", "again.yaml").code == 0


def test_offers_rank_and_limit(multicloud: Multicloud) -> None:
    said = multicloud("offers", "A100:8", "--at", DAY, "--limit", "3", "--json")
    assert said.code == 0
    costs = [offer["usd_per_hour"] for offer in said.json["offers"]]
    assert costs == sorted(costs)
    assert len(costs) == 3
    assert said.json["count"] > 100


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["H10O"], 'unknown GPU "H10O"'),
        (["A100", "--in", "awss"], 'Did you mean "aws"?'),
        (["A100", "--fx", "CNY"], "CNY=7.20"),
        (["A100", "--fx", "CNY=0"], "--fx"),
        (["A100", "--at", "yesterday"], "yesterday"),
    ],
)
def test_offers_refuses_what_it_cannot_read(
    multicloud: Multicloud, arguments: list[str], words: str
) -> None:
    said = multicloud("offers", *arguments)
    assert said.code == 3
    assert words in said.err


def test_offers_says_which_rate_is_missing(multicloud: Multicloud) -> None:
    said = multicloud("offers", "T4", "--in", "tencent")
    assert "give --fx CNY=RATE" in said.out


def test_explain_gives_every_offer_a_fate(multicloud: Multicloud) -> None:
    said = multicloud("explain", "training", "-p", str(DAYNIGHT), "--at", DAY, "--json")
    assert said.code == 0
    tiers = said.json["tiers"]
    totals = {len(tier["candidates"]) + len(tier["rejections"]) for tier in tiers}
    assert len(totals) == 1  # both tiers judge the same offers
    assert all(r["reason"] for tier in tiers for r in tier["rejections"])
    assert [rule["truth"] for rule in said.json["rules"]] == ["yes", "unknown"]


def test_explain_text_names_the_rule_and_the_losers(multicloud: Multicloud) -> None:
    said = multicloud("explain", "training", "-p", str(DAYNIGHT), "--at", DAY)
    assert "Tier 1 of 2 of working-day" in said.out
    assert "no price: p4d.24xlarge spot aws/us-west-2" in said.out
    assert max(map(len, said.out.splitlines())) <= 110


def test_explain_wants_one_pool(multicloud: Multicloud) -> None:
    said = multicloud("explain", "*", "-p", str(DAYNIGHT), "--at", DAY)
    assert said.code == 3
    assert "inference, training" in said.err


def test_schedule_walks_the_day(multicloud: Multicloud) -> None:
    said = multicloud("schedule", "-p", str(DAYNIGHT), "--days", "1", "--at", DAY, "--json")
    starts = [(s["pool"], s["start"], s["rule"]) for s in said.json["policies"][0]["stretches"]]
    assert starts == [
        ("training", "2026-12-01T02:12:00Z", "working-day"),
        ("training", "2026-12-01T12:00:00Z", "otherwise"),
        ("training", "2026-12-02T00:00:00Z", "working-day"),
        ("inference", "2026-12-01T02:12:00Z", "otherwise"),
        ("inference", "2026-12-01T12:00:00Z", "night"),
        ("inference", "2026-12-02T00:00:00Z", "otherwise"),
    ]


@pytest.mark.parametrize("month", ["2026-13", "dec", "0001-01", "2026-1"])
def test_schedule_refuses_a_bad_month(multicloud: Multicloud, month: str) -> None:
    assert multicloud("schedule", "-p", str(DAYNIGHT), "--month", month).code == 3


def test_schedule_takes_days_or_a_month(multicloud: Multicloud) -> None:
    said = multicloud("schedule", "-p", str(DAYNIGHT), "--month", "2026-12", "--days", "3")
    assert said.code == 3


def test_render_hands_over_roots_that_stand_alone(multicloud: Multicloud, folder: Path) -> None:
    said = multicloud("render", "-p", str(DAYNIGHT), "--at", DAY, "--out", "out")
    assert said.code == 0
    assert "inference: off, nothing to render" in said.out
    (root,) = (folder / "out").rglob("main.tf.json")
    document = json.loads(root.read_text())
    assert document["terraform"]["backend"] == {"local": {"path": "terraform.tfstate"}}
    assert (root.parent / "module" / "main.tf").is_file()
    again = multicloud("render", "-p", str(DAYNIGHT), "--at", DAY, "--out", "out")
    assert again.code == 3


def test_doctor_is_well_here(multicloud: Multicloud) -> None:
    said = multicloud("doctor", "-p", str(DAYNIGHT))
    assert said.code == 0, said.out
    assert "IANA data found" in said.out


def test_doctor_finds_what_is_bad_and_goes_on(multicloud: Multicloud, folder: Path) -> None:
    (folder / "multicloud.yaml").write_text("target: moon\n")
    said = multicloud("doctor", "-p", "none.yaml", "--json")
    assert said.code == 1
    health = {check["name"]: check["health"] for check in said.json["checks"]}
    assert health["project"] == health["policies"] == "bad"
    assert health["python"] == "ok"


@pytest.mark.parametrize(
    ("version", "health"),
    [("1.5.7", "bad"), ("1.6.0", "ok"), ("1.10.0", "ok"), ("1.6.0-rc1", "ok")],
)
def test_doctor_knows_an_engine_that_is_too_old(
    multicloud: Multicloud, folder: Path, version: str, health: str
) -> None:
    engine = folder / "terraform"
    engine.write_text(f'#!/bin/sh\necho \'{{"terraform_version": "{version}"}}\'\n')
    engine.chmod(0o700)
    said = multicloud("doctor", "-p", str(DAYNIGHT), "--engine", str(engine), "--json")
    (found,) = [check for check in said.json["checks"] if check["name"] == "engine"]
    assert found["health"] == health
    assert ("need >= 1.6" in found["text"]) == (health == "bad")


def test_the_readme_shows_what_the_tool_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = README.read_text(encoding="utf-8")
    assert filled(text) == text


def test_the_readme_lists_every_verb() -> None:
    text = README.read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"| `{verb}" in text


def test_the_readmes_policy_is_valid(multicloud: Multicloud, folder: Path) -> None:
    blocks = README.read_text(encoding="utf-8").split("```yaml\n")[1:]
    for block in blocks:
        (folder / "readme.yaml").write_text(block.partition("```")[0])
        said = multicloud("validate", "readme.yaml")
        assert said.code == 0, said.err


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("policies/*.yaml"), *ROOT.glob("examples/*.yaml")]), ids=str
)
def test_every_shipped_policy_is_valid(multicloud: Multicloud, path: Path) -> None:
    said = multicloud("validate", str(path))
    assert said.code == 0, said.err
