"""Every key of the language: it has an effect, or is refused with "not yet"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.policy.compile import Source, compile_policies
from multicloud.policy.raw import NAMED, POLICY
from multicloud.policy.shape import ListOf, MapOf, OneOf, Ref, Shape, Type
from tests.builders import faults
from tests.policy.samples import (
    BASE,
    EFFECTIVE,
    ELSEWHERE,
    NOT_YET,
    Path,
    text_of,
    with_key,
    without_key,
)

if TYPE_CHECKING:
    from multicloud.models.pool import Policy

FILES = {"scripts/boot.sh": "#!/bin/sh\n", "keys/id.pub": "ssh-ed25519 AAAA me"}


def load(policy: dict[str, Any]) -> Policy:
    source = Source("test.yaml", text_of(policy))
    (found,) = compile_policies([source], read_file=lambda _, path: FILES[path])
    return replace(found, text="", hash="")


def shapes(type_: Type, found: dict[str, Shape]) -> dict[str, Shape]:
    """Every map of the language by its name."""
    match type_:
        case Shape(name=name, keys=keys):
            if name not in found:
                found[name] = type_
                for key in keys:
                    shapes(key.type, found)
        case MapOf(value=inner) | ListOf(item=inner):
            shapes(inner, found)
        case OneOf(mapping=mapping) if mapping:
            shapes(mapping, found)
        case Ref(name=name):
            shapes(NAMED[name], found)
        case _:
            pass
    return found


def name_of(row: tuple[str, str, Path, Any]) -> str:
    return f"{row[0]}.{row[1]}"


@pytest.mark.parametrize("row", EFFECTIVE, ids=name_of)
def test_a_key_that_is_accepted_has_an_effect(row: tuple[str, str, Path, Any]) -> None:
    _, key, path, value = row
    assert load(with_key(path, key, value)) != load(without_key(path))


@pytest.mark.parametrize("row", NOT_YET, ids=name_of)
def test_a_key_without_an_effect_is_refused(row: tuple[str, str, Path, Any]) -> None:
    _, key, path, value = row
    found = faults(text_of(with_key(path, key, value)))
    assert len(found) == 1
    assert "not yet" in found[0]


def test_every_key_of_the_table_is_tried() -> None:
    tried = {(shape, key) for shape, key, _, _ in (*EFFECTIVE, *NOT_YET)} | ELSEWHERE
    later = {"work", "autoscaler", "reservation"}
    known = {
        (name, key.name)
        for name, shape in shapes(POLICY, {}).items()
        for key in shape.keys
        if name not in later
    }
    # `defaults` has the pool's own keys.
    assert {pair for pair in known - tried if pair[0] != "defaults"} == set()
    assert {pair for pair in tried if pair not in known} == set()


@pytest.mark.parametrize("key", [key.name for key in shapes(POLICY, {})["defaults"].keys], ids=str)
def test_what_defaults_say_reaches_the_pool(key: str) -> None:
    value = next(v for shape, name, _, v in EFFECTIVE if (shape, name) == ("pool", key))
    shared = with_key((), "defaults", {key: value})
    own = with_key(("pools", "p"), key, value)
    assert load(shared).pools == load(own).pools


def test_the_rest_of_the_keys() -> None:
    dates = with_key((), "dates", {"eve": "2026-12-24"})
    dates["pools"]["p"]["rules"][0]["when"] = {"dates": "eve"}
    assert load(dates).pools[0].rules[0].when_text == "on eve"
    by_type = with_key(("pools", "p"), "need", {"instance_type": "p4d.24xlarge", "nodes": 2})
    assert load(by_type).pools[0].need.text == "2 p4d.24xlarge"
    spread = with_key(("pools", "p", "need"), "spread", "places")
    spread["pools"]["p"]["rules"][0]["place"]["max_gpus"] = 4
    tier = load(spread).pools[0].rules[0].outcome[0]
    assert tier.max_gpus == 4  # type: ignore[union-attr]  # a tier
    assert "unknown version" in faults(text_of(BASE | {"version": 2}))[0]
    assert "is an empty map" in faults(text_of(BASE | {"pools": {}}))[0]
