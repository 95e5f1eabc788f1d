"""A policy with every default written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.policy import kinds as k
from multicloud.policy.conditions import default_until, plain
from multicloud.policy.pools import with_defaults
from multicloud.policy.raw import NEED_MAP, POLICY, POOL, PRICE_CONDITION, RULE, resolve
from multicloud.policy.reader import parsed
from multicloud.policy.shape import ListOf, MapOf, OneOf, Shape, Type
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence, parse
from multicloud.policy.yaml_text import to_yaml

if TYPE_CHECKING:
    from multicloud.errors import Where
    from multicloud.models.pool import Policy

# What a need by GPU says when it does not say so. A rule's need has no defaults: it overrides.
_NEED_DEFAULTS = {"interconnect": "any", "arch": "x86_64", "spread": "none", "vgpu": "false"}


def expand(policy: Policy) -> str:
    """YAML text of the policy; compiled beside the same project file it is the same policy.

    What `defaults:` says is written into each pool. Comments are lost.
    """
    root = parse(policy.text, file=policy.file)
    if not isinstance(root, Mapping):  # pragma: no cover - a compiled policy is a map
        raise TypeError(policy.file)
    defaults = root.get("defaults")
    entries = []
    for key, value in root.entries:
        if key.text == "defaults":
            continue
        if key.text == "pools" and isinstance(value, Mapping):
            pools = tuple((name, with_defaults(pool, defaults)) for name, pool in value.entries)
            entries.append(
                (key, _filled(Mapping(value.where, pools), MapOf(key=k.POOL_NAME, value=POOL)))
            )
        else:
            entries.append((key, value))
    return to_yaml(_filled(Mapping(root.where, tuple(entries)), POLICY))


def _filled(node: Node, type_: Type) -> Node:
    match resolve(type_):
        case Shape() as shape if isinstance(node, Mapping):
            return _filled_shape(node, shape)
        case MapOf(value=value) if isinstance(node, Mapping):
            inner = tuple((key, _filled(item, value)) for key, item in node.entries)
            return Mapping(node.where, inner)
        case ListOf(item=item) if isinstance(node, Sequence):
            return Sequence(node.where, tuple(_filled(inner, item) for inner in node.items))
        case ListOf(item=item, alone=True):
            return _filled(node, item)
        case OneOf(sequence=option) if option and isinstance(node, Sequence):
            return _filled(node, option)
        case OneOf(mapping=shape_or_map) if shape_or_map and isinstance(node, Mapping):
            return _filled(node, shape_or_map)
        case _:
            return node


def _filled_shape(node: Mapping, shape: Shape) -> Mapping:
    """In the order of the table, so that the defaults do not trail behind the pools."""
    given = {key.text: value for key, value in node.entries} | dict(_missing(node, shape))
    entries = []
    for key in shape.keys:
        if key.name in given:
            value = _filled(given[key.name], key.type)
            value = _special(key.name, value) if shape is POOL else value
            entries.append((_scalar(node.where, key.name), value))
    return Mapping(node.where, tuple(entries))


def _missing(node: Mapping, shape: Shape) -> list[tuple[str, Node]]:
    found: list[tuple[str, Node]] = [
        (key.name, parse(key.default, file=""))
        for key in shape.keys
        if key.default and not key.later and node.get(key.name) is None
    ]
    if shape is PRICE_CONDITION and node.get("until") is None:
        found += _until(node)
    return found


def _until(node: Mapping) -> list[tuple[str, Node]]:
    for side in ("below", "above"):
        written = node.get(side)
        price = parsed(written, k.PRICE) if written else None
        if price is not None:
            amount = plain(default_until(price, above=side == "above"))
            unit = "gpu-h" if price.per_gpu else "node-h"
            words = f"{amount} {price.currency}".strip()
            return [("until", _scalar(node.where, f"{words}/{unit}"))]
    return []


def _special(key: str, value: Node) -> Node:
    """What the table of keys cannot say: defaults of a pool's own need, numbers of rules."""
    if key == "need" and isinstance(value, Mapping) and value.get("gpu") is not None:
        added = tuple(
            (_scalar(value.where, name), _scalar(value.where, text))
            for name, text in _NEED_DEFAULTS.items()
            if value.get(name) is None and NEED_MAP.key(name)
        )
        return Mapping(value.where, value.entries + added)
    if key == "rules" and isinstance(value, Sequence):
        rules = [_named(rule, number) for number, rule in enumerate(value.items, start=1)]
        return Sequence(value.where, tuple(rules))
    return value


def _named(rule: Node, number: int) -> Node:
    if not isinstance(rule, Mapping) or rule.get(RULE.keys[0].name) is not None:
        return rule
    name = (_scalar(rule.where, RULE.keys[0].name), _scalar(rule.where, f"rule-{number}"))
    return Mapping(rule.where, (name, *rule.entries))


def _scalar(where: Where, text: str) -> Scalar:
    return Scalar(where, text, quoted=False)
