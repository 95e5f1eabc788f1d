"""Where a pool's nodes are or shall be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from fractions import Fraction

    from multicloud.models.offer import CapacityType, Cloud


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place with a type: everything that a stack never changes.

    `zones` are the zone ids a group spans, sorted; one for a zonal offer.
    """

    cloud: Cloud
    region: str
    zones: tuple[str, ...]
    instance_type: str
    capacity_type: CapacityType

    @property
    def digest(self) -> str:
        """8 hex digits that name the place in state keys, tags and resource names."""
        parts = (
            self.cloud,
            self.region,
            ",".join(self.zones),
            self.instance_type,
            self.capacity_type,
        )
        return hashlib.sha256("|".join(parts).encode()).hexdigest()[:8]


class ReservationKind(StrEnum):
    """What a reservation's id names: capacity kept on demand, or a block bought for a time."""

    ON_DEMAND = "on_demand"
    CAPACITY_BLOCK = "capacity_block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Capacity that a cloud keeps for the account, by the cloud's own id; `until` is exclusive.

    Without dates it is there until somebody gives it up.
    """

    id: str
    kind: ReservationKind = ReservationKind.ON_DEMAND
    start: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePrice:
    """What a node costs here, and how sure that is; USD per node-hour, None when unknown.

    `usd` is the list price after `discount` (a negotiated share off); `amount` and `currency`
    are as quoted.
    """

    usd: Decimal | None
    state: PriceState
    observed_at: datetime | None
    source: str
    amount: Decimal | None = None
    currency: str = "USD"
    discount: Decimal = Decimal(0)


UNPRICED = NodePrice(usd=None, state=PriceState.UNKNOWN, observed_at=None, source="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """`nodes` nodes of one offer, for one pool.

    `gpus_per_node` may be a fraction. `bid` is the rendered cap of a spot node, in the
    account's currency per node-hour and already rounded to the cloud's decimals; None means
    that none is rendered. `arch` is the processor of the shape (`x86_64`, `arm64`).
    `reservation` goes with capacity type `reserved`. `cluster_network` asks for the fastest
    network between nodes that the type has, which puts them close to each other. `least` is set
    where somebody else decides the size: then `nodes` is the most, and what costs are told of.
    """

    slot: Slot
    nodes: int
    gpu: str
    gpus_per_node: Fraction
    price: NodePrice
    bid: Decimal | None = None
    arch: str = "x86_64"
    reservation: Reservation | None = None
    cluster_network: bool = False
    least: int | None = None

    @property
    def gpus(self) -> Fraction:
        """GPUs in all nodes together, the surplus included."""
        return self.gpus_per_node * self.nodes

    @property
    def floor(self) -> int:
        """Nodes without which the placement is not as wanted."""
        return self.nodes if self.least is None else min(self.least, self.nodes)

    def is_right(self, nodes: int) -> bool:
        """Whether so many nodes are as wanted: all of them, or any number within the bounds."""
        return self.floor <= nodes <= self.nodes

    def nearest(self, nodes: int) -> int:
        """The number of nodes within the bounds that is nearest to this one."""
        return min(max(nodes, self.floor), self.nodes)

    @property
    def usd_per_hour(self) -> Decimal | None:
        """Cost of all nodes; exactly 0 for no nodes, None when the price is unknown."""
        if self.nodes == 0:
            return Decimal(0)
        return None if self.price.usd is None else self.price.usd * self.nodes


def total_usd(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The sum, or None as soon as one amount is unknown: unknown is never summed as 0."""
    known = list(amounts)
    return None if any(a is None for a in known) else sum((a for a in known if a), Decimal(0))
