"""A budget from apply to the day on which it is spent."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_apply import nodes
from tests.cli.test_status import up

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]
# 21.96 USD an hour: 1000 are spent after 45.5 hours.
POOL = (
    "  a: {need: A100:8, place: {in: aws/us-east-1, capacity: on_demand},"
    " budget: {max: 1000/month, when_spent: off}}\n"
)


def test_a_pool_goes_when_its_month_is_spent_and_comes_back(
    multicloud: Multicloud, folder: Path
) -> None:
    policy = up(multicloud, folder, POOL)[:2]
    before, after = "2026-12-03T05:00:00Z", "2026-12-03T10:00:00Z"
    said = multicloud("plan", *policy, "--at", before, "--no-engine")
    assert "The budget of the pool, 1000/month, is 90% spent." in said.out
    said = multicloud("rebalance", *policy, "--at", before)
    assert (said.code, len(nodes(folder))) == (0, 1)
    said = multicloud("status", *policy, "--at", after)
    assert "!  The budget of the pool, 1000/month, is spent (1,009." in said.out
    said = multicloud("explain", "a", *policy, "--at", after)
    assert "is spent (1,009." in said.out
    said = multicloud("rebalance", *policy, "--at", after)
    assert said.code == 0, said.out + said.err
    assert nodes(folder) == []
    said = multicloud("rebalance", *policy, "--at", "2026-12-31T23:00:00Z")
    assert (said.code, nodes(folder)) == (0, [])
    said = multicloud("rebalance", *policy, "--at", "2027-01-01T00:00:00Z")
    assert (said.code, len(nodes(folder))) == (0, 1)
