"""Prices from the clouds' feeds to a file and back, and what a jump is held back for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.test_apply import rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

AT, LATER = "2026-12-01T10:00:00Z", "2026-12-01T12:00:00Z"
HERE = ("--in", "tencent/ap-guangzhou", "--type", "GN7.2XLARGE32")


def refreshed(multicloud: Multicloud, at: str, *rest: str) -> dict[str, int]:
    said = multicloud("prices", "refresh", "--cloud", "tencent", "--at", at, "--json", *rest)
    assert said.code == 0, said.err
    told = said.json["clouds"]["tencent"]
    return {name: told[name] for name in ("read", "skipped", "new", "same")}


def test_a_refresh_adds_what_is_new_once(multicloud: Multicloud, folder: Path) -> None:
    first = refreshed(multicloud, AT)
    assert first["read"] == 6
    assert first["new"] > 100
    assert refreshed(multicloud, AT) == {"read": 0, "skipped": 6, "new": 0, "same": 0}
    again = refreshed(multicloud, LATER, "--again")
    assert (again["new"], again["same"]) == (0, first["new"])
    assert rows(folder, "store.sqlite", "select count(*) from prices") == [(first["new"],)]


def test_what_was_seen_at_the_very_instant_is_history(multicloud: Multicloud) -> None:
    refreshed(multicloud, AT)
    said = multicloud("prices", "history", *HERE, "--at", AT, "--json")
    assert said.code == 0
    assert len(said.json["prices"]) == 1


def test_a_jump_is_held_back_until_it_is_accepted(multicloud: Multicloud) -> None:
    refreshed(multicloud, AT)
    what = ("tencent", "ap-guangzhou", "GN7.2XLARGE32", "on_demand", "80")
    assert multicloud("sandbox", "price", *what, "--at", LATER).code == 0
    refreshed(multicloud, LATER)
    said = multicloud("prices", "show", *HERE, "--at", LATER)
    assert "8.68 CNY" in said.out
    assert "80 CNY awaits confirmation" in said.out
    assert multicloud("prices", "accept", *HERE, "--at", LATER).code == 0
    said = multicloud("prices", "show", *HERE, "--at", LATER)
    assert "80 CNY" in said.out
    assert "awaits" not in said.out


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_export_is_what_an_import_needs(
    multicloud: Multicloud, folder: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    refreshed(multicloud, AT)
    first, second = f"first.{suffix}", f"second.{suffix}"
    assert multicloud("prices", "export", first, "--at", LATER).code == 0
    monkeypatch.setenv("MULTICLOUD_STORE", "other.sqlite")
    said = multicloud("prices", "import", first, "--json")
    assert said.json["new_points"] == said.json["points"] > 100
    again = multicloud("prices", "import", first, "--json")
    assert again.json["new_points"] == 0
    assert multicloud("prices", "export", second, "--at", LATER).code == 0
    if suffix == "csv":
        assert (folder / first).read_bytes() == (folder / second).read_bytes()


def test_one_region_that_fails_hides_no_other(multicloud: Multicloud, folder: Path) -> None:
    assert multicloud("sandbox", "throttle", "tencent", "--operation", "read", "--at", AT).code == 0
    said = multicloud("prices", "refresh", "--cloud", "tencent", "--at", AT, "--json")
    assert said.code == 5, said.out + said.err
    (failed,) = said.json["clouds"]["tencent"]["failed"]
    stored = {region for (region,) in rows(folder, "store.sqlite", "select region from offers")}
    assert len(stored) == 5
    assert failed not in stored
    said = multicloud("prices", "refresh", "--cloud", "tencent", "--at", LATER, "--json")
    assert said.code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "none.csv"), "does not exist"),
        (("import", "empty.csv"), "Column missing"),
        (("import", "bad.csv"), "bad.csv"),
        (("show", "--in", "mars"), "mars"),
        (("refresh", "--cloud", "mars"), "mars"),
    ],
)
def test_bad_input_is_one_clear_error(
    multicloud: Multicloud, folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    (folder / "empty.csv").write_text("cloud,region,zone,instance_type,capacity_type,amount\n")
    (folder / "bad.csv").write_text("a,b\n1,2\n")
    said = multicloud("prices", *arguments)
    assert said.code == 3, said.out + said.err
    assert words in said.err
    assert "Traceback" not in said.err
