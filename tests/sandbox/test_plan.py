"""What a plan of the stand-in says: unknowns, defaults, replacements."""

from __future__ import annotations

from typing import Any

import pytest

from multicloud.sandbox.plan import Planned, plan_change
from multicloud.sandbox.values import UNKNOWN, Row
from multicloud.sandbox.walk import complete
from tests.sandbox.samples import a_block, an_account, some_facts

BLOCK = a_block()
FACTS = some_facts(
    replaces=["name", "disk.kind", "rule.port"],
    defaults={"shade": "grey", "disk.kind": "ssd"},
    counters=["revision"],
)


def create(**given: Any) -> Planned:
    proposed = complete(BLOCK, {"name": "n", **given})
    return plan_change(BLOCK, FACTS, an_account(), prior=None, proposed=proposed)


def prior(**given: Any) -> Row:
    done: Row = {"id": "1", "arn": "a", "size": 1, "shade": "grey", "revision": 1, "tags_all": {}}
    return complete(BLOCK, {"name": "n", **done, **given})


def update(before: Row, **given: Any) -> Planned:
    return plan_change(BLOCK, FACTS, an_account(), prior=before, proposed={**before, **given})


def test_a_create_has_unknown_results_and_defaults_and_keeps_what_was_given() -> None:
    planned = create(size=3, disk=[{"gib": None}, {"kind": "hdd"}])
    assert planned.row["id"] is UNKNOWN
    assert planned.row["arn"] is UNKNOWN
    assert planned.row["size"] == 3
    assert planned.row["shade"] == "grey"
    assert planned.row["disk"] == [
        {"kind": "ssd", "gib": UNKNOWN},
        {"kind": "hdd", "gib": UNKNOWN},
    ]
    assert planned.replaces == ()


def test_no_change_gives_the_prior_state_itself() -> None:
    before = prior(zones=["a", "b"])
    assert update(before, zones=["b", "a"]) == Planned(row=before)


def test_an_update_keeps_results_and_moves_counters() -> None:
    planned = update(prior(), size=5)
    assert (planned.row["id"], planned.row["size"]) == ("1", 5)
    assert planned.row["revision"] is UNKNOWN
    assert planned.replaces == ()


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ({}, {"name": "m"}, ("name",)),
        ({}, {"name": UNKNOWN}, ("name",)),
        ({"disk": [{"kind": "a"}]}, {"disk": [{"kind": "b"}]}, ("disk", 0, "kind")),
        ({"rule": [{"port": 1}]}, {"rule": [{"port": 2}]}, ("rule",)),
        ({}, {"disk": [{"kind": "b"}]}, ("disk",)),
    ],
)
def test_what_replaces(before: Row, after: Row, path: tuple[str | int, ...]) -> None:
    assert update(prior(**before), **after).replaces == (path,)


def test_a_change_beside_a_replacing_one_does_not_replace() -> None:
    before = prior(disk=[{"kind": "a", "gib": 1}])
    assert update(before, disk=[{"kind": "a", "gib": 2}]).replaces == ()


def test_tags_for_everything_are_known_in_the_plan() -> None:
    account = an_account(default_tags=[{"tags": {"a": "1", "b": "1"}}])
    proposed = complete(BLOCK, {"name": "n", "tags": {"b": "2"}})
    planned = plan_change(BLOCK, FACTS, account, prior=None, proposed=proposed)
    assert planned.row["tags_all"] == {"a": "1", "b": "2"}
    assert create(tags=UNKNOWN).row["tags_all"] is UNKNOWN
