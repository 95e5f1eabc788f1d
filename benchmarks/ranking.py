"""Ranking the offers for one pool, in process."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.deciding import policy_of
from benchmarks.market import NOW, made_up_snapshot
from benchmarks.peers import gpuhunt_query
from benchmarks.table import Row
from benchmarks.timing import call
from multicloud.decide.decide import decide
from multicloud.models.memory import Actual, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

GOALS = {6_000: "at most 5 ms", 60_000: "at most 50 ms"}


def rows() -> Iterator[Row]:
    """One pool's whole decision over two sizes of market, beside gpuhunt's query if at hand."""
    for size, goal in GOALS.items():
        snapshot = made_up_snapshot(size)
        policy = policy_of(1)
        ours = call(partial(decide, policy, NOW, snapshot, Actual(), Memory()))
        peer = gpuhunt_query(snapshot)
        theirs = call(peer) if peer else None
        against = "gpuhunt query" if peer else "gpuhunt is not installed"
        yield Row(f"decide one pool, {size:,} offers", ours, against, theirs, goal)
