"""What ours is held against, where it is installed."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from multicloud.models.offer import CapacityType

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicloud.catalog.snapshot import Snapshot


def gpuhunt_query(snapshot: Snapshot) -> Callable[[], object] | None:
    """A query for one node with eight A100 by gpuhunt over the same rows; None without it."""
    if importlib.util.find_spec("gpuhunt") is None:
        return None
    from gpuhunt._internal.constraints import matches
    from gpuhunt._internal.models import CatalogItem, QueryFilter

    items = [
        CatalogItem(
            provider="aws",
            instance_name=offer.shape.instance_type,
            location=offer.zone or offer.region,
            price=float(offer.quotes[-1].amount),
            cpu=offer.shape.vcpus,
            memory=float(offer.shape.memory_gib),
            gpu_count=int(offer.shape.gpus),
            gpu_name=offer.shape.gpu.split("-")[0],
            gpu_memory=float(offer.shape.gpu_memory_gib),
            gpu_vendor="nvidia",
            spot=offer.capacity_type is CapacityType.SPOT,
            disk_size=None,
        )
        for offer in snapshot.offers
    ]
    wanted = QueryFilter(gpu_name=["A100"], min_gpu_count=8, max_gpu_count=8)

    def query() -> object:
        return sorted((i for i in items if matches(i, wanted)), key=lambda i: i.price)

    return query
