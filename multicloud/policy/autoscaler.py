"""Pools whose size somebody else decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.models.pool import Autoscaler
from multicloud.policy import kinds as k

if TYPE_CHECKING:
    from multicloud.models.need import Need, Wish
    from multicloud.policy.reader import Reader


def compile_autoscaler(pool: Reader, need: Need) -> Autoscaler | None:
    """The bounds in nodes; without `max` it is the nodes of the need. None: the size is ours."""
    given = pool.sub("autoscaler")
    if given is None:
        return None
    mode = given.or_else("mode", k.AUTOSCALER_MODE, k.AutoscalerMode.MANAGED)
    if mode is k.AutoscalerMode.MANAGED:
        for key in ("min", "max"):
            if key in given:
                given.fault(key, "goes with mode: external.", hint="Leave it out, or set the mode.")
        return None
    counted = [_nodes(wish) for wish in need.wishes]
    if None in counted:
        pool.fault(
            "need",
            "an autoscaler counts nodes, and this need does not say how large one is.",
            hint="Write A100:8 (GPUs per node), or instance_type and nodes.",
        )
        return None
    if "backstop" in pool:
        pool.fault("backstop", "would work against the autoscaler.", hint="Leave it out.")
    least = given.or_else("min", k.COUNT, 0)
    most = given.or_else("max", k.COUNT, max((n for n in counted if n is not None), default=0))
    if most < 1:
        given.fault("max", "leaves no room for a node.", detail="Expected 1 or more.")
        return None
    if least > most:
        given.fault("min", f"{least} is more than max ({most}).")
        return None
    return Autoscaler(min_nodes=least, max_nodes=most)


def sized(need: Need, autoscaler: Autoscaler | None) -> Need:
    """The need for as many nodes as there may ever be; a need of nothing stays one."""
    if autoscaler is None:
        return need
    wishes = tuple(_of_size(wish, autoscaler.max_nodes) for wish in need.wishes)
    return replace(need, wishes=wishes, min_gpus=None)


def _nodes(wish: Wish) -> int | None:
    if wish.instance_type is not None:
        return wish.nodes
    return None if wish.per_node is None else -(-wish.gpus // wish.per_node)


def _of_size(wish: Wish, nodes: int) -> Wish:
    if wish.is_empty:
        return wish
    if wish.instance_type is not None:
        return replace(wish, nodes=nodes)
    return wish if wish.per_node is None else replace(wish, gpus=nodes * wish.per_node)
