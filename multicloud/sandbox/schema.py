"""Schemas of the carried resources: typed, read from Terraform's form or from our compact one.

Terraform's form is what `terraform providers schema -json` prints. The compact form is ours, for
providers whose schema we wrote by hand. It maps an argument's name to its type and marks:
`"string!"` required, `"string?"` optional, `"string?~"` optional and computed, `"string~"`
computed only; a further `*` is sensitive, `-` deprecated. Types are Terraform's (`list(string)`,
`map(string)`, `list({name=string,size=number})`). An object in place of a type is a nested block;
its key `@` tells nesting and item counts: `"list 0..1"`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

TypeExpr: TypeAlias = "str | list[TypeExpr | dict[str, TypeExpr]]"
_HOLDER = "@"


class Nesting(StrEnum):
    """How many of a block there can be, and how they are kept apart."""

    SINGLE = "single"
    LIST = "list"
    SET = "set"
    MAP = "map"
    GROUP = "group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One argument or result; `type` is Terraform's JSON type expression."""

    type: TypeExpr
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False
    deprecated: bool = False
    write_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The arguments and nested blocks of a resource or block."""

    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    blocks: Mapping[str, NestedBlock] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedBlock:
    """A nested block type; `max_items` 0 is "no limit"."""

    block: Block
    nesting: Nesting
    min_items: int = 0
    max_items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A resource's, data source's or provider's schema with its version."""

    block: Block
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSchema:
    """Everything one provider offers; `source` is `namespace/name`, without host."""

    source: str
    provider: Schema
    resources: Mapping[str, Schema]
    data_sources: Mapping[str, Schema]


class SchemaError(ValueError):
    """A schema file that is in neither form."""


def _block(raw: Mapping[str, Any]) -> Block:
    flags = ("required", "optional", "computed", "sensitive", "deprecated", "write_only")
    return Block(
        attributes={
            name: Attribute(type=item["type"], **{k: True for k in flags if item.get(k)})
            for name, item in raw.get("attributes", {}).items()
        },
        blocks={
            name: NestedBlock(
                block=_block(item["block"]),
                nesting=Nesting(item["nesting_mode"]),
                min_items=item.get("min_items", 0),
                max_items=item.get("max_items", 0),
            )
            for name, item in raw.get("block_types", {}).items()
        },
    )


def parse_terraform_form(document: Mapping[str, Any]) -> ProviderSchema:
    """Read what `terraform providers schema -json` prints for one provider."""
    ((address, raw),) = document["provider_schemas"].items()

    def schema(item: Mapping[str, Any]) -> Schema:
        return Schema(block=_block(item["block"]), version=item.get("version", 0))

    return ProviderSchema(
        source="/".join(address.split("/")[-2:]),
        provider=schema(raw["provider"]),
        resources={n: schema(s) for n, s in raw.get("resource_schemas", {}).items()},
        data_sources={n: schema(s) for n, s in raw.get("data_source_schemas", {}).items()},
    )


def _split_top(text: str) -> list[str]:
    """Split at commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def parse_type(text: str) -> TypeExpr:
    """Read a type of the compact form: `string`, `list(string)`, `list({a=string})`.

    Raises: SchemaError naming what is no type.
    """
    if text in ("string", "number", "bool"):
        return text
    if text.startswith("{") and text.endswith("}"):
        fields = (part.split("=", 1) for part in _split_top(text[1:-1]))
        return ["object", {name: parse_type(inner) for name, inner in fields}]
    kind, bracket, rest = text.partition("(")
    if bracket and kind in ("list", "set", "map") and rest.endswith(")"):
        return [kind, parse_type(rest[:-1])]
    raise SchemaError(f"{text!r} is not a type")


def _compact_attribute(text: str) -> Attribute:
    expression = text.rstrip("!?~*-")
    marks = text[len(expression) :]
    if not set(marks) & set("!?~"):
        raise SchemaError(f"{text!r} says neither required, optional nor computed")
    return Attribute(
        type=parse_type(expression),
        required="!" in marks,
        optional="?" in marks,
        computed="~" in marks,
        sensitive="*" in marks,
        deprecated="-" in marks,
    )


def _compact_block(raw: Mapping[str, Any]) -> Block:
    attributes, blocks = {}, {}
    for name, item in raw.items():
        if name == _HOLDER:
            continue
        if isinstance(item, str):
            attributes[name] = _compact_attribute(item)
            continue
        nesting, _, counts = item[_HOLDER].partition(" ")
        low, _, high = (counts or "0..").partition("..")
        blocks[name] = NestedBlock(
            block=_compact_block(item),
            nesting=Nesting(nesting),
            min_items=int(low),
            max_items=int(high or 0),
        )
    return Block(attributes=attributes, blocks=blocks)


def parse_compact_form(document: Mapping[str, Any]) -> ProviderSchema:
    """Read our own form; every schema in it has version 0.

    Raises: SchemaError naming what is wrong.
    """

    def schemas(key: str) -> Mapping[str, Schema]:
        items = document.get(key, {}).items()
        return {name: Schema(block=_compact_block(raw)) for name, raw in items}

    return ProviderSchema(
        source=document["source"],
        provider=Schema(block=_compact_block(document["provider"])),
        resources=schemas("resources"),
        data_sources=schemas("data_sources"),
    )


def parse(document: Mapping[str, Any]) -> ProviderSchema:
    """Read a schema document in either form."""
    if "provider_schemas" in document:
        return parse_terraform_form(document)
    if "provider" in document and "source" in document:
        return parse_compact_form(document)
    raise SchemaError("a schema has `provider_schemas`, or `source` and `provider`")


def provider_names() -> tuple[str, ...]:
    """The providers that are carried, by their local names, sorted."""
    folder = resources.files(__package__).joinpath("schemas")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


_SOURCES = {
    "alicloud": "aliyun/alicloud",
    "aws": "hashicorp/aws",
    "azurerm": "hashicorp/azurerm",
    "google": "hashicorp/google",
    "google-beta": "hashicorp/google-beta",
    "oci": "oracle/oci",
    "tencentcloud": "tencentcloudstack/tencentcloud",
}


def source(name: str) -> str:
    """A carried provider's address without host, known before its schema is read."""
    return _SOURCES[name]


@cache
def load(name: str) -> ProviderSchema:
    """The carried schema of a provider by its local name (`aws`, `tencentcloud`)."""
    file = resources.files(__package__).joinpath("schemas", f"{name}.json")
    return parse(json.loads(file.read_text(encoding="utf-8")))
