"""Comparing and completing rows by their schema."""

from __future__ import annotations

from typing import Any

import pytest

from multicloud.sandbox.values import UNKNOWN, Row
from multicloud.sandbox.walk import complete, differences, dotted, find, rounded
from tests.sandbox.samples import a_block

BLOCK = a_block()


def a_row(**given: Any) -> Row:
    return complete(BLOCK, {"name": "n", **given})


def changed(before: Row, after: Row) -> list[tuple[int | str, ...]]:
    return list(differences(BLOCK, before, after))


def test_complete_names_everything_and_drops_what_the_schema_lacks() -> None:
    row = complete(BLOCK, {"name": "n", "else": 1, "disk": [{"kind": "x"}], "rule": UNKNOWN})
    assert "else" not in row
    assert row["size"] is None
    assert row["disk"] == [{"kind": "x", "gib": None}]
    assert row["rule"] is UNKNOWN
    assert row["timeouts"] is None


def test_complete_reads_maps_of_blocks() -> None:
    block = a_block({"m": {"@": "map", "a": "string?"}})
    assert complete(block, {"m": {"k": {}}}) == {"m": {"k": {"a": None}}}
    assert list(differences(block, {"m": {"k": {"a": "1"}}}, {"m": {"k": {"a": "2"}}})) == [("m",)]


def test_equal_rows_do_not_differ_whatever_the_order_of_sets() -> None:
    one = a_row(zones=["a", "b"], rule=[{"port": 1, "note": None}, {"port": 2, "note": None}])
    two = a_row(zones=["b", "a"], rule=[{"port": 2, "note": None}, {"port": 1, "note": None}])
    assert changed(one, two) == []


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ({}, {"size": 2}, [("size",)]),
        ({"size": 2}, {"size": UNKNOWN}, [("size",)]),
        ({"disk": [{"gib": 1}]}, {"disk": [{"gib": 2}]}, [("disk", 0, "gib")]),
        ({"disk": [{"gib": 1}]}, {"disk": [{"gib": 1}, {"gib": 1}]}, [("disk",)]),
        ({"rule": [{"port": 1}]}, {"rule": [{"port": 2}]}, [("rule",)]),
        ({"timeouts": {"create": "1m"}}, {"timeouts": {"create": "2m"}}, [("timeouts", "create")]),
        ({"timeouts": None}, {"timeouts": {"create": "2m"}}, [("timeouts",)]),
        ({"zones": ["a"]}, {"zones": ["a", "b"]}, [("zones",)]),
    ],
)
def test_differences(before: Row, after: Row, paths: list[tuple[int | str, ...]]) -> None:
    assert changed(a_row(**before), a_row(**after)) == paths


def test_sets_inside_objects_have_no_order_either() -> None:
    block = a_block({"e": "set({ports=set(number)})?"})
    one: Row = {"e": [{"ports": [1, 2]}, {"ports": [3]}]}
    two: Row = {"e": [{"ports": [3]}, {"ports": [2, 1]}]}
    assert list(differences(block, one, two)) == []


def test_find_visits_every_block_on_the_way() -> None:
    row: Row = {"disk": [{"kind": "a"}, {"kind": "b"}], "name": "n"}
    found = list(find(row, "disk.kind"))
    assert [(f.path, f.value) for f in found] == [
        (("disk", 0, "kind"), "a"),
        (("disk", 1, "kind"), "b"),
    ]
    assert list(find(row, "timeouts.create")) == []
    assert dotted(("disk", 0, "kind")) == "disk.kind"


def test_numbers_are_rounded_wherever_the_path_leads() -> None:
    row: Row = {"n": 1.239, "kept": 1.239, "b": [{"n": "0.125"}, {"n": 2}, {"n": None}, {}]}
    assert rounded(row, {"n": 1, "b.n": 2, "absent.n": 2}) == {
        "n": 1.2,
        "kept": 1.239,
        "b": [{"n": "0.12"}, {"n": 2}, {"n": None}, {}],
    }
