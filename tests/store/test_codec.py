from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multicloud.models.change import StackPlan
from multicloud.models.decision import Decision
from multicloud.models.memory import LastDecision, Memory, PoolMemory
from multicloud.models.placement import Placement
from multicloud.models.quote import Quote
from multicloud.models.run import RecordedStack
from multicloud.store.codec import dumps, encode, loads, loads_object
from multicloud.store.failures import UnreadableError
from tests.builders import a_quote, an_offer
from tests.store.samples import a_placement, any_of

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS = [Placement, PoolMemory, Memory, RecordedStack, Decision, StackPlan]


@pytest.mark.parametrize("model", MODELS)
def test_models_come_back_equal(model: type[object]) -> None:
    @settings(max_examples=40, deadline=None)
    @given(any_of(model))
    def comes_back(value: object) -> None:
        text = dumps(value)
        again = loads(model, text)
        assert again == value
        assert dumps(again) == text

    comes_back()


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_digits_of_an_amount_are_kept(amount: Decimal) -> None:
    quote = Quote(
        amount=amount, currency="USD", observed_at=datetime(2026, 1, 1, tzinfo=UTC), source="s"
    )
    assert str(loads(Quote, dumps(quote)).amount) == str(amount)


def test_offers_with_their_quotes_come_back() -> None:
    offer = an_offer("1.10", quotes=(a_quote("1.10"), a_quote("1.20")))
    assert loads(type(offer), dumps(offer)) == offer


def test_text_is_the_same_whatever_the_order_of_a_mapping() -> None:
    forth = PoolMemory(truths={"a": True, "b": False})
    back = PoolMemory(truths={"b": False, "a": True})
    assert dumps(forth) == dumps(back)
    first, second = an_offer().key, an_offer(region="us-west-2").key
    last = LastDecision.__dataclass_fields__["quotes"].name
    texts = {
        dumps({last: {k: Decimal(1) for k in keys}}) for keys in ((first, second), (second, first))
    }
    assert len(texts) == 1


def test_instants_are_written_in_utc() -> None:
    shanghai = datetime(2026, 12, 1, 10, 12, tzinfo=timezone(timedelta(hours=8)))
    assert encode(shanghai) == "2026-12-01T02:12:00Z"


@pytest.mark.parametrize(
    "value",
    [datetime(2026, 1, 1), Decimal("NaN"), Decimal("Infinity")],  # noqa: DTZ001 - what is refused
)
def test_what_means_nothing_is_not_written(value: object) -> None:
    with pytest.raises(ValueError, match="cannot store"):
        dumps(value)


def test_not_a_number_is_not_written_as_json() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        dumps({"usd": float("nan")})


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot store a object"):
        dumps(object())


@pytest.mark.parametrize("kind", [bytes, dict[str, int], int | str, float])
def test_other_types_are_not_read(kind: type) -> None:
    with pytest.raises(UnreadableError):
        loads(kind, '"x"')


def test_a_field_that_is_absent_takes_its_default_and_an_unknown_one_is_passed_over() -> None:
    data: Any = encode(a_placement())
    del data["arch"]
    data["colour"] = "blue"
    assert loads(Placement, json.dumps(data)) == a_placement()


def _without_nodes(data: dict[str, Any]) -> None:
    del data["nodes"]


def _set(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.__setitem__(name, value)


@pytest.mark.parametrize(
    "damage",
    [
        _without_nodes,
        _set("nodes", "2"),
        _set("nodes", True),
        _set("gpus_per_node", "1/0"),
        _set("gpus_per_node", 8),
        _set("bid", "NaN"),
        _set("bid", "cheap"),
        _set("slot", None),
        _set("slot", ["aws"]),
        _set("price", {}),
        lambda data: data["slot"].update(cloud="moon"),
        lambda data: data["slot"].update(zones="use1-az1"),
        lambda data: data["price"].update(observed_at="2026-01-01T00:00:00"),
        lambda data: data["price"].update(observed_at="noon"),
    ],
)
def test_a_damaged_record_is_said_to_be_unreadable(
    damage: Callable[[dict[str, Any]], None],
) -> None:
    data: Any = encode(a_placement())
    damage(data)
    with pytest.raises(UnreadableError):
        loads(Placement, json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"'])
def test_what_is_no_object_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        loads(Placement, text)
    with pytest.raises(UnreadableError):
        loads_object(text)


def test_objects_come_back_as_they_are() -> None:
    body = {"usd_per_hour": 14.49, "after": [{"gpus": 16}], "unmet": None}
    assert loads_object(dumps(body)) == body


def test_fractions_are_text() -> None:
    assert encode(Fraction(1, 4)) == "1/4"
