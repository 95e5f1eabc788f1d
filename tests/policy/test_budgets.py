"""Budgets as they are written, and the calendar that they are counted by."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.errors import InvalidInputsError
from multicloud.models.pool import Period
from multicloud.policy.budgets import period_at
from tests.builders import at
from tests.decide.scene import policy_of

POOL = "p: {need: A100:8, place: {in: aws}, budget: {%s}}"


def test_what_holds_without_a_word() -> None:
    policy = policy_of(POOL % "max: 1200 EUR/month", head="fx: {EUR: 0.9}")
    budget = policy.pools[0].budget
    assert budget is not None
    assert (budget.amount, budget.currency, budget.period) == (Decimal(1200), "EUR", Period.MONTH)
    assert (budget.warn_at, budget.is_off) == (Decimal("0.8"), False)
    assert policy.budget is None


def test_a_policys_budget_is_not_its_pools() -> None:
    policy = policy_of("p: {need: A100:8, place: {in: aws}}", head="budget: {max: 50/day}")
    assert policy.budget is not None
    assert policy.budget.period is Period.DAY
    assert policy.pools[0].budget is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max: 1000/week", "/week"),
        ("max: 0/month", "not above 0"),
        ("max: 1000", "/month"),
        ("max: 1000 XYZ/month", "XYZ"),
        ("max: 1000/month, warn_at: 0%", "warns never, or always"),
        ("max: 1000/month, warn_at: 120%", "120%"),
        ("max: 1000/month, when_spent: wait", "wait"),
        ("warn_at: 50%", "max"),
    ],
)
def test_bad_budgets_are_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidInputsError) as caught:
        policy_of(POOL % text)
    assert told in " ".join(f"{e.summary} {e.detail}" for e in caught.value.errors)


def test_without_a_zone_nobody_knows_when_a_month_begins() -> None:
    with pytest.raises(InvalidInputsError) as caught:
        policy_of(POOL % "max: 1000/month", head="# no timezone:")
    assert "no time zone" in caught.value.errors[0].summary


@pytest.mark.parametrize(
    ("period", "zone", "now", "start", "end"),
    [
        ("month", "UTC", "2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("month", "UTC", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
        # Shanghai is eight hours ahead.
        (
            "month",
            "Asia/Shanghai",
            "2026-11-30T16:00:00Z",
            "2026-11-30T16:00:00Z",
            "2026-12-31T16:00:00Z",
        ),
        # The months in which Berlin's clocks change.
        (
            "month",
            "Europe/Berlin",
            "2026-10-31T12:00:00Z",
            "2026-09-30T22:00:00Z",
            "2026-10-31T23:00:00Z",
        ),
        # A day of 25 hours and one of 23.
        (
            "day",
            "Europe/Berlin",
            "2026-10-25T12:00:00Z",
            "2026-10-24T22:00:00Z",
            "2026-10-25T23:00:00Z",
        ),
        (
            "day",
            "Europe/Berlin",
            "2026-03-29T12:00:00Z",
            "2026-03-28T23:00:00Z",
            "2026-03-29T22:00:00Z",
        ),
        # The hour from 2 to 3 comes twice.
        (
            "h",
            "Europe/Berlin",
            "2026-10-25T01:30:00Z",
            "2026-10-25T00:00:00Z",
            "2026-10-25T02:00:00Z",
        ),
    ],
)
def test_periods_are_the_calendars(period: str, zone: str, now: str, start: str, end: str) -> None:
    assert period_at(Period(period), zone, at(now)) == (at(start), at(end))


@given(
    st.sampled_from(list(Period)),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
    st.datetimes(min_value=at("2026-01-01T00:00:00Z").replace(tzinfo=None)).filter(
        lambda d: d.year < 2100
    ),
)
def test_periods_follow_each_other_without_a_gap(period: Period, zone: str, now: object) -> None:
    from datetime import UTC, datetime, timedelta

    assert isinstance(now, datetime)
    instant = now.replace(tzinfo=UTC, microsecond=0)
    start, end = period_at(period, zone, instant)
    assert start <= instant < end
    assert period_at(period, zone, end)[0] == end
    assert period_at(period, zone, start - timedelta(seconds=1))[1] == start
