"""When the cloud's own schedule may empty a pool: never while it may be on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.models.pool import Fixed
from multicloud.policy.backstop import DAYS
from multicloud.policy.calendar import calendar_for
from multicloud.policy.evaluate import evaluate
from tests.builders import compiled, faults

TIER = "{in: aws/us-east-1}"


def times(when: str, *, after: str = "2h", more: str = "") -> list[tuple[str, str]]:
    pool = compiled(
        f"need: A100:8\nbackstop: {after}\nrules:\n  - {{when: {when}, place: {TIER}}}\n"
        f"{more}otherwise: off"
    )
    return [("".join(day[:2] for day in found.days), found.time) for found in pool.backstops]


ALL_DAYS = "motuwethfrsasu"


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("mon-fri 08:00-20:00 UTC", [("motuwethfr", "22:00")]),
        ("20:00-08:00 UTC", [(ALL_DAYS, "10:00")]),
        ("fri 20:00-mon 08:00 UTC", [("mo", "10:00")]),
        ("mon-fri 08:00-23:00 UTC", [("tuwethfrsa", "01:00")]),
        ("08:00-20:00 Asia/Shanghai", [(ALL_DAYS, "14:00")]),
        # Either offset of the zone has its time.
        ("sat 08:00-20:00 Europe/Berlin", [("sa", "20:00"), ("sa", "21:00")]),
        ("[mon 08:00-12:00 UTC, mon 12:00-18:00 UTC]", [("mo", "20:00")]),
        # A day of a calendar can be any day.
        ("holiday 08:00-20:00 UTC", [(ALL_DAYS, "22:00")]),
        ("{time: mon 08:00-20:00 UTC, dates: 2031-05-01..2031-06-01}", [("mo", "22:00")]),
        ("{time: mon 08:00-20:00 UTC, price: {below: 1/gpu-h}}", [("mo", "22:00")]),
    ],
)
def test_times_lie_after_the_ends_of_windows(when: str, expected: list[tuple[str, str]]) -> None:
    head = "version: 1\nname: test\ntimezone: UTC\nworkdays: DE\n"
    pool = compiled(
        f"need: A100:8\nbackstop: 2h\nrules:\n  - {{when: {when}, place: {TIER}}}\notherwise: off",
        head=head,
    )
    found = [("".join(day[:2] for day in one.days), one.time) for one in pool.backstops]
    assert found == expected


def test_a_time_that_falls_into_another_window_is_left_out() -> None:
    assert times("[mon 08:00-12:00 UTC, mon 13:00-18:00 UTC]") == [("mo", "20:00")]


def test_a_price_that_may_keep_the_pool_on_leaves_no_time() -> None:
    more = f"  - {{when: {{price: {{below: 1/gpu-h}}}}, place: {TIER}}}\n"
    assert times("mon-fri 08:00-20:00 UTC", more=more) == []


def test_a_window_that_opens_within_minutes_leaves_no_time() -> None:
    assert times("[mon 08:00-12:00 UTC, mon 14:06-18:00 UTC]") == [("mo", "20:00")]


def test_a_pool_that_is_always_on_has_none_and_says_so() -> None:
    assert compiled(f"need: A100:8\nbackstop: 2h\nplace: {TIER}").backstops == ()


@pytest.mark.parametrize("text", ["90s", "7d", "0m"])
def test_a_backstop_counts_in_minutes_under_a_week(text: str) -> None:
    found = faults(
        "version: 1\nname: test\npools:\n  p:\n    need: A100\n"
        f"    place: {TIER}\n    backstop: {text}\n"
    )
    assert len(found) == 1
    assert "backstop" in found[0]


HOURS = st.integers(0, 23)


@given(
    start=HOURS,
    end=HOURS,
    first=st.integers(0, 6),
    last=st.integers(0, 6),
    zone=st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"]),
    after=st.integers(1, 30),
    at=st.integers(0, 366 * 24 * 4),
)
def test_no_time_lies_in_a_window(
    start: int, end: int, first: int, last: int, zone: str, after: int, at: int
) -> None:
    if start == end:
        end = (start + 1) % 24
    when = f"{DAYS[first]}-{DAYS[last]} {start:02}:00-{end:02}:00 {zone}"
    pool = compiled(
        f"need: A100:8\nbackstop: {after}h\nrules:\n  - {{when: {when}, place: {TIER}}}\n"
        "otherwise: off"
    )
    now = datetime(2029, 1, 1, tzinfo=UTC) + timedelta(minutes=15 * at)
    acts = any(
        DAYS[now.weekday()] in found.days and f"{now:%H:%M}" == found.time
        for found in pool.backstops
    )
    (rule,) = pool.rules
    truth = evaluate(
        rule.when, now, calendar=calendar_for(None), measure=lambda _: None, remembered={}
    ).truth
    assert pool.otherwise is Fixed.OFF
    assert not (acts and truth == "yes")
