"""Carried schemas: readable, complete enough, and true to the real providers'."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from multicloud.sandbox import schema
from multicloud.sandbox.schema import Attribute, Block, Nesting, SchemaError

# Read when this file is loaded, since every test starts from a bare environment.
EXACT = os.environ.get("MULTICLOUD_PROVIDER_SCHEMAS")


def test_carried_providers() -> None:
    assert schema.provider_names() == (
        "alicloud",
        "aws",
        "azurerm",
        "google",
        "google-beta",
        "oci",
        "tencentcloud",
    )
    assert schema.load("aws").source == "hashicorp/aws"
    assert schema.load("tencentcloud").source == "tencentcloudstack/tencentcloud"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", "string"),
        ("list(string)", ["list", "string"]),
        ("map(number)", ["map", "number"]),
        (
            "list({a=string,b=list({c=bool,d=set(string)})})",
            [
                "list",
                [
                    "object",
                    {
                        "a": "string",
                        "b": ["list", ["object", {"c": "bool", "d": ["set", "string"]}]],
                    },
                ],
            ],
        ),
    ],
)
def test_types_of_the_compact_form(text: str, expected: object) -> None:
    assert schema.parse_type(text) == expected


@pytest.mark.parametrize("text", ["", "text", "list", "list(string", "tuple(string)", "list()"])
def test_what_is_no_type(text: str) -> None:
    with pytest.raises(SchemaError, match="is not a type"):
        schema.parse_type(text)


def test_marks_of_the_compact_form() -> None:
    document = {
        "source": "a/b",
        "provider": {"token": "string?*"},
        "resources": {
            "b_thing": {
                "name": "string!",
                "id": "string?~",
                "old": "bool?-",
                "disk": {"@": "list 1..3", "size": "number!"},
                "tag": {"@": "set"},
            }
        },
    }
    read = schema.parse(document)
    thing = read.resources["b_thing"].block
    assert read.provider.block.attributes["token"] == Attribute(
        type="string", optional=True, sensitive=True
    )
    assert thing.attributes["name"] == Attribute(type="string", required=True)
    assert thing.attributes["id"] == Attribute(type="string", optional=True, computed=True)
    assert thing.attributes["old"] == Attribute(type="bool", optional=True, deprecated=True)
    disk, tag = thing.blocks["disk"], thing.blocks["tag"]
    assert (disk.nesting, disk.min_items, disk.max_items) == (Nesting.LIST, 1, 3)
    assert (tag.nesting, tag.min_items, tag.max_items) == (Nesting.SET, 0, 0)


def test_an_argument_without_a_mark_and_a_document_of_no_form() -> None:
    with pytest.raises(SchemaError, match="neither required"):
        schema.parse({"source": "a/b", "provider": {"token": "string"}})
    with pytest.raises(SchemaError, match="provider_schemas"):
        schema.parse({"resources": {}})


def _missing(ours: Block, exact: Block, at: str) -> list[str]:
    """What of ours is not in the exact schema, or is otherwise there."""
    wrong = []
    for name, attribute in ours.attributes.items():
        if exact.attributes.get(name) != attribute:
            wrong.append(f"{at}.{name}: {attribute} is {exact.attributes.get(name)}")
    for name, nested in ours.blocks.items():
        real = exact.blocks.get(name)
        if real is None:
            wrong.append(f"{at}.{name}: no such block")
            continue
        shape = (nested.nesting, nested.min_items, nested.max_items)
        if shape != (real.nesting, real.min_items, real.max_items):
            wrong.append(f"{at}.{name}: {shape} is {real.nesting, real.min_items, real.max_items}")
        wrong += _missing(nested.block, real.block, f"{at}.{name}")
    return wrong


def _absent_required(ours: Block, exact: Block) -> set[str]:
    return {n for n, a in exact.attributes.items() if a.required} - set(ours.attributes)


@pytest.mark.skipif(EXACT is None, reason="MULTICLOUD_PROVIDER_SCHEMAS names no folder of schemas")
@pytest.mark.parametrize("name", ["alicloud", "aws", "oci", "tencentcloud"])
def test_ours_is_a_part_of_the_real_providers_schema(name: str) -> None:
    document = json.loads(Path(EXACT or "", f"{name}.json").read_text(encoding="utf-8"))
    ours, exact = schema.load(name), schema.parse(document)
    wrong = _missing(ours.provider.block, exact.provider.block, "provider")
    pairs = [(ours.resources, exact.resources), (ours.data_sources, exact.data_sources)]
    for mine, real in pairs:
        for type_, item in mine.items():
            wrong += _missing(item.block, real[type_].block, type_)
            assert not _absent_required(item.block, real[type_].block), type_
            assert item.version == real[type_].version, type_
    assert not wrong
