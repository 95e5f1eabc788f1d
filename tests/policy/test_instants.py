from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.errors import InvalidInputError
from multicloud.policy.instants import parse_at, parse_bound


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-12-01T10:12", "Asia/Shanghai", "2026-12-01T02:12:00+00:00"),
        ("2026-12-01 10:12:30", "Asia/Shanghai", "2026-12-01T02:12:30+00:00"),
        ("2026-12-01T10:12:00+08:00", None, "2026-12-01T02:12:00+00:00"),
        ("2026-12-01T02:12:00Z", "Asia/Tokyo", "2026-12-01T02:12:00+00:00"),
        ("2026-12-01T02:12:00.75z", None, "2026-12-01T02:12:00+00:00"),
        ("2026-11-01T01:30:00-05:00", "America/New_York", "2026-11-01T06:30:00+00:00"),
    ],
)
def test_instants(text: str, zone: str | None, expected: str) -> None:
    assert parse_at(text, zone).isoformat() == expected


def refusal(text: str, zone: str | None) -> str:
    with pytest.raises(InvalidInputError) as error:
        parse_at(text, zone)
    return str(error.value)


def test_b20_an_ambiguous_time_offers_both_offsets() -> None:
    said = refusal("2026-11-01T01:30", "America/New_York")
    assert "2026-11-01T01:30:00-04:00" in said
    assert "2026-11-01T01:30:00-05:00" in said


def test_a_missing_time_offers_both_sides() -> None:
    said = refusal("2026-03-29T02:30", "Europe/Berlin")
    assert "does not exist" in said
    assert "2026-03-29T01:30:00+01:00 or 2026-03-29T03:30:00+02:00" in said


@pytest.mark.parametrize("zone", [None, ""])
def test_without_a_zone_an_offset_is_required(zone: str | None) -> None:
    assert "has no offset" in refusal("2026-12-01T10:12", zone)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-12-01",
        "2026-13-01T00:00",
        "2026-12-01T24:00",
        "2026-12-01T10:12+99:00",
        "0001-01-01T00:00Z",
        "9999-12-31T23:59:59Z",
        "2026-12-01T10:12:60Z",
        "２０２６-12-01T10:12Z",
    ],
)
def test_what_is_no_instant(text: str) -> None:
    assert text in refusal(text, "UTC")


@given(
    st.timedeltas(timedelta(0), timedelta(days=7300)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
)
def test_a_wall_clock_time_is_read_or_refused(passed: timedelta, zone: str) -> None:
    instant = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=passed // timedelta(seconds=1))
    wall = instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    info = ZoneInfo(zone)
    offsets = {wall.replace(tzinfo=info, fold=fold).utcoffset() for fold in (0, 1)}
    if len(offsets) == 1:
        assert parse_at(wall.isoformat(), zone) == instant
    else:
        assert "comes twice" in refusal(wall.isoformat(), zone)


@pytest.mark.parametrize(
    ("text", "zone", "at"),
    [
        ("2026-12-01", "Asia/Shanghai", "2026-11-30T16:00:00Z"),
        ("2026-12-01", "", "2026-12-01T00:00:00Z"),
        # There is no midnight on this day: the clocks go from 0:00 to 1:00.
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
        # Midnight comes twice: the day begins at the first.
        ("2026-11-01", "America/Havana", "2026-11-01T04:00:00Z"),
        ("2026-12-01T10:12", "Asia/Shanghai", "2026-12-01T02:12:00Z"),
    ],
)
def test_a_date_is_its_first_instant(text: str, zone: str, at: str) -> None:
    assert parse_bound(text, zone) == datetime.fromisoformat(at)


@pytest.mark.parametrize("text", ["2026-13-01", "0001-01-01", "2026-12", "20261201"])
def test_what_is_no_bound(text: str) -> None:
    with pytest.raises(InvalidInputError, match=text):
        parse_bound(text, "UTC")
