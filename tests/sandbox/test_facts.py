"""Every fact speaks of something that the schema has."""

from __future__ import annotations

import pytest

from multicloud.sandbox import facts, schema
from multicloud.sandbox.schema import Attribute, Block


def _lookup(block: Block, dotted: str) -> Attribute | Block | None:
    head, _, rest = dotted.partition(".")
    if rest:
        nested = block.blocks.get(head)
        return _lookup(nested.block, rest) if nested else None
    if head in block.blocks:
        return block.blocks[head].block
    return block.attributes.get(head)


def _paths(about: facts.ResourceFacts) -> set[str]:
    groups = (*about.conflicts, *about.exactly_one, *about.at_least_one)
    needs = (name for need in about.needs for name in (*need.when, *need.need))
    return {
        *about.replaces,
        *about.defaults,
        *about.computed,
        *about.counters,
        *about.one_of,
        *about.ranges,
        *about.ascending,
        *about.base64,
        *(name for group in groups for name in group),
        *needs,
    }


@pytest.mark.parametrize("name", schema.provider_names())
def test_facts_are_of_carried_types_and_existing_paths(name: str) -> None:
    carried, known = schema.load(name), facts.load(name)
    assert set(known.resources) == set(carried.resources)
    assert set(known.data_sources) == set(carried.data_sources)
    for type_, about in known.resources.items():
        block = carried.resources[type_].block
        unknown = {path for path in _paths(about) if _lookup(block, path) is None}
        assert not unknown, type_
        assert about.id, f"{type_} has no id template"
    for type_, answers in known.data_sources.items():
        names = set(carried.data_sources[type_].block.attributes)
        for item in answers:
            assert {*item.when, *item.set} <= names, type_


@pytest.mark.parametrize("name", schema.provider_names())
def test_defaults_are_for_arguments_and_computed_facts_for_results(name: str) -> None:
    for type_, about in facts.load(name).resources.items():
        block = schema.load(name).resources[type_].block
        for path in about.defaults:
            attribute = _lookup(block, path)
            assert isinstance(attribute, Attribute)
            assert attribute.optional, (type_, path)
        for path in about.computed:
            attribute = _lookup(block, path)
            assert isinstance(attribute, Attribute)
            assert attribute.computed, (type_, path)


def test_an_unknown_type_has_no_facts_and_an_unknown_key_is_an_error() -> None:
    assert facts.load("aws").of("aws_thing") == facts.ResourceFacts()
    document = {"account": "1", "cloud": "aws", "resources": {"a": {"forces": []}}}
    with pytest.raises(TypeError, match="forces"):
        facts.parse({**document, "data_sources": {}})
