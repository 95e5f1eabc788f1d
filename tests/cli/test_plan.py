"""`plan` without the engine: what it says, in which formats, with which exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import DAY, DAYNIGHT, NIGHT, write_policy

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

PRICES = """\
cloud,region,zone,instance_type,capacity_type,amount,unit,currency,observed_at,source
aws,us-east-1,,g5.xlarge,on_demand,3.20,usd_per_hour,USD,2026-05-04T11:00:00Z,test
aws,us-east-1,,g5.xlarge,spot,1.25,usd_per_hour,USD,2026-05-04T11:00:00Z,test
"""
AT = "2026-05-04T12:00:00Z"


def test_by_day_training_is_on_and_inference_off(multicloud: Multicloud) -> None:
    said = multicloud("plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("SANDBOX: no cloud is touched.")
    assert lines[0].endswith("Tue 2026-12-01 10:12 Asia/Shanghai (02:12Z)")
    training, inference = lines[2], lines[3]
    assert training.split() == (
        [
            "+",
            "training",
            "2x8",
            "A100",
            "off",
            "2",
            "x",
            "p4d.24xlarge",
            "spot",
            "aws/us-east-1",
            "14.49",
            "0.91",
            "20:00",
            "off",
        ]
    )
    assert inference.split() == [
        "inference",
        "4",
        "T4",
        "off",
        "off",
        "0.00",
        "-",
        "20:00",
        "on,",
        "4.82/h",
    ]
    assert "3,825.90" in said.out
    assert "31,619.00" in said.out


def test_by_night_inference_is_on_and_training_off(multicloud: Multicloud) -> None:
    document = multicloud("plan", "--no-engine", "-p", str(DAYNIGHT), "--at", NIGHT, "--json").json
    training, inference = document["decisions"]
    assert (training["action"], training["after"]) == ("no_op", [])
    assert inference["action"] == "create"
    (placement,) = inference["after"]
    assert (placement["cloud"], placement["region"]) == ("tencent", "ap-guangzhou")
    assert (placement["nodes"], placement["gpus"]) == (4, 4)


def test_a_naive_instant_is_in_the_policys_zone(multicloud: Multicloud) -> None:
    plain = ["plan", "--no-engine", "-p", str(DAYNIGHT), "--json", "--at"]
    local = multicloud(*plain, "2026-12-01T10:12").json
    offset = multicloud(*plain, DAY).json
    assert local["at"] == offset["at"] == "2026-12-01T02:12:00Z"


def test_json_has_the_fixed_names(multicloud: Multicloud) -> None:
    document = multicloud("plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY, "--json").json
    assert set(document) >= {
        "schema_version", "at", "target", "policies", "memory", "prices", "decisions", "stacks",
        "totals", "changes", "run", "valid_until", "warnings", "exit_code",
    }  # fmt: skip
    assert set(document["decisions"][0]) >= {
        "policy", "pool", "action", "cause", "rule", "unmet", "reasons", "before", "after",
        "fallbacks", "usd_per_hour_before", "usd_per_hour_after", "rejections", "next_change_at",
        "next_check_at",
    }  # fmt: skip
    assert set(document["decisions"][0]["after"][0]) >= {
        "cloud", "region", "zone", "instance_type", "capacity_type", "nodes", "gpus",
        "usd_per_node_hour", "usd_per_hour", "price_observed_at", "price_source", "price_state",
    }  # fmt: skip
    assert set(document["totals"]) == {
        "usd_per_hour_before", "usd_per_hour_after", "usd_per_hour_worst", "usd_per_month_after",
    }  # fmt: skip
    assert document["memory"] == "none"
    assert document["target"] == "sandbox"


def test_the_same_question_gives_the_same_answer(multicloud: Multicloud) -> None:
    ask = ["plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY, "--json"]
    one, two = multicloud(*ask).json, multicloud(*ask).json
    one.pop("run"), two.pop("run")
    assert one == two


def test_b153_changes_and_exit_code_agree(multicloud: Multicloud) -> None:
    ask = ["plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY, "--json"]
    plain, detailed = multicloud(*ask), multicloud(*ask, "--detailed-exitcode")
    assert (plain.code, detailed.code) == (0, 2)
    assert plain.json["changes"] is detailed.json["changes"] is True
    assert detailed.json["exit_code"] == 2
    off = multicloud(*ask, "--detailed-exitcode", "--pool", "inference")
    assert (off.code, off.json["changes"]) == (0, False)


@pytest.mark.parametrize("selector", ["trainning", "t4-*", ""])
def test_b161_a_selector_that_matches_nothing_is_invalid(
    multicloud: Multicloud, selector: str
) -> None:
    said = multicloud("plan", "--no-engine", "-p", str(DAYNIGHT), "--pool", selector)
    assert said.code == 3
    assert f'0 pools matched "{selector}"' in said.err
    assert "training, inference" in said.err


@pytest.mark.parametrize("selector", ["a; touch pwned", "$(touch pwned)", "`touch pwned`"])
def test_b173_selectors_never_reach_a_shell(
    multicloud: Multicloud, folder: Path, selector: str
) -> None:
    said = multicloud("plan", "-p", str(DAYNIGHT), "--pool", selector)
    assert said.code == 3
    assert list(folder.rglob("pwned")) == []


def test_b163_every_figure_says_per_what(multicloud: Multicloud) -> None:
    said = multicloud("plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY)
    head = said.out.splitlines()[1]
    assert head.split()[-5:-2] == ["USD/h", "per", "GPU-h"]
    assert "$" not in said.out
    assert re.search(r"Plan: .* 0\.00 -> 14\.49 USD/h", said.out)
    (placement,) = multicloud(
        "plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY, "--json"
    ).json["decisions"][0]["after"]
    assert placement["usd_per_hour"] == pytest.approx(14.492044, abs=1e-6)
    assert placement["usd_per_node_hour"] == pytest.approx(7.246022, abs=1e-6)
    assert placement["usd_per_gpu_hour"] == pytest.approx(0.905753, abs=1e-6)
    assert placement["capacity_type"] == "spot"
    assert placement["price_observed_at"] == "2025-06-28T00:00:00Z"


@pytest.mark.parametrize("format_", ["human", "json", "markdown"])
def test_b167_no_escape_byte_when_not_a_terminal(multicloud: Multicloud, format_: str) -> None:
    said = multicloud("plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY, "--format", format_)
    assert "\x1b" not in said.out + said.err


def test_b52_spot_is_priced_as_spot(multicloud: Multicloud, folder: Path) -> None:
    (folder / "prices.csv").write_text(PRICES)
    policy = write_policy(
        folder,
        "  web: {need: 4 x A10G:1, place: {in: aws, capacity: spot}}\n",
    )
    ask = ["plan", "--no-engine", "-p", str(policy), "--prices", "prices.csv", "--at", AT]
    said = multicloud(*ask)
    assert said.code == 0
    row = said.out.splitlines()[2].split()
    assert row[-2:] == ["5.00", "1.25"] or row[-3:-1] == ["5.00", "1.25"]
    assert "spot" in row
    assert f"{12.80 * 720:,.2f}" in said.out  # on-demand as the comparison only


def test_b51_the_month_counts_the_hours_that_run(multicloud: Multicloud, folder: Path) -> None:
    prices = PRICES.replace("3.20", "2.00").replace("2026-05-04", "2026-05-31")
    (folder / "prices.csv").write_text(prices)
    policy = write_policy(
        folder,
        "  web:\n"
        "    need: 3 x A10G:1\n"
        "    rules: [{when: mon-fri 09:00-17:00, place: {in: aws}}]\n"
        "    otherwise: off\n",
    )
    said = multicloud(
        "schedule", "-p", str(policy), "--month", "2026-06", "--prices", "prices.csv", "--json"
    )
    (part,) = said.json["policies"]
    assert part["totals"] == {"web": {"hours": 176.0, "usd": 1056.0}}


def test_a_guard_blocks_and_says_so(multicloud: Multicloud, folder: Path) -> None:
    policy = write_policy(
        folder,
        "  big: {need: 4 x A100:8, place: {in: aws, capacity: spot}}\n",
        head="timezone: UTC\nlimits: {new_nodes: 3}\n",
    )
    said = multicloud("plan", "--no-engine", "-p", str(policy), "--at", DAY)
    assert said.code == 4
    assert "BLOCKED" in said.out
    assert "new_nodes" in said.out


def test_a_pool_that_cannot_be_had_is_unmet(multicloud: Multicloud, folder: Path) -> None:
    policy = write_policy(
        folder, "  dear: {need: A100:8, place: {in: aws, max_price: 0.10/gpu-h}}\n"
    )
    said = multicloud("plan", "--no-engine", "-p", str(policy), "--at", DAY)
    assert said.code == 0
    assert "UNMET" in said.out
    assert "over the cap" in said.out or "over cap" in said.out


def test_bad_price_rows_are_told_and_good_ones_used(multicloud: Multicloud, folder: Path) -> None:
    rows = PRICES + "aws,us-east-1,,g5.xlarge,spot,free,usd_per_hour,USD,2026-05-04T11:00:00Z,t\n"
    (folder / "prices.csv").write_text(rows)
    policy = write_policy(folder, "  web: {need: A10G, place: {in: aws}}\n")
    said = multicloud(
        "plan", "--no-engine", "-p", str(policy), "--prices", "prices.csv", "--at", AT, "--json"
    )
    assert said.code == 0
    assert any("prices.csv:4" in text for text in said.json["warnings"])


def test_markdown_cannot_be_broken_by_names(multicloud: Multicloud) -> None:
    said = multicloud(
        "plan", "--no-engine", "-p", str(DAYNIGHT), "--at", DAY, "--format", "markdown"
    )
    assert said.out.startswith("### multicloud plan (sandbox: no cloud is touched)\n")
    assert (
        "| training | create | off | 2 x p4d.24xlarge spot aws/us\\-east\\-1 | 14.49 |" in said.out
    )


def test_surplus_gpus_are_no_throughput(multicloud: Multicloud, folder: Path) -> None:
    policy = write_policy(
        folder,
        "  a:\n"
        "    need: {gpu: any, gpu_memory: 16Gi, gpus: 1}\n"
        "    place: {in: aws/us-east-1, instance_types: [p6-b200.48xlarge, g6.xlarge]}\n"
        "    prefer: {per_tflop: bf16}\n",
    )
    said = multicloud("plan", "--no-engine", "-p", str(policy), "--at", "2026-12-01T10:00Z")
    assert "1 x g6.xlarge" in said.out
    assert "cheapest per bf16 TFLOPS" in said.out


WAITING = """\
cloud,region,zone,instance_type,capacity_type,amount,unit,currency,observed_at,source
aws,us-east-1,,p4d.24xlarge,on_demand,22.00,usd_per_hour,USD,2026-05-04T11:00:00Z,test
aws,us-east-1,,p4d.24xlarge,spot,9.00,usd_per_hour,USD,2026-05-04T11:00:00Z,test
"""


def test_a_tiers_wait_ends_in_the_forecast(multicloud: Multicloud, folder: Path) -> None:
    (folder / "prices.csv").write_text(WAITING)
    policy = write_policy(
        folder,
        "  a:\n"
        "    need: A100:8\n"
        "    place:\n"
        "      - {in: aws, capacity: spot, max_price: 1.00/gpu-h, wait: 20m}\n"
        "      - {in: aws}\n",
    )
    ask = ["-p", str(policy), "--prices", "prices.csv", "--at", AT, "--json"]
    (part,) = multicloud("schedule", "--days", "1", *ask).json["policies"]
    assert [(s["start"], s["usd_per_hour"]) for s in part["stretches"]] == [
        ("2026-05-04T12:00:00Z", 0.0),
        ("2026-05-04T12:20:00Z", 22.0),
    ]


def test_a_discount_is_shown(multicloud: Multicloud, folder: Path) -> None:
    (folder / "prices.csv").write_text(PRICES)
    policy = write_policy(
        folder,
        "  a: {need: A10G, place: {in: aws}}\n",
        head="timezone: UTC\ndiscounts: [{in: aws, off: 40%}]\n",
    )
    ask = ["plan", "--no-engine", "-p", str(policy), "--prices", "prices.csv", "--at", AT]
    assert "aws on_demand 2026-05-04, 40 % off" in multicloud(*ask).out
    (placement,) = multicloud(*ask, "--json").json["decisions"][0]["after"]
    assert (placement["discount"], placement["usd_per_hour"]) == (0.4, 1.92)
    assert "40 % off" in multicloud("explain", "a", *ask[2:]).out


def test_markdown_tells_ages_and_what_is_unmet(multicloud: Multicloud, folder: Path) -> None:
    ask = ["plan", "--no-engine", "--at", DAY, "--format", "markdown", "-p"]
    assert "prices: aws spot 2025\\-06\\-28 \\(estimate\\)" in multicloud(*ask, str(DAYNIGHT)).out
    policy = write_policy(
        folder, "  dear: {need: A100:8, place: {in: aws, max_price: 0.10/gpu-h}}\n"
    )
    assert "UNMET: 8 GPUs." in multicloud(*ask, str(policy)).out


def test_one_zones_share_has_no_fallback(multicloud: Multicloud, folder: Path) -> None:
    head = PRICES.splitlines()[0]
    zones = {"use1-az1": "1.00", "use1-az2": "1.00", "usw2-az1": "0.50", "usw2-az2": "5.00"}
    rows = [
        f"aws,{'us-east-1' if zone[:3] == 'use' else 'us-west-2'},{zone},g5.xlarge,spot,{usd},"
        "usd_per_hour,USD,2026-05-04T11:00:00Z,test"
        for zone, usd in zones.items()
    ]
    (folder / "prices.csv").write_text("\n".join([head, *rows]) + "\n")
    policy = write_policy(
        folder,
        "  a: {need: {gpu: A10G, gpus: 4, spread: zones}, place: {in: aws, capacity: spot}}\n",
    )
    (decision,) = multicloud(
        "plan", "--no-engine", "-p", str(policy), "--prices", "prices.csv", "--at", AT, "--json"
    ).json["decisions"]
    assert [p["zone"] for p in decision["after"]] == ["use1-az1", "use1-az2"]
    assert decision["fallbacks"] == []
    assert decision["usd_per_hour_worst"] == decision["usd_per_hour_after"] == 4.0


def test_a_year_without_decreed_days_is_doubted(multicloud: Multicloud) -> None:
    said = multicloud(
        "plan", "--no-engine", "-p", str(DAYNIGHT), "--at", "2031-02-01T00:00", "--json"
    )
    assert any("2031" in text and "make-up" in text for text in said.json["warnings"])


def test_a_misspelt_instance_type_is_a_warning(multicloud: Multicloud, folder: Path) -> None:
    policy = write_policy(
        folder, "  a: {need: {instance_type: p4d.24xlrge, nodes: 2}, place: {in: aws}}\n"
    )
    said = multicloud("validate", str(policy))
    assert 'no cloud of the catalogue has the instance type "p4d.24xlrge"' in said.out
    assert 'Did you mean "p4d.24xlarge"' in said.out
