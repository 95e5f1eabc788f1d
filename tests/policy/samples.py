"""A policy with every key, as data: JSON text is YAML text."""

from __future__ import annotations

import copy
import json
from typing import Any

BASE: dict[str, Any] = {
    "version": 1,
    "name": "test",
    "timezone": "UTC",
    "workdays": "CN",
    "fx": {"CNY": "7.2"},
    "pools": {
        "p": {
            "need": {"gpu": "A100", "gpus": 8},
            "rules": [
                {
                    "when": {
                        "time": "08:00-20:00",
                        "price": {"below": "1/gpu-h", "of": {"in": "any"}},
                    },
                    "place": {"in": "aws", "capacity": ["spot", "on_demand"]},
                }
            ],
            "otherwise": "off",
        }
    },
}
POOL = ("pools", "p")
RULE = (*POOL, "rules", 0)
WHEN = (*RULE, "when")
TIER = (*RULE, "place")
NEED = (*POOL, "need")
Path = tuple[str | int, ...]

# Shape, key, where its map stands, a value that makes a difference.
EFFECTIVE: list[tuple[str, str, Path, Any]] = [
    ("policy", "name", (), "other"),
    ("policy", "budget", (), {"max": "1000/month"}),
    ("pool", "budget", POOL, {"max": "1000/month"}),
    ("pool", "expires", POOL, "2026-12-24 18:00"),
    ("budget", "max", ("budget",), "2000/month"),
    ("budget", "warn_at", ("budget",), "50%"),
    ("budget", "when_spent", ("budget",), "off"),
    ("policy", "timezone", (), "Asia/Tokyo"),
    ("policy", "workdays", (), "US-CA"),
    ("policy", "currency", (), "CNY"),
    ("policy", "fx", (), {"CNY": 7, "EUR": "0.9"}),
    ("policy", "discounts", (), [{"in": "aws", "off": "12%"}]),
    ("discount", "in", ("discounts", 0), ["aws", "gcp"]),
    ("discount", "capacity", ("discounts", 0), "spot"),
    ("discount", "instance_types", ("discounts", 0), ["p4d.24xlarge"]),
    ("discount", "off", ("discounts", 0), "13%"),
    ("discount", "until", ("discounts", 0), "2027-01-01"),
    (
        "policy",
        "commitments",
        (),
        [{"kind": "reserved", "in": "aws", "fee": "9/h", "until": "2027-01-01"}],
    ),
    ("commitment", "kind", ("commitments", 0), "savings_plan"),
    ("commitment", "in", ("commitments", 0), "gcp"),
    ("commitment", "instance_type", ("commitments", 0), "p4d.24xlarge"),
    ("commitment", "nodes", ("commitments", 0), 2),
    ("commitment", "fee", ("commitments", 0), "10/day"),
    ("commitment", "from", ("commitments", 0), "2026-01-01 08:00"),
    ("commitment", "until", ("commitments", 0), "2027-02-01"),
    ("commitment", "ids", ("commitments", 0), ["r-1"]),
    ("policy", "labels", (), {"team": "a"}),
    ("policy", "only_in", (), ["aws", "EU"]),
    ("policy", "limits", (), {"spend": "400/h"}),
    ("limits", "spend", ("limits",), "500/h"),
    ("limits", "new_nodes", ("limits",), 4),
    ("limits", "destroyed_nodes", ("limits",), 4),
    ("policy", "redact", (), ["note"]),
    ("policy", "defaults", (), {"plan_max_age": "2h"}),
    ("need_map", "gpu", NEED, "T4"),
    ("need_map", "gpus", NEED, 16),
    ("need_map", "per_node", NEED, 4),
    ("need_map", "gpu_memory", NEED, "80Gi"),
    ("need_map", "vcpus", NEED, 8),
    ("need_map", "memory", NEED, "64Gi"),
    ("need_map", "interconnect", NEED, "rdma"),
    ("need_map", "arch", NEED, "arm64"),
    ("need_map", "spread", NEED, "places"),
    ("need_map", "min_gpus", NEED, 4),
    ("pool", "need", POOL, "H100:4"),
    ("pool", "rules", POOL, [{"place": "hold"}]),
    ("pool", "otherwise", POOL, "hold"),
    ("pool", "labels", POOL, {"team": "b"}),
    ("pool", "only_in", POOL, "aws/us-*"),
    ("pool", "price_jump", POOL, 3),
    ("pool", "price_tolerance", POOL, "5%"),
    ("pool", "plan_max_age", POOL, "30m"),
    ("pool", "backstop", POOL, "2h"),
    ("pool", "prefer", POOL, {"per_tflop": "bf16"}),
    ("prefer_map", "per_tflop", (*POOL, "prefer"), "fp8"),
    ("pool", "moves", POOL, {"min_saving": "20%"}),
    ("moves", "min_saving", (*POOL, "moves"), "30%"),
    ("moves", "signal_for", (*POOL, "moves"), "5m"),
    ("moves", "min_stay", (*POOL, "moves"), "5m"),
    ("moves", "max_per_day", (*POOL, "moves"), 0),
    ("moves", "horizon", (*POOL, "moves"), "5h"),
    ("pool", "max_price_age", POOL, {"spot": "7h"}),
    ("max_price_age", "spot", (*POOL, "max_price_age"), "8h"),
    ("max_price_age", "on_demand", (*POOL, "max_price_age"), "8h"),
    ("pool", "retry", POOL, {"set_aside": "5m"}),
    ("retry", "set_aside", (*POOL, "retry"), "6m"),
    ("retry", "evicted_zone", (*POOL, "retry"), "6m"),
    ("retry", "retry_upper_tier", (*POOL, "retry"), "6m"),
    ("retry", "refill_after", (*POOL, "retry"), "6m"),
    ("retry", "max_attempts", (*POOL, "retry"), 6),
    ("pool", "timeouts", POOL, {"boot": "5m"}),
    ("timeouts", "boot", (*POOL, "timeouts"), "6m"),
    ("timeouts", "drain", (*POOL, "timeouts"), "6m"),
    ("timeouts", "destroy", (*POOL, "timeouts"), "6m"),
    ("pool", "checkpoint", POOL, {"every": "5m"}),
    ("checkpoint", "every", (*POOL, "checkpoint"), "6m"),
    ("checkpoint", "command", (*POOL, "checkpoint"), "/srv/save.sh"),
    ("checkpoint", "restore", (*POOL, "checkpoint"), "6m"),
    ("checkpoint", "size", (*POOL, "checkpoint"), "6Gi"),
    ("checkpoint", "timeout", (*POOL, "checkpoint"), "6m"),
    ("pool", "node", POOL, {"disk": "200Gi"}),
    ("node", "image", (*POOL, "node"), "ami-1"),
    ("node", "drain_command", (*POOL, "node"), "/srv/drain.sh"),
    ("node", "disk", (*POOL, "node"), "300Gi"),
    ("node", "startup", (*POOL, "node"), "scripts/boot.sh"),
    ("node", "ssh_key", (*POOL, "node"), "keys/id.pub"),
    ("node", "public_ip", (*POOL, "node"), True),
    ("node", "ports", (*POOL, "node"), [22, 443]),
    ("node", "cluster_network", (*POOL, "node"), "none"),
    ("rule", "name", RULE, "day"),
    ("rule", "when", RULE, "09:00-20:00"),
    ("rule", "need", RULE, {"gpus": 4}),
    ("rule", "place", RULE, "hold"),
    ("rule", "if_none", RULE, "next"),
    ("condition", "time", WHEN, ["10:00-11:00"]),
    ("condition", "dates", WHEN, "2026-12-24"),
    ("condition", "skip", WHEN, ["2026-12-24..2026-12-26"]),
    ("condition", "price", WHEN, {"above": "1/gpu-h"}),
    ("condition", "availability", WHEN, {"in": "aws"}),
    ("availability", "in", (*WHEN, "availability"), "gcp"),
    ("availability", "capacity", (*WHEN, "availability"), "on_demand"),
    ("availability", "last", (*WHEN, "availability"), "2h"),
    ("availability", "at_least", (*WHEN, "availability"), "20%"),
    ("condition", "all", WHEN, ["10:00-11:00"]),
    ("condition", "any", WHEN, ["10:00-11:00", "12:00-13:00"]),
    ("condition", "not", WHEN, "10:00-11:00"),
    ("price_condition", "below", (*WHEN, "price"), "2/gpu-h"),
    ("price_condition", "until", (*WHEN, "price"), "3/gpu-h"),
    ("price_condition", "of", (*WHEN, "price"), {"in": "gcp"}),
    ("price_scope", "in", (*WHEN, "price", "of"), "gcp"),
    ("price_scope", "capacity", (*WHEN, "price", "of"), "spot"),
    ("price_scope", "need", (*WHEN, "price", "of"), "T4"),
    ("tier", "in", TIER, ["aws/us-east-1"]),
    ("tier", "not_in", TIER, "aws/us-east-1"),
    ("tier", "capacity", TIER, "spot"),
    ("tier", "max_price", TIER, "2 CNY/gpu-h"),
    ("tier", "instance_types", TIER, "p4d.24xlarge"),
    ("tier", "wait", TIER, "20m"),
    ("tier", "min_discount", TIER, "20%"),
    ("need_map", "vgpu", NEED, True),
    ("pool", "was", POOL, "old"),
]
# Keys that no single change of BASE can show; each has a test of its own in test_compile.
ELSEWHERE = {
    ("policy", "version"),
    ("policy", "dates"),
    ("policy", "pools"),
    ("pool", "place"),
    ("need_map", "instance_type"),
    ("need_map", "nodes"),
    ("price_condition", "above"),
    ("tier", "max_gpus"),
    ("tier", "reservation"),
    ("pool", "autoscaler"),
}
NOT_YET: list[tuple[str, str, Path, Any]] = [
    ("pool", "work", POOL, {"hours": 100, "by": "2026-12-24 18:00"}),
    ("node", "report_url", (*POOL, "node"), "https://example.org"),
]


def with_key(path: Path, key: str, value: Any) -> dict[str, Any]:
    """BASE with one key set, and whatever must stand around it."""
    return set_key(copy.deepcopy(BASE), path, key, value)


def without_key(path: Path) -> dict[str, Any]:
    """BASE with the map at `path`, but without the key in question."""
    policy = copy.deepcopy(BASE)
    _reach(policy, path)
    return policy


def set_key(policy: dict[str, Any], path: Path, key: str, value: Any) -> dict[str, Any]:
    """The policy itself, with one key set."""
    _reach(policy, path)[key] = value
    return policy


def _reach(policy: Any, path: Path) -> Any:
    node = policy
    for step in path:
        if isinstance(node, dict) and step not in node:
            node[step] = copy.deepcopy(_neighbour(str(step)))
        node = node[step]
    return node


def _neighbour(key: str) -> Any:
    """A value of a parent that is valid by itself."""
    for shape, name, _, value in EFFECTIVE:
        if name == key and shape in ("policy", "pool", "condition"):
            return value
    raise KeyError(key)


def text_of(policy: dict[str, Any]) -> str:
    """The policy as YAML."""
    return json.dumps(policy, ensure_ascii=False)
