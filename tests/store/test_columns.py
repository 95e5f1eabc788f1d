from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, insert, select
from sqlalchemy.exc import StatementError

from multicloud.store.columns import ExactDecimal, UtcInstant

ENGINE = create_engine("sqlite://")
METADATA = MetaData()
VALUES = Table(
    "given",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("money", ExactDecimal),
    Column("instant", UtcInstant),
)
ZONES = st.integers(min_value=-14 * 60, max_value=14 * 60).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
INSTANTS = st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
    timezones=ZONES,
)


def through(**values: object) -> tuple[object, ...]:
    """What a row gives back."""
    with ENGINE.begin() as connection:
        METADATA.create_all(connection)
        connection.execute(insert(VALUES).values(**values))
        row = connection.execute(select(VALUES.c.money, VALUES.c.instant)).one()
        METADATA.drop_all(connection)
    return tuple(row)


@settings(deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_money_is_exact(amount: Decimal) -> None:
    back, _ = through(money=amount)
    assert isinstance(back, Decimal)
    assert str(back) == str(amount)


@settings(deadline=None)
@given(INSTANTS)
def test_instants_come_back_in_utc(instant: datetime) -> None:
    _, back = through(instant=instant)
    assert back == instant
    assert isinstance(back, datetime)
    assert back.tzinfo is UTC


def test_nothing_stays_nothing() -> None:
    assert through(money=None, instant=None) == (None, None)


def test_stored_instants_sort_by_time() -> None:
    kolkata = timezone(timedelta(hours=5, minutes=30))
    early = datetime(2026, 5, 4, 12, 0, tzinfo=kolkata)
    late = datetime(2026, 5, 4, 11, 0, tzinfo=UTC)
    with ENGINE.begin() as connection:
        METADATA.create_all(connection)
        connection.execute(insert(VALUES), [{"instant": late}, {"instant": early}])
        before = connection.execute(select(VALUES.c.id).where(VALUES.c.instant < late)).all()
        METADATA.drop_all(connection)
    assert [row.id for row in before] == [2]


@pytest.mark.parametrize(
    "values",
    [
        {"instant": datetime(2026, 5, 4)},  # noqa: DTZ001 - what is refused
        {"money": Decimal("NaN")},
        {"money": Decimal("-Infinity")},
    ],
)
def test_what_means_nothing_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(StatementError, match="cannot store"):
        through(**values)
    with ENGINE.begin() as connection:
        METADATA.drop_all(connection)
