from __future__ import annotations

import json
from typing import Any

import pytest

from multicloud.policy.schema import json_schema, project_schema

SHARED = {
    "prefer", "moves", "max_price_age", "price_jump", "price_tolerance", "plan_max_age", "retry",
    "timeouts", "checkpoint", "node",
}  # fmt: skip

# The keys as the reference of the language lists them.
REFERENCE = {
    "policy": {
        "version", "name", "timezone", "workdays", "dates", "currency", "fx", "discounts",
        "commitments", "labels", "only_in", "limits", "budget", "redact", "pools", "defaults",
    },
    "discount": {"in", "capacity", "instance_types", "off", "until"},
    "commitment": {"kind", "in", "instance_type", "nodes", "fee", "from", "until", "ids"},
    "limits": {"spend", "new_nodes", "destroyed_nodes"},
    "budget": {"max", "warn_at", "when_spent"},
    "defaults": SHARED,
    "pool": {
        "need", "place", "rules", "otherwise", "work", "autoscaler", "labels", "budget", "only_in",
        "expires", "was", "backstop", *SHARED,
    },
    "moves": {"min_saving", "signal_for", "min_stay", "max_per_day", "horizon"},
    "max_price_age": {"spot", "on_demand"},
    "retry": {"set_aside", "evicted_zone", "retry_upper_tier", "refill_after", "max_attempts"},
    "timeouts": {"boot", "drain", "destroy"},
    "checkpoint": {"every", "command", "restore", "size", "timeout"},
    "node": {
        "image", "disk", "startup", "ssh_key", "public_ip", "ports", "drain_command",
        "cluster_network", "report_url",
    },
    "work": {"hours", "by", "changeover"},
    "autoscaler": {"mode", "min", "max"},
    "need_map": {
        "gpu", "gpus", "per_node", "gpu_memory", "vcpus", "memory", "interconnect", "arch",
        "spread", "min_gpus", "vgpu", "instance_type", "nodes",
    },
    "rule": {"name", "when", "need", "place", "if_none"},
    "condition": {"time", "dates", "skip", "price", "availability", "all", "any", "not"},
    "price_condition": {"below", "above", "until", "of"},
    "price_scope": {"in", "capacity", "need"},
    "availability": {"in", "capacity", "last", "at_least"},
    "tier": {
        "in", "not_in", "capacity", "max_price", "instance_types", "reservation", "wait",
        "max_gpus", "min_discount",
    },
    "reservation": {"id", "kind", "from", "until"},
}  # fmt: skip


def maps(schema: dict[str, Any]) -> dict[str, set[str]]:
    named = {"policy": schema, **schema["$defs"]}
    return {name: set(body["properties"]) for name, body in named.items() if "properties" in body}


def references(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"]} if "$ref" in node else set()
        return own.union(*(references(value) for value in node.values()))
    if isinstance(node, list):
        return set().union(*(references(value) for value in node))
    return set()


@pytest.mark.parametrize("shape", sorted(REFERENCE))
def test_the_schema_has_exactly_the_keys_of_the_reference(shape: str) -> None:
    assert maps(json_schema())[shape] == REFERENCE[shape]


def test_no_map_beside_those_of_the_reference() -> None:
    assert set(maps(json_schema())) == {*REFERENCE, "prefer_map"}


@pytest.mark.parametrize("schema", [json_schema(), project_schema()], ids=["policy", "project"])
def test_every_reference_is_defined_and_no_map_is_open(schema: dict[str, Any]) -> None:
    assert references(schema) <= {f"#/$defs/{name}" for name in schema["$defs"]}
    for body in schema["$defs"].values():
        assert "properties" not in body or body["additionalProperties"] is False
    assert json.loads(json.dumps(schema)) == schema


def test_keys_that_are_refused_say_so() -> None:
    pool = json_schema()["$defs"]["pool"]["properties"]
    assert "Not yet" in pool["work"]["description"]
    assert "Not yet" not in json.dumps(pool["need"])


def test_defaults_are_told() -> None:
    moves = json_schema()["$defs"]["moves"]["properties"]
    assert moves["min_saving"]["description"] == "Default: 10%."
