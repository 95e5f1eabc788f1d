from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from multicloud.errors import InvalidInputError
from multicloud.policy.zones import check_zone, is_fixed, load_zone

ROOT = Path(__file__).parents[2]

# What a minimal image looks like: no files of the system, no package.
WITHOUT_TZDATA = """
import sys
sys.modules["tzdata"] = None
sys.modules["tzdata.zoneinfo"] = None
from multicloud.errors import MulticloudError
"""


def run_bare(code: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "PYTHONTZPATH": "", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_TZDATA + code],
        capture_output=True,
        text=True,
        env=environ,
        timeout=60,
        check=False,
    )


def test_b24_no_zone_table_is_an_error_not_utc() -> None:
    done = run_bare(
        """
from multicloud.policy.compile import Source, compile_policies
text = '''
version: 1
name: tokyo
timezone: Asia/Tokyo
pools: {p: {need: A100, rules: [{when: 09:00-17:00, place: {in: aws}}], otherwise: off}}
'''
try:
    compile_policies([Source("tokyo.yaml", text)])
except MulticloudError as error:
    print(error)
    raise SystemExit(error.exit_code)
"""
    )
    assert done.returncode == 3, done.stderr
    assert "Asia/Tokyo" in done.stdout
    assert "pip install tzdata" in done.stdout
    assert "tokyo.yaml:4:11" in done.stdout


def test_b24_a_window_is_never_evaluated_in_utc() -> None:
    done = run_bare(
        """
from datetime import datetime, UTC
from multicloud.models.condition import DailyWindow
from multicloud.policy.calendar import calendar_for
from multicloud.policy.window import contains
window = DailyWindow(start=0, end=1440, zone="Asia/Tokyo", weekdays=frozenset(),
                     kinds=frozenset(), text="")
try:
    print(contains(window, datetime(2026, 5, 4, 6, tzinfo=UTC), calendar_for(None)))
except MulticloudError as error:
    print("refused:", error)
"""
    )
    assert done.stdout.startswith("refused:"), done.stdout + done.stderr
    assert "Asia/Tokyo" in done.stdout


@pytest.mark.parametrize(
    "name", ["Asia/Shanghai", "PRC", "Japan", "US/Pacific", "GMT", "Etc/GMT+8", "EST", "CET", "UTC"]
)
def test_names_of_the_database(name: str) -> None:
    check_zone(name)
    assert load_zone(name).key == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CST", "may mean Asia/Shanghai"),
        ("IST", "may mean Asia/Kolkata"),
        ("PST", "may mean America/Los_Angeles"),
        ("cst", "may mean Asia/Shanghai"),
        ("asia/shanghai", "Did you mean Asia/Shanghai?"),
        ("ASIA/SHANGHAI", "Did you mean Asia/Shanghai?"),
        ("Asia/Beijing", "Did you mean"),
        ("+08:00", "An offset has no summer time"),
        ("GMT+08:00", "An offset has no summer time"),
        ("New York", "Did you mean America/New_York?"),
        ("../../etc/passwd", ""),
        ("/etc/localtime", ""),
        ("Factory", ""),
        ("posixrules", ""),
        ("", ""),
        ("Asia", ""),
        ("\x00", ""),
    ],
)
def test_other_names_are_refused(name: str, expected: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        check_zone(name)
    assert "unknown time zone" in error.value.summary
    assert expected in error.value.hint


def test_which_zones_are_bare_offsets() -> None:
    assert [is_fixed(name) for name in ("GMT", "EST", "Etc/GMT+8", "Zulu")] == [True] * 4
    assert [is_fixed(name) for name in ("UTC", "Etc/UTC", "EST5EDT", "Asia/Tokyo")] == [False] * 4
