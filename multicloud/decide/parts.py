"""Placements as parts of a need: which tier gives them, and what is too much of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from multicloud.decide.situation import order_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicloud.models.placement import Placement, Slot

NONE = Fraction(0)
ALL = Fraction(1)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A placement from one tier; each of its nodes gives `per_node` of the need."""

    placement: Placement
    tier: int
    per_node: Fraction

    @property
    def share(self) -> Fraction:
        """What all its nodes give, the surplus included."""
        return self.per_node * self.placement.nodes


def trimmed(parts: Iterable[Part], share: Fraction = ALL) -> tuple[Part, ...]:
    """Without nodes that the share does not take: the lowest tier's dearest go first.

    What is left is in the order of tiers and places, and has at least one node each.
    """
    found = sorted(parts, key=_dearest_first)
    surplus = sum((part.share for part in found), NONE) - share
    kept = []
    for part in found:
        nodes = part.placement.nodes
        spare = min(nodes, max(0, int(surplus // part.per_node)))
        surplus -= spare * part.per_node
        if nodes > spare:
            smaller = replace(part.placement, nodes=nodes - spare)
            kept.append(replace(part, placement=smaller) if spare else part)
    return tuple(sorted(kept, key=lambda part: (part.tier, order_of(part.placement.slot))))


def shares_of(parts: Iterable[Part], tiers: int, share: Fraction = ALL) -> tuple[Fraction, ...]:
    """What each tier gives of the share; the surplus counts for nobody."""
    given = [NONE] * tiers
    for part in parts:
        given[part.tier] += part.share
    for position, amount in enumerate(given):
        given[position] = min(amount, share)
        share -= given[position]
    return tuple(given)


def merge(placements: Iterable[Placement]) -> tuple[Placement, ...]:
    """Nodes at one place put together; in the order of places."""
    found: dict[Slot, Placement] = {}
    for placement in placements:
        known = found.get(placement.slot)
        if known is not None:
            placement = replace(placement, nodes=placement.nodes + known.nodes)
        found[placement.slot] = placement
    if len(found) < 2:
        return tuple(found.values())
    return tuple(sorted(found.values(), key=lambda p: order_of(p.slot)))


def _dearest_first(part: Part) -> tuple[int, Decimal, tuple[str, ...]]:
    placement = part.placement
    usd = placement.price.usd
    per_gpu = Decimal(0) if usd is None else -usd / int(placement.gpus_per_node)
    return -part.tier, per_gpu, order_of(placement.slot)
