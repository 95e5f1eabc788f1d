"""A policy as text, a few offers, an instant: what decide says, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from textwrap import indent
from typing import TYPE_CHECKING

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.decide import decide
from multicloud.models.account import Quota
from multicloud.models.memory import Actual, Memory, PoolActual, PoolMemory
from multicloud.models.offer import CapacityType, Cloud, Offer
from multicloud.policy.compile import Source, compile_policies
from tests.builders import a_quote, a_shape, an_offer, at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from multicloud.models.decision import Decision
    from multicloud.models.feed import Look
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy

SPOT, ON_DEMAND = CapacityType.SPOT, CapacityType.ON_DEMAND
# A Thursday, 10:00 in UTC.
MORNING = at("2026-01-15T10:00:00Z")


def policy_of(pools: str, *, head: str = "") -> Policy:
    """A policy in UTC around the text of its `pools:`; `head` adds keys of the policy."""
    zone = "" if "timezone:" in head else "timezone: UTC\n"
    text = f"version: 1\nname: test\n{zone}{head}\npools:\n{indent(pools.strip(chr(10)), '  ')}\n"
    (policy,) = compile_policies([Source(file="test.yaml", text=text)])
    return policy


def gpu_offer(
    price: str | None,
    region: str = "us-east-1",
    *,
    seen: datetime = MORNING,
    capacity: CapacityType = SPOT,
    cloud: Cloud = Cloud.AWS,
    kind: str = "p4d.24xlarge",
    gpus: int = 8,
    gpu: str = "A100-40GB",
    zone: str | None = None,
    currency: str = "USD",
    vcpus: int = 96,
) -> Offer:
    """Spot of p4d.24xlarge, seen at `seen`; `price` is per node-hour."""
    shape = a_shape(kind, cloud=cloud, gpu=gpu, gpus=gpus, vcpus=vcpus)
    quotes = () if price is None else (a_quote(price, currency=currency, observed_at=seen),)
    return (
        an_offer(
            None,
            cloud=cloud,
            region=region,
            zone=zone,
            shape=shape,
            capacity=capacity,
            quotes=quotes,
        )
        if not quotes
        else an_offer(
            cloud=cloud, region=region, zone=zone, shape=shape, capacity=capacity, quotes=quotes
        )
    )


def a_quota(
    vcpus: int, family: str = "", *, region: str = "us-east-1", capacity: CapacityType = SPOT
) -> Quota:
    """vCPUs of a family of AWS types that an account may have."""
    return Quota(
        cloud=Cloud.AWS,
        region=region,
        name=f"{capacity} {family}".strip(),
        unit="vcpu",
        limit=Decimal(vcpus),
        families=(family,) if family else (),
        capacity=(capacity,),
    )


def seen_at(offers: Iterable[Offer], instant: datetime) -> tuple[Offer, ...]:
    """The same offers, their prices looked at again."""
    return tuple(
        replace(o, quotes=tuple(replace(q, observed_at=instant) for q in o.quotes)) for o in offers
    )


@dataclass
class Scene:
    """A policy in a world that changes only when a test says so."""

    policy: Policy
    offers: tuple[Offer, ...] = ()
    actual: Actual = field(default_factory=Actual)
    memory: Memory = field(default_factory=Memory)
    now: datetime = MORNING
    looks: tuple[Look, ...] = ()

    def decide(self, now: datetime | None = None) -> dict[str, Decision]:
        """Decide at an instant, which becomes the scene's."""
        self.now = now or self.now
        snapshot = Snapshot(offers=self.offers, source="test", looks=self.looks)
        found = decide(self.policy, self.now, snapshot, self.actual, self.memory)
        return {decision.pool: decision for decision in found}

    def one(self, now: datetime | None = None) -> Decision:
        """Decide on the only pool."""
        (decision,) = self.decide(now).values()
        return decision

    def carry_out(self, decisions: Mapping[str, Decision] | None = None) -> Scene:
        """Make what was decided actual, every node alive, and store its memory."""
        decisions = self.decide() if decisions is None else decisions
        self.actual = Actual(
            pools={n: PoolActual(placements=d.after) for n, d in decisions.items() if d.after}
        )
        pools = {n: d.memory for n, d in decisions.items() if d.memory is not None}
        self.memory = replace(self.memory, pools=pools, is_stored=True)
        return self

    def run(self, now: datetime) -> Decision:
        """Decide on the only pool and carry it out."""
        decision = self.one(now)
        self.carry_out({decision.pool: decision})
        return decision

    def look(self, *offers: Offer) -> None:
        """New prices, seen now."""
        self.offers = offers

    def remember(self, pool: str = "p", **changes: object) -> None:
        """Change what is remembered of a pool."""
        memory = replace(self.memory.pools.get(pool, PoolMemory()), **changes)  # type: ignore[arg-type]  # field by name
        self.memory = replace(self.memory, pools={**self.memory.pools, pool: memory})

    def alive(self, pool: str = "p", **by_region: int) -> None:
        """Nodes seen alive in regions (written with underscores)."""
        actual = self.actual.pools[pool]
        running = {
            p.slot.digest: by_region[p.slot.region.replace("-", "_")]
            for p in actual.placements
            if p.slot.region.replace("-", "_") in by_region
        }
        pools = {**self.actual.pools, pool: replace(actual, running=running)}
        self.actual = Actual(pools=pools)


def where(placements: Iterable[Placement]) -> list[tuple[str, int]]:
    """Regions with node counts: enough to tell placements apart in most tests."""
    return [(p.slot.region, p.nodes) for p in placements]


def minutes(count: float) -> timedelta:
    """A duration in minutes."""
    return timedelta(minutes=count)
