"""Nodes and GPUs of a wish."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from multicloud.decide.parts import ALL

if TYPE_CHECKING:
    from multicloud.models.need import Need, Wish


def nodes_for(wish: Wish, gpus_per_node: Fraction, share: Fraction = ALL) -> int:
    """Whole nodes that give a share of the wish; the surplus of the last one is paid."""
    if share is ALL or share == 1:
        if wish.instance_type is not None:
            return wish.nodes
        return -(-wish.gpus * gpus_per_node.denominator // gpus_per_node.numerator)
    if wish.instance_type is not None:
        return -int(-wish.nodes * share // 1)
    return -int(-wish.gpus * share // gpus_per_node)


def total_gpus(wish: Wish, gpus_per_node: Fraction) -> Fraction:
    """GPUs of the whole wish."""
    if wish.instance_type is not None:
        return wish.nodes * gpus_per_node
    return Fraction(wish.gpus)


def least_share(need: Need, wish: Wish, gpus_per_node: Fraction) -> Fraction:
    """The least share of the need that counts as met."""
    if need.min_gpus is None:
        return ALL
    return min(ALL, need.min_gpus / total_gpus(wish, gpus_per_node))
