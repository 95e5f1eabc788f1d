"""Price points: written once, read back as what a run may believe."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from multicloud.models.feed import PricePoint
from multicloud.models.offer import CapacityType, Cloud, OfferKey
from multicloud.store import prices
from multicloud.store.store import Store
from tests.builders import NOON

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import pytest

HOUR = timedelta(hours=1)
P4D = OfferKey(Cloud.AWS, "us-east-1", "use1-az1", "p4d.24xlarge", CapacityType.SPOT)


def a_point(
    amount: str = "10.00", at: datetime = NOON, key: OfferKey = P4D, **more: object
) -> PricePoint:
    given = {"currency": "USD", "source": "feed", **more}
    return PricePoint(key=key, amount=Decimal(amount), observed_at=at, **given)  # type: ignore[arg-type]


def looked(store: Store, at: datetime, *points: PricePoint) -> prices.Saved:
    with store._writing() as connection:
        return prices.save_looked(connection, store.target, points, at)


def told(store: Store, at: datetime = NOON + 100 * HOUR) -> dict[OfferKey, list[tuple[str, str]]]:
    with store._reading() as connection:
        return {
            key: [(str(quote.amount), f"{quote.observed_at:%H:%M}") for quote in quotes]
            for key, quotes in prices.quotes(connection, store.target, at)
        }


def test_a_price_that_stays_is_as_fresh_as_its_last_look(any_store: Store) -> None:
    assert looked(any_store, NOON, a_point()) == (1, 0)
    assert looked(any_store, NOON + HOUR, a_point(at=NOON + HOUR)) == (0, 1)
    assert told(any_store) == {P4D: [("10.00", "12:00"), ("10.00", "13:00")]}


def test_a_price_that_changes_is_history(any_store: Store) -> None:
    looked(any_store, NOON, a_point())
    assert looked(any_store, NOON + HOUR, a_point("11.00", NOON + HOUR)) == (1, 0)
    assert told(any_store) == {P4D: [("10.00", "12:00"), ("11.00", "13:00")]}
    assert told(any_store, NOON + HOUR / 2) == {P4D: [("10.00", "12:00")]}
    assert told(any_store, NOON - HOUR) == {}


def test_the_same_batch_twice_is_as_once(any_store: Store) -> None:
    batch = [a_point(), a_point("11.00", NOON + HOUR)]
    assert looked(any_store, NOON + HOUR, *batch) == (2, 0)
    before = told(any_store)
    looked(any_store, NOON + HOUR, *batch)
    assert told(any_store) == before


def test_an_older_look_never_makes_a_price_younger_or_older(any_store: Store) -> None:
    looked(any_store, NOON + HOUR, a_point())
    looked(any_store, NOON, a_point())
    assert told(any_store)[P4D][-1] == ("10.00", "13:00")


def test_sites_zones_and_capacity_types_are_apart(any_store: Store) -> None:
    keys = [
        P4D,
        P4D._replace(zone="use1-az2"),
        P4D._replace(capacity_type=CapacityType.ON_DEMAND),
        P4D._replace(region="us-west-2"),
    ]
    looked(any_store, NOON, *(a_point(str(n), key=key) for n, key in enumerate(keys, start=1)))
    looked(any_store, NOON, a_point("9", site="china"))
    with any_store._reading() as connection:
        found = list(prices.quotes(connection, any_store.target, NOON))
    assert sorted((key, q[-1].site, str(q[-1].amount)) for key, q in found) == sorted(
        [*((key, "", str(n)) for n, key in enumerate(keys, start=1)), (P4D, "china", "9")]
    )


def test_only_the_newest_few_are_read(any_store: Store) -> None:
    with any_store._writing() as connection:
        points = [a_point(f"{10 + n}.00", NOON + n * HOUR) for n in range(50)]
        assert prices.save_history(connection, any_store.target, points) == 50
    found = told(any_store)[P4D]
    assert len(found) == prices.RECENT
    assert found[-1][0] == "59.00"


def test_history_is_as_it_was_told(any_store: Store) -> None:
    points = [a_point("10.00"), a_point("10.00", NOON + HOUR), a_point("12.00", NOON + 2 * HOUR)]
    with any_store._writing() as connection:
        assert prices.save_history(connection, any_store.target, iter(points)) == 3
        assert prices.save_history(connection, any_store.target, iter(points)) == 0
    with any_store._reading() as connection:
        found = list(
            prices.history(
                connection, any_store.target, NOON, NOON + 2 * HOUR - timedelta(seconds=1)
            )
        )
    assert [(h.key, h.quote.amount, h.quote.observed_at) for h in found] == [
        (P4D, Decimal("10.00"), NOON),
        (P4D, Decimal("10.00"), NOON + HOUR),
    ]


def test_many_points_at_once_are_kept_to_the_letter(any_store: Store) -> None:
    odd = 'tab\t newline\n \\N "quoted" ü'
    points = [
        a_point(f"{n}.{n % 10}0", NOON + n * timedelta(minutes=1), source=odd)
        for n in range(1, 600)
    ]
    market = any_store.market
    assert market.import_points([*points, *points[:50]]) == 599
    assert market.import_points(points) == 0
    found = list(market.history(NOON, NOON + 24 * HOUR))
    assert [(h.quote.amount, h.quote.observed_at, h.quote.source) for h in found] == [
        (point.amount, point.observed_at, odd) for point in points
    ]
    assert str(found[0].quote.amount) == "1.10"


def test_the_history_of_some_offers_is_in_order(any_store: Store) -> None:
    others = [a_point("1", key=P4D._replace(region=name)) for name in ("b-1", "a-1", "c-1")]
    any_store.market.import_points(others)
    found = any_store.market.history(NOON, NOON, takes=lambda key: key.region != "c-1")
    assert [one.key.region for one in found] == ["a-1", "b-1"]


def test_targets_are_apart(place: str) -> None:
    with Store.open(place, target="live") as live, Store.open(place, target="sandbox") as store:
        looked(live, NOON, a_point())
        assert told(store) == {}
        assert looked(store, NOON, a_point("5")) == (1, 0)
        assert told(live)[P4D] == [("10.00", "12:00")]


def test_an_accepted_price_says_so(any_store: Store) -> None:
    looked(any_store, NOON, a_point())
    looked(any_store, NOON + HOUR, a_point("99.00", NOON + HOUR))
    with any_store._writing() as connection:
        assert prices.accept(connection, any_store.target, P4D, "") == 1
        assert prices.accept(connection, any_store.target, P4D._replace(region="x"), "") == 0
    with any_store._reading() as connection:
        ((_, quotes),) = prices.quotes(connection, any_store.target, NOON + HOUR)
    assert [quote.accepted for quote in quotes] == [False, True]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    looks=st.lists(
        st.tuples(st.integers(0, 20), st.sampled_from(["1", "2", "3"])), min_size=1, max_size=12
    )
)
def test_whatever_is_looked_the_last_look_counts(
    tmp_path_factory: pytest.TempPathFactory, looks: list[tuple[int, str]]
) -> None:
    path: Path = tmp_path_factory.mktemp("store") / "s.sqlite"
    ordered = sorted(dict(looks).items())
    with Store.open(path, target="sandbox") as store:
        for hour, amount in ordered:
            at = NOON + hour * HOUR
            looked(store, at, a_point(amount, at))
        last_hour, last = ordered[-1]
        with store._reading() as connection:
            ((_, quotes),) = prices.quotes(connection, "sandbox", NOON + 30 * HOUR)
        assert str(quotes[-1].amount) == last
        assert quotes[-1].observed_at == NOON + last_hour * HOUR
