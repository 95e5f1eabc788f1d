"""Whose nodes and groups are, by their tags, and how many nodes each owner has."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from multicloud.models.inventory import NodeState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from multicloud.models.inventory import Node, Tags


def owner_of(tags: Mapping[str, str]) -> Tags:
    """Whom tags name; "" for what they leave out."""
    return tags.get("policy", ""), tags.get("pool", ""), tags.get("place", "")


def present_by_owner(nodes: Iterable[Node]) -> Counter[Tags]:
    """Nodes that are there or come up, by owner; those that leave are missing already."""
    return Counter(node.tags for node in nodes if node.state is not NodeState.STOPPING)
