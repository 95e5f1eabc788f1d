"""What simulated clouds say of stock and quotas, and what is decided by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.test_apply import rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

POLICY = """
version: 1
name: nights
timezone: UTC
fx: {CNY: 7.2}
pools:
  batch:
    need: T4
    rules:
      - name: stocked
        when: {availability: {in: tencent, capacity: on_demand, last: 1h}}
        place: {in: tencent, capacity: on_demand}
    otherwise: {in: aws/us-east-1, capacity: on_demand}
"""
FROM, TO = "2026-12-01T10:00:00Z", "2026-12-01T10:15:00Z"


def clouds(multicloud: Multicloud, at: str) -> list[str]:
    said = multicloud("plan", "-p", "nights.yaml", "--no-engine", "--at", at, "--json")
    assert said.code == 0, said.err
    (decision,) = said.json["decisions"]
    return [placement["cloud"] for placement in decision["after"]]


def refresh(multicloud: Multicloud, at: str) -> None:
    said = multicloud("prices", "refresh", "--cloud", "aws,tencent", "--at", at, "--json")
    assert said.code == 0, said.err


def test_looks_of_refreshes_turn_an_availability_condition(
    multicloud: Multicloud, folder: Path
) -> None:
    (folder / "nights.yaml").write_text(POLICY)
    assert clouds(multicloud, FROM) == ["aws"]
    refresh(multicloud, FROM)
    assert clouds(multicloud, FROM) == ["tencent"]
    assert multicloud("sandbox", "unavailable", "tencent", "--at", FROM).code == 0
    refresh(multicloud, TO)
    # One look of two found some, and what the last one found gone is not tried.
    said = multicloud("explain", "batch", "-p", "nights.yaml", "--at", TO)
    assert "was to be had in 50% of looks, 50% are asked for" in said.out
    assert "sold out, as told 0 min ago" in said.out
    assert clouds(multicloud, "2026-12-01T11:00:00Z") == ["aws"]


def test_b78_a_quota_that_was_told_keeps_a_pool_from_a_vain_try(
    multicloud: Multicloud, folder: Path
) -> None:
    (folder / "nights.yaml").write_text(POLICY)
    refused = ("unavailable", "aws", "us-east-1", "--type", "g4dn*", "--quota")
    assert multicloud("sandbox", *refused, "--at", FROM).code == 0
    refresh(multicloud, FROM)
    # Nobody is sold out for a quota's sake.
    looks = "select count(*) from looks join offers on offers.id = offer where stock = 'none'"
    assert rows(folder, "store.sqlite", looks) == [(0,)]
    assert multicloud("sandbox", "unavailable", "tencent", "--at", FROM).code == 0
    refresh(multicloud, "2026-12-01T12:00:00Z")
    said = multicloud("plan", "-p", "nights.yaml", "--at", "2026-12-01T12:00:00Z", "--no-engine")
    assert "UNMET" in said.out
    assert "quota simulated g4dn* * in aws/us-east-1 has 0 of 0 nodes left" in said.out
    freed = ("available", "aws", "us-east-1", "--type", "g4dn*")
    assert multicloud("sandbox", *freed, "--at", TO).code == 0
    refresh(multicloud, "2026-12-01T13:00:00Z")
    assert clouds(multicloud, "2026-12-01T13:00:00Z") == ["aws"]
