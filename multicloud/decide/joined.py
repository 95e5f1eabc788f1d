"""Whether a pool's nodes are joined by a cluster network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.need import Interconnect

if TYPE_CHECKING:
    from multicloud.models.need import Wish
    from multicloud.models.pool import NodeSettings

REQUIRED, AUTO = "required", "auto"


def joins(node: NodeSettings, wish: Wish) -> bool:
    """`required` says so; `auto` joins nodes of a need that asks for RDMA between them."""
    if node.cluster_network == REQUIRED:
        return True
    return node.cluster_network == AUTO and wish.interconnect is Interconnect.RDMA
