"""What was paid, what is ahead, and what there would have been to pay."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.test_status import up

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

# p4d.24xlarge on demand, of the bundled catalogue; up since 12:00 on the first.
ONE = "  a: {need: A100:8, place: {in: aws/us-east-1, capacity: on_demand}, labels: {team: =ml}}\n"
PRICE = 21.957642
DAY_LATER = ("--at", "2026-12-02T12:00:00Z")


def costs(multicloud: Multicloud, rest: list[str], *more: str) -> dict[str, Any]:
    said = multicloud("cost", *rest[:2], *DAY_LATER, *more, "--json")
    assert said.code == 0, said.err
    found: dict[str, Any] = said.json
    return found


@pytest.fixture
def rest(multicloud: Multicloud, folder: Path) -> list[str]:
    """A pool that runs since noon of the first; the arguments that name its policy."""
    return up(multicloud, folder, ONE)


def test_a_day_of_one_node(multicloud: Multicloud, rest: list[str]) -> None:
    found = costs(multicloud, rest)
    (paid,) = found["paid"]
    assert paid["names"] == {"pool": "a"}
    assert paid["node_hours"] == pytest.approx(24, abs=0.1)
    assert paid["usd"] == pytest.approx(24 * PRICE, rel=0.01)
    (policy,) = found["policies"]
    # The month began 36 hours ago.
    assert policy["usd_always_on"]["a"] == pytest.approx(36 * PRICE)
    (planned,) = found["planned"]
    assert planned["usd"] == pytest.approx(720 * PRICE)


def test_by_label_cloud_and_month_over_a_months_border(
    multicloud: Multicloud, rest: list[str]
) -> None:
    names = ("--by", "cloud", "--by", "label:team", "--by", "month")
    found = costs(multicloud, rest, *names)
    assert [line["names"] for line in found["planned"]] == [
        {"cloud": "aws", "label:team": "=ml", "month": "2026-12"},
        {"cloud": "aws", "label:team": "=ml", "month": "2027-01"},
    ]
    hours = [line["node_hours"] for line in found["planned"]]
    assert hours == [pytest.approx(29.5 * 24), pytest.approx(0.5 * 24)]


def test_a_period_is_clipped_to_its_ends_and_to_now(
    multicloud: Multicloud, rest: list[str]
) -> None:
    span = ("--from", "2026-12-01T18:00:00Z", "--to", "2026-12-01T20:00:00Z")
    (paid,) = costs(multicloud, rest, *span)["paid"]
    assert paid["node_hours"] == 2
    assert costs(multicloud, rest, "--month", "2026-11")["paid"] == []
    assert costs(multicloud, rest, "--month", "2027-01")["paid"] == []


def test_an_unknown_price_is_counted_apart(
    multicloud: Multicloud, folder: Path, rest: list[str]
) -> None:
    with closing(sqlite3.connect(folder / ".multicloud" / "store.sqlite")) as db:
        db.execute("update usage set usd_per_node_hour = null")
        db.commit()
    (paid,) = costs(multicloud, rest)["paid"]
    assert (paid["usd"], paid["unknown_node_hours"]) == (0, pytest.approx(24, abs=0.1))
    said = multicloud("cost", *rest[:2], *DAY_LATER)
    assert "node-hours at a price that nobody knows are counted as 0" in said.out
    assert "paid ? USD" in said.out
    assert said.out.count("0.00+?") == 2, "the pool's row and the total's"


def test_a_date_alone_is_its_midnight_in_the_policys_zone(
    multicloud: Multicloud, folder: Path, rest: list[str]
) -> None:
    file = folder / rest[1]
    file.write_text(file.read_text().replace("timezone: UTC", "timezone: Asia/Shanghai"))
    (paid,) = costs(multicloud, rest, "--from", "2026-12-02", "--to", "2026-12-03")["paid"]
    # From 16:00Z of the first until now, which is before the next midnight there.
    assert paid["node_hours"] == 20


def test_a_pool_that_left_its_policy_has_cost_what_it_cost(
    multicloud: Multicloud, folder: Path, rest: list[str]
) -> None:
    file = folder / rest[1]
    file.write_text(file.read_text().replace("  a: {need: A100:8", "  b: {need: T4:1"))
    assert multicloud("rebalance", *rest[:2], "--at", "2026-12-01T18:00:00Z").code == 0
    a, b = costs(multicloud, rest)["paid"]
    assert (a["names"], round(a["node_hours"], 1)) == ({"pool": "a"}, 6)
    assert (b["names"], round(b["node_hours"], 1)) == ({"pool": "b"}, 18)
    assert costs(multicloud, rest, "--pool", "a")["paid"] == [a]


def test_a_renamed_pool_has_cost_what_it_cost_before_any_run(
    multicloud: Multicloud, folder: Path, rest: list[str]
) -> None:
    file = folder / rest[1]
    renamed = "  b: {was: a, budget: {max: 1000/month}, need"
    file.write_text(file.read_text().replace("  a: {need", renamed))
    (paid,) = costs(multicloud, rest)["paid"]
    assert (paid["names"], round(paid["node_hours"], 1)) == ({"pool": "b"}, 24)
    said = multicloud("plan", *rest[:2], "--no-engine", "--at", "2026-12-03T05:00:00Z")
    assert "The budget of the pool, 1000/month, is 90% spent." in said.out


def test_focus_rows_open_in_no_spreadsheet_as_formulas(
    multicloud: Multicloud, rest: list[str]
) -> None:
    said = multicloud("cost", *rest[:2], *DAY_LATER, "--csv", "-")
    (row,) = csv.DictReader(io.StringIO(said.out))
    assert (row["ProviderName"], row["RegionId"], row["SkuId"]) == (
        "AWS",
        "us-east-1",
        "p4d.24xlarge",
    )
    assert float(row["BilledCost"]) == pytest.approx(24 * PRICE, rel=0.01)
    assert (row["ChargeCategory"], row["PricingCategory"]) == ("Usage", "Standard")
    assert row["ChargePeriodEnd"] == "2026-12-02T12:00:00Z"
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_the_table_reads_like_a_bill(multicloud: Multicloud, rest: list[str]) -> None:
    said = multicloud("cost", *rest[:2], *DAY_LATER)
    assert "2026-12-01 00:00 to 2027-01-01 00:00 UTC" in said.out
    assert "always on, on demand, at today's prices 790.48 (saved 3" in said.out
    assert "POOL" in said.out
    assert said.out.count("total") == 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--by", "colour"), '"colour" is nothing to group by'),
        (("--by", "label:"), "label:KEY"),
        (("--month", "2026-13"), "is no month"),
        (("--month", "2026-12", "--from", "2026-12-01T10:00:00Z"), "exclude each other"),
        (("--to", "2026-12-01T10:00:00Z"), "--to goes with --from"),
        (("--from", "2026-12-03T10:00:00Z"), "is not before now"),
        (("--csv", "no/such/folder.csv"), "cannot be written"),
    ],
)
def test_bad_questions(
    multicloud: Multicloud, rest: list[str], more: tuple[str, ...], told: str
) -> None:
    said = multicloud("cost", *rest[:2], *DAY_LATER, *more)
    assert (said.code, told in said.err) == (3, True), said.err
    assert said.out == ""


def test_a_price_that_moves_is_paid_from_the_next_run_on(
    multicloud: Multicloud, folder: Path, rest: list[str]
) -> None:
    noon = "2026-12-01T18:00:00Z"
    what = ("aws", "us-east-1", "p4d.24xlarge", "on_demand", "20.00")
    assert multicloud("sandbox", "price", *what, "--at", noon).code == 0
    assert multicloud("prices", "refresh", "--cloud", "aws", "--at", noon).code == 0
    assert multicloud("rebalance", *rest[:2], "--at", noon).code == 0
    (paid,) = costs(multicloud, rest)["paid"]
    assert paid["usd"] == pytest.approx(6 * PRICE + 18 * 20, rel=0.005)
    # The nodes are counted without a gap.
    assert paid["node_hours"] == pytest.approx(24, abs=0.1)


COMMITTED = """
commitments:
  - {kind: reserved, in: aws/us-east-1, instance_type: p4d.24xlarge, nodes: 1, fee: 10/h,
     until: 2027-06-01}
"""


def test_what_commitments_covered_is_told_beside_their_fees(
    multicloud: Multicloud, folder: Path, rest: list[str]
) -> None:
    file = folder / rest[1]
    file.write_text(file.read_text().replace("pools:", f"{COMMITTED}pools:"))
    (policy,) = costs(multicloud, rest)["policies"]
    (fee,) = policy["commitments"]
    assert fee == {"kind": "reserved", "usd_fee": 360}
    assert policy["usd_covered"] == pytest.approx(24 * PRICE, rel=0.01)
