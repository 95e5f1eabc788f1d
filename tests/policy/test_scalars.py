from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.policy import kinds
from multicloud.policy.scalars import (
    Kind,
    ScalarError,
    parse_bool,
    parse_count,
    parse_currency,
    parse_duration,
    parse_factor,
    parse_number,
    parse_port,
    parse_price,
    parse_share,
    parse_size,
    parse_spend,
    parse_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ALL_KINDS = [value for value in vars(kinds).values() if isinstance(value, Kind)]


def refusal(parse: Callable[[str], object], text: str) -> str:
    with pytest.raises(ScalarError) as error:
        parse(text)
    return " ".join((error.value.summary, error.value.expected, error.value.hint))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("15m", 900), ("1h30m", 5400), ("2d", 172800), ("100s", 100), ("0m", 0), ("1d2h3m4s", 93784)],
)
def test_durations(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15", "Write 15m for minutes"),
        ("", "not a duration"),
        ("1.5h", "not a duration"),
        ("30m1h", "not a duration"),
        ("1w", "not a duration"),
        ("-5m", "not a duration"),
        ("15 m", "not a duration"),
        ("99999d", "too long"),
        ("9" * 400 + "d", "too long"),
        ("１５m", "not a duration"),
    ],
)
def test_what_is_no_duration(text: str, expected: str) -> None:
    assert expected in refusal(parse_duration, text)


def test_sizes() -> None:
    assert parse_size("200Gi") == 200
    assert parse_size("2Ti") == 2048
    assert parse_size("512Mi") == Decimal("0.5")
    assert parse_size("1.5 Gi") == Decimal("1.5")


@pytest.mark.parametrize(
    ("text", "near"),
    [("200GB", "200Gi"), ("200", "200Gi"), ("2TB", "2Ti"), ("200gi", "200Gi"), ("1g", "1Gi")],
)
def test_a_size_without_its_unit_has_a_near_miss(text: str, near: str) -> None:
    assert f'Did you mean "{near}"?' in refusal(parse_size, text)


def test_shares() -> None:
    assert parse_share("10%") == Decimal("0.10")
    assert parse_share("2.5 %") == Decimal("0.025")
    assert 'Did you mean "10%"?' in refusal(parse_share, "0.1")
    assert 'Did you mean "10%"?' in refusal(parse_share, "10")
    assert "above 100 %" in refusal(parse_share, "101%")
    assert "not a share" in refusal(parse_share, "-5%")


def test_prices() -> None:
    price = parse_price("2.10/gpu-h")
    assert (price.amount, price.currency, price.per_gpu) == (Decimal("2.10"), "", True)
    price = parse_price("15  CNY / node-h")
    assert (price.amount, price.currency, price.per_gpu) == (Decimal(15), "CNY", False)
    assert price.text == "15 CNY / node-h"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.10", 'per GPU: "2.10/gpu-h", per node: "2.10/node-h"'),
        ("2.10/h", "Say per GPU (/gpu-h) or per node (/node-h)"),
        ("2.10/gpu", 'Did you mean "/gpu-h"'),
        ("2,10/gpu-h", "Use a point"),
        ("0/gpu-h", "not above 0"),
        ("0.00/gpu-h", "not above 0"),
        ("-1/gpu-h", "not an amount"),
        ("1e3/gpu-h", "not an amount"),
        ("nan/gpu-h", "not an amount"),
        ("inf/gpu-h", "not an amount"),
        ("$2/gpu-h", "as a code behind the amount"),
        ("2 RMB/gpu-h", 'Did you mean "CNY"'),
        ("2 usd/gpu-h", 'Did you mean "USD"'),
        ("free", "not an amount of money"),
        ("", "not an amount of money"),
        ("1" * 40 + "/gpu-h", "too long"),
    ],
)
def test_what_is_no_price(text: str, expected: str) -> None:
    assert expected in refusal(parse_price, text)


def test_spend_is_per_hour() -> None:
    assert parse_spend("400/h").per_hour == 400
    assert parse_spend("240/day").per_hour == 10
    assert parse_spend("7200 CNY/month").per_hour == 10
    assert parse_spend("7200 CNY/month").currency == "CNY"
    assert 'Did you mean "/h"?' in refusal(parse_spend, "400/hour")
    assert 'Write per hour: "400/h"' in refusal(parse_spend, "400")


def test_numbers() -> None:
    assert parse_number("0") == 0
    assert parse_count("007") == 7
    assert parse_factor("4") == 4
    assert parse_port("22") == 22
    for parse, text in (
        (parse_number, "1_000"),
        (parse_number, "0x10"),
        (parse_number, "+1"),
        (parse_count, "1.0"),
        (parse_count, "1e3"),
        (parse_count, "9999999"),
        (parse_factor, "1"),
        (parse_port, "0"),
        (parse_port, "65536"),
    ):
        refusal(parse, text)


def test_booleans_are_those_of_yaml_1_2() -> None:
    assert parse_bool("true") is True
    assert parse_bool("False") is False
    assert "Write true" in refusal(parse_bool, "yes")
    assert "Write false" in refusal(parse_bool, "off")


def test_currencies() -> None:
    assert parse_currency("CNY") == "CNY"
    assert 'Did you mean "CNY"?' in refusal(parse_currency, "RMB")


def test_env_is_refused_where_nothing_replaces_it() -> None:
    assert parse_text("plain") == "plain"
    assert "not replaced here" in refusal(parse_text, "x ${env:TOKEN}")


@given(st.sampled_from(ALL_KINDS), st.text())
def test_any_text_is_parsed_or_refused(kind: Kind[object], text: str) -> None:
    try:
        kind.parse(text)
    except ScalarError as error:
        assert error.summary  # noqa: PT017 - both outcomes are right; only a traceback is not


def test_the_kinds_are_told_apart_by_name() -> None:
    names = [kind.name for kind in ALL_KINDS]
    assert len(names) > 40
    assert sorted(names) == sorted(set(names))
