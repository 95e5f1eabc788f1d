"""What clouds say they run: nodes found by our tags, whatever the states on file say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.models.offer import CapacityType, Cloud


Tags = tuple[str, str, str]
"""Policy, pool and place's digest: what everything of one stack is tagged with in its cloud."""


class NodeState(StrEnum):
    """Where a node is in its life; `gone` ones are not told."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One machine with our tags. `place` is the 8 hex digits of its stack's place."""

    cloud: Cloud
    region: str
    zone: str
    id: str
    policy: str
    pool: str
    place: str
    instance_type: str
    capacity_type: CapacityType
    state: NodeState
    launched_at: datetime

    @property
    def tags(self) -> Tags:
        """Whose it is."""
        return self.policy, self.pool, self.place


class ShortageKind(StrEnum):
    """Why a group has fewer nodes than it was asked to have.

    `capacity`: the cloud has none there; `quota`: the account may not have more; `other`: the
    cloud says something else, or nothing yet.
    """

    CAPACITY = "capacity"
    QUOTA = "quota"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """A group that is short of nodes, as its cloud tells it; `text` is the cloud's own.

    `wanted` and `present` count nodes, those that still boot included. `zones` are the ids of
    the zones in which the group may have nodes.
    """

    cloud: Cloud
    region: str
    policy: str
    pool: str
    place: str
    instance_type: str
    capacity_type: CapacityType
    zones: tuple[str, ...]
    wanted: int
    present: int
    kind: ShortageKind
    text: str

    @property
    def tags(self) -> Tags:
        """Whose it is."""
        return self.policy, self.pool, self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """A node that its cloud took back at an instant."""

    at: datetime
    node: str
    cloud: Cloud
    region: str
    zone: str
    policy: str
    pool: str
    place: str
    instance_type: str
    capacity_type: CapacityType

    @property
    def tags(self) -> Tags:
        """Whose it is."""
        return self.policy, self.pool, self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One account's nodes in one region. With an `error` nobody knows what runs there.

    `error` is a sentence for people; `nodes` is then empty and must not be taken for "none".
    `shortages` are groups of ours with too few nodes. `interruptions` of the last week are in
    their order; the same one is told again at each reading.
    """

    cloud: Cloud
    region: str
    nodes: tuple[Node, ...] = ()
    error: str = ""
    shortages: tuple[Shortage, ...] = ()
    interruptions: tuple[Interruption, ...] = ()


class Inventory(Protocol):
    """Reads what runs in one region of one cloud.

    Never raises for what the cloud does: a refusal, a time-out or half a page gives a reading
    with `error`.
    """

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every node with our `managed-by` tag, in order of id."""
        ...
