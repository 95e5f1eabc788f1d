"""What clouds say they run: nodes found by our tags, whatever the states on file say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.models.offer import CapacityType, Cloud


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One account's nodes in one region. With an `error` nobody knows what runs there.

    `error` is a sentence for people; `nodes` is then empty and must not be taken for "none".
    """

    cloud: Cloud
    region: str
    nodes: tuple[Node, ...] = ()
    error: str = ""


class Inventory(Protocol):
    """Reads what runs in one region of one cloud.

    Never raises for what the cloud does: a refusal, a time-out or half a page gives a reading
    with `error`.
    """

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every node with our `managed-by` tag, in order of id."""
        ...
