"""What a budget's period has cost, of rows whose prices are partly unknown or prepaid."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.models.project import Target
from multicloud.run.spending import spent_of
from multicloud.store.store import Store
from tests.builders import NOON
from tests.decide.scene import policy_of
from tests.store.samples import a_placement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOUR = timedelta(hours=1)
POLICY = policy_of("a: {need: A100:8, place: {in: aws}, was: b, budget: {max: 100/month}}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite", target=Target.SANDBOX) as found:
        yield found


def runs(store: Store, usd: str | None, hours: float, *, pool: str = "a") -> None:
    """Two nodes from `hours` ago on."""
    paid = None if usd is None else Decimal(usd)
    at = NOON - hours * HOUR
    store.open_usage(
        POLICY.name, pool, a_placement(usd=usd), nodes=2, usd_per_node_hour=paid, at=at
    )


def test_two_nodes_cost_two_nodes(store: Store) -> None:
    runs(store, "5", 3)
    spent = spent_of(store, POLICY, NOON)["a"]
    assert spent.usd == spent.at_least == 30


def test_a_price_that_nobody_knows_leaves_what_is_known(store: Store) -> None:
    runs(store, "5", 3)
    runs(store, None, 1)
    spent = spent_of(store, POLICY, NOON)["a"]
    assert spent.usd is None
    assert spent.at_least == 20


def test_what_was_paid_under_the_former_name_counts(store: Store) -> None:
    runs(store, "5", 3, pool="b")
    assert spent_of(store, POLICY, NOON)["a"].usd == 30


def test_another_pool_pays_for_itself(store: Store) -> None:
    runs(store, "5", 3, pool="c")
    assert spent_of(store, POLICY, NOON)["a"].usd == 0
