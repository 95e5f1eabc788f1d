"""Whether a node suits a wish, and how many it takes; place and price are not its business."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multicloud.models.decision import Reject
from multicloud.models.need import Interconnect

if TYPE_CHECKING:
    from multicloud.models.need import Wish
    from multicloud.models.offer import Shape

IN_NODE_LINKS = frozenset({"nvlink", "xgmi"})
RDMA_FABRICS = frozenset({"efa", "infiniband", "roce"})


def shape_fault(wish: Wish, shape: Shape) -> Reject | None:
    """The first thing about a node's shape that does not suit the wish; None when it does.

    Its GPU or type is taken as meant: see `Market.candidates`. A share of a GPU suits
    a wish for shares, or one that names the type.
    """
    if _is_below(wish, shape):
        return Reject.TOO_SMALL
    if shape.arch != wish.arch:
        return Reject.WRONG_ARCH
    if shape.gpus <= 0 or (is_share(shape) and not may_be_share(wish)):
        return Reject.WRONG_SHAPE
    if wish.per_node is not None and shape.gpus != wish.per_node:
        return Reject.WRONG_SHAPE
    if wish.interconnect is Interconnect.NVLINK and shape.gpu_link not in IN_NODE_LINKS:
        return Reject.NO_INTERCONNECT
    if wish.interconnect is Interconnect.RDMA and shape.fabric not in RDMA_FABRICS:
        return Reject.NO_INTERCONNECT
    return None


def is_share(shape: Shape) -> bool:
    """Whether a node has less than a whole GPU, as a vGPU."""
    return shape.gpus.denominator != 1


def may_be_share(wish: Wish) -> bool:
    """Whether a share of a GPU may meet the wish."""
    return wish.vgpu or wish.instance_type is not None


def nodes_for(wish: Wish, shape: Shape) -> int:
    """Nodes of the shape that meet the wish; the surplus of GPUs is bought with them."""
    if wish.instance_type is not None:
        return wish.nodes
    return math.ceil(wish.gpus / shape.gpus)


def _is_below(wish: Wish, shape: Shape) -> bool:
    """Whether any of the wish's minima is missed."""
    return (
        (wish.gpu_memory_gib is not None and shape.gpu_memory_gib < wish.gpu_memory_gib)
        or (wish.vcpus is not None and shape.vcpus < wish.vcpus)
        or (wish.memory_gib is not None and shape.memory_gib < wish.memory_gib)
    )
