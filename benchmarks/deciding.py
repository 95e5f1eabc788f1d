"""Deciding many pools at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.market import NOW, made_up_snapshot
from benchmarks.table import Row
from benchmarks.timing import call
from multicloud.decide.decide import decide
from multicloud.models.memory import Actual, Memory
from multicloud.policy.compile import Source, compile_policies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.pool import Policy

GPUS = ("A100", "H100", "T4", "L4", "V100", "A10G")


def policy_of(pools: int) -> Policy:
    """A policy of so many pools, no two with the same cap."""
    lines = ["version: 1", "name: many", "timezone: UTC", "fx: {CNY: 7.2}", "pools:"]
    for index in range(pools):
        gpu = GPUS[index % len(GPUS)]
        cap = f"{2 + index / 1000:.3f}/gpu-h"
        lines += [
            f"  pool-{index:04}:",
            f"    need: {gpu}:8" if index % 2 == 0 else f"    need: 4 x {gpu}",
            "    rules:",
            "      - when: mon-fri 08:00-20:00",
            f"        place: [{{in: any, capacity: spot, max_price: {cap}}}, {{in: [aws, gcp]}}]",
            "    otherwise: off",
        ]
    (policy,) = compile_policies([Source(file="many.yaml", text="\n".join(lines))])
    return policy


def rows() -> Iterator[Row]:
    """1,000 pools x 10,000 offers, beside a tenth of the pools to show that it is linear."""
    snapshot = made_up_snapshot(10_000)
    tenth, whole = policy_of(100), policy_of(1_000)
    less = call(partial(decide, tenth, NOW, snapshot, Actual(), Memory()), goes=3)
    more = call(partial(decide, whole, NOW, snapshot, Actual(), Memory()), goes=3)
    yield Row(
        "decide 1,000 pools, 10,000 offers",
        more,
        "10 x (100 pools)",
        less * 10,
        "under 1 s, linear",
    )
