from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.models.run import Usage
from multicloud.store.usage import cost_usd
from tests.builders import NOON
from tests.store.samples import HOUR, MINUTE, a_placement

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.store.store import Store

DAY = 24 * HOUR


def used(
    start: datetime, end: datetime | None, *, nodes: int = 2, usd: str | None = "7.245"
) -> Usage:
    """Two spot nodes for some time."""
    return Usage(
        policy="daynight",
        pool="training",
        placement=a_placement(nodes=nodes, usd=usd),
        nodes=nodes,
        usd_per_node_hour=None if usd is None else Decimal(usd),
        start=start,
        end=end,
    )


def opens(any_store: Store, row: Usage) -> None:
    """Say what a row says, as a run does."""
    any_store.open_usage(
        row.policy,
        row.pool,
        row.placement,
        nodes=row.nodes,
        usd_per_node_hour=row.usd_per_node_hour,
        at=row.start,
    )


def test_nodes_are_paid_for_from_open_to_close(any_store: Store) -> None:
    opens(any_store, used(NOON, None))
    assert any_store.usage("daynight", NOON, NOON + DAY) == (used(NOON, None),)
    any_store.close_usage("daynight", "training", a_placement(), NOON + HOUR)
    assert any_store.usage("daynight", NOON, NOON + DAY) == (used(NOON, NOON + HOUR),)


def test_saying_the_same_twice_changes_nothing(any_store: Store) -> None:
    opens(any_store, used(NOON, None))
    opens(any_store, used(NOON + HOUR, None))
    any_store.close_usage("daynight", "training", a_placement(), NOON + 2 * HOUR)
    any_store.close_usage("daynight", "training", a_placement(), NOON + 3 * HOUR)
    assert any_store.usage("daynight", NOON, NOON + DAY) == (used(NOON, NOON + 2 * HOUR),)


@pytest.mark.parametrize(
    "after", [used(NOON + HOUR, None, nodes=3), used(NOON + HOUR, None, usd="8")]
)
def test_another_size_or_price_is_another_row(any_store: Store, after: Usage) -> None:
    opens(any_store, used(NOON, None))
    opens(any_store, after)
    assert any_store.usage("daynight", NOON, NOON + DAY) == (used(NOON, NOON + HOUR), after)


def test_no_nodes_only_close(any_store: Store) -> None:
    opens(any_store, used(NOON, None))
    opens(any_store, used(NOON + HOUR, None, nodes=0))
    assert any_store.usage("daynight", NOON, NOON + DAY) == (used(NOON, NOON + HOUR),)


def test_places_pools_and_policies_are_apart(any_store: Store) -> None:
    opens(any_store, used(NOON, None))
    elsewhere = a_placement(region="us-west-2")
    any_store.close_usage("daynight", "training", elsewhere, NOON + HOUR)
    any_store.close_usage("daynight", "inference", a_placement(), NOON + HOUR)
    any_store.close_usage("other", "training", a_placement(), NOON + HOUR)
    assert any_store.usage("daynight", NOON, NOON + DAY) == (used(NOON, None),)


def test_what_would_end_before_it_began_never_was(any_store: Store) -> None:
    opens(any_store, used(NOON, None))
    any_store.close_usage("daynight", "training", a_placement(), NOON - HOUR)
    assert any_store.usage("daynight", NOON - DAY, NOON + DAY) == ()


@pytest.mark.parametrize(
    ("start", "end", "rows"),
    [
        (NOON - DAY, NOON, 0),
        (NOON - DAY, NOON + MINUTE, 1),
        (NOON + HOUR - MINUTE, NOON + DAY, 1),
        (NOON + HOUR, NOON + DAY, 0),
    ],
)
def test_rows_overlap_the_half_open_span(
    any_store: Store, start: datetime, end: datetime, rows: int
) -> None:
    opens(any_store, used(NOON, None))
    any_store.close_usage("daynight", "training", a_placement(), NOON + HOUR)
    assert len(any_store.usage("daynight", start, end)) == rows


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], "0"),
        ([used(NOON, NOON + HOUR)], "14.490"),
        ([used(NOON, None)], "347.760"),
        ([used(NOON - DAY, NOON + HOUR)], "14.490"),
        ([used(NOON + 23 * HOUR, NOON + 2 * DAY)], "14.490"),
        ([used(NOON - DAY, NOON), used(NOON + DAY, None)], "0"),
        ([used(NOON, NOON + 20 * MINUTE), used(NOON + HOUR, NOON + HOUR + 40 * MINUTE)], "14.490"),
        ([used(NOON, NOON + HOUR, usd=None)], None),
        ([used(NOON, NOON + HOUR), used(NOON, NOON + HOUR, usd=None)], None),
        ([used(NOON - DAY, NOON, usd=None)], "0"),
        ([used(NOON, NOON + HOUR, nodes=0, usd=None)], "0"),
    ],
)
def test_cost_within_a_day(rows: list[Usage], expected: str | None) -> None:
    cost = cost_usd(rows, NOON, NOON + DAY)
    assert cost == (None if expected is None else Decimal(expected))


@given(st.lists(st.integers(min_value=0, max_value=48), min_size=2, max_size=2, unique=True))
def test_cost_of_two_spans_adds_up(hours: list[int]) -> None:
    first, last = (NOON + hour * HOUR for hour in sorted(hours))
    rows = [used(NOON, NOON + DAY), used(NOON + 12 * HOUR, None, nodes=5, usd="0.1")]
    whole = cost_usd(rows, NOON, last)
    parts = [cost_usd(rows, NOON, first), cost_usd(rows, first, last)]
    assert whole is not None
    assert whole == sum((part for part in parts if part is not None), Decimal(0))
