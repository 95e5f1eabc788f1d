"""Values that the simulated cloud decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.sandbox.facts import Answer
from multicloud.sandbox.invent import Inventor, answer, empty_of
from multicloud.sandbox.values import UNKNOWN, Row, Value
from tests.sandbox.samples import a_block, an_account, some_facts

if TYPE_CHECKING:
    from multicloud.sandbox.account import Account
    from multicloud.sandbox.schema import TypeExpr

FACTS = some_facts(
    id="thing-{hex8}",
    computed={
        "arn": "arn:{account}:{region}:{id}",
        "size": "=revision",
        "revision": 7,
        "disk.gib": 20,
    },
)


def fill(row: Row, facts: Any = FACTS, account: Account | None = None) -> Row:
    return Inventor(facts, account or an_account(), row).fill(a_block())


def test_unknowns_are_filled_and_the_rest_is_kept() -> None:
    row = fill(
        {
            "id": UNKNOWN,
            "arn": UNKNOWN,
            "name": "n",
            "size": UNKNOWN,
            "revision": UNKNOWN,
            "tags": {"a": "b"},
            "tags_all": UNKNOWN,
            "disk": [{"kind": "x", "gib": UNKNOWN}],
            "rule": UNKNOWN,
        }
    )
    assert re.fullmatch(r"thing-[0-9a-f]{8}", str(row["id"]))
    assert row["arn"] == f"arn:42:us-east-1:{row['id']}"
    assert (row["size"], row["revision"]) == (7, 7)
    assert row["disk"] == [{"kind": "x", "gib": 20}]
    assert row["tags_all"] == {"a": "b"}
    assert (row["name"], row["rule"]) == ("n", [])


def test_values_are_not_templates() -> None:
    facts = some_facts(id="{name}", computed={"arn": "arn/{name}"})
    row = fill({"id": UNKNOWN, "arn": UNKNOWN, "name": "{region}{arn}"}, facts)
    assert row["arn"] == "arn/{region}{arn}"
    assert row["id"] == "{region}{arn}"


def test_templates_that_name_each_other_end() -> None:
    facts = some_facts(id="{arn}", computed={"arn": "{id}"})
    row = fill({"id": UNKNOWN, "arn": UNKNOWN}, facts)
    assert row == {"id": "", "arn": ""}


def test_what_no_fact_tells_is_empty_of_its_type() -> None:
    row = fill({"id": UNKNOWN, "size": UNKNOWN, "zones": UNKNOWN}, some_facts())
    assert str(row["id"]).startswith("sandbox-")
    assert (row["size"], row["zones"]) == (0, [])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("string", ""),
        ("bool", False),
        ("number", 0),
        (["map", "string"], {}),
        (["set", "string"], []),
        (["object", {"a": "string", "b": ["list", "number"]}], {"a": "", "b": []}),
    ],
)
def test_empty_values(kind: TypeExpr, expected: Value) -> None:
    assert empty_of(kind) == expected


def ask(what: str, region: str = "us-east-1", **config: Any) -> Value:
    account = an_account(region=region)
    return Inventor(some_facts(), account, dict(config)).template(what)


def test_digests_depend_on_configuration_and_region_only() -> None:
    assert ask("ami-{digest17}", name="a") == ask("ami-{digest17}", name="a")
    assert ask("ami-{digest17}", name="a") != ask("ami-{digest17}", name="b")
    assert ask("ami-{digest17}", name="a") != ask("ami-{digest17}", "eu-west-1", name="a")
    assert re.fullmatch(r"ami-[0-9a-f]{17}", str(ask("ami-{digest17}")))


def test_zones_are_the_catalogues_and_can_be_filtered() -> None:
    names, ids = ask("@zone_names"), ask("@zone_ids")
    assert isinstance(names, list)
    assert isinstance(ids, list)
    assert names == sorted(names, key=str)
    assert len(names) == len(ids) > 2
    assert ask("@zone_names", exclude_names=[names[0]]) == names[1:]
    assert ask("@zone_names", exclude_zone_ids=[ids[0]]) == names[1:]
    assert ask("@zone_names", filter=[{"name": "zone-id", "values": [ids[1]]}]) == [names[1]]
    assert ask("@zone_ids", filter=[{"name": "zone-name", "values": [names[2]]}]) == [ids[2]]
    assert ask("@zone_names", filter=[{"name": "state", "values": ["available"]}]) == names


def test_zones_of_a_region_that_the_catalogue_lacks() -> None:
    assert ask("@zone_names", "xx-nowhere-1") == ["xx-nowhere-1a", "xx-nowhere-1b", "xx-nowhere-1c"]
    zones = ask("@zones", "xx-nowhere-1", name="xx-nowhere-1b")
    assert zones == [
        {"id": "1", "name": "xx-nowhere-1b", "description": "xx-nowhere-1b", "state": "AVAILABLE"}
    ]


def test_the_first_answer_that_fits_is_given() -> None:
    answers = (Answer(when={"name": "/aws/*"}, set={"value": ["{name}"]}), Answer(set={"value": 1}))

    def told(config: Row) -> Row:
        return answer(answers, Inventor(some_facts(), an_account(), config), config)

    assert told({"name": "/aws/x"}) == {"value": ["/aws/x"]}
    assert told({"name": "/mine"}) == {"value": 1}
    assert answer((), Inventor(some_facts(), an_account(), {}), {}) == {}
