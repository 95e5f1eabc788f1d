"""Nodes with our tags that stand in no record: machines that nobody pays attention to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.catalog.market import build_market
from multicloud.models.offer import OfferKey
from multicloud.models.pool import PriceTrust

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from multicloud.catalog.market import Market
    from multicloud.models.inventory import Node, Reading
    from multicloud.models.pool import Policy
    from multicloud.run.inputs import Inputs
    from multicloud.run.records import Records


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """A node without a record, with its price in USD per hour; None when nobody knows it."""

    node: Node
    usd_per_hour: Decimal | None


def strangers_of(
    inputs: Inputs, records: Records, readings: Iterable[Reading]
) -> tuple[tuple[Stranger, ...], tuple[Node, ...]]:
    """Nodes of known policies in places without a record; nodes of policies not known here."""
    policies = {policy.name: policy for policy in records.policies}
    recorded = {stack.key.tags for stack in inputs.stacks}
    strangers, foreign = [], []
    for node in (node for reading in readings for node in reading.nodes):
        if node.policy not in policies:
            foreign.append(node)
        elif node.tags not in recorded:
            price = _price(node, _market(inputs, policies[node.policy]))
            strangers.append(Stranger(node=node, usd_per_hour=price))
    return tuple(strangers), tuple(foreign)


def _market(inputs: Inputs, policy: Policy) -> Market:
    return build_market(
        inputs.snapshot,
        now=inputs.now,
        fx=policy.fx,
        discounts=policy.discounts,
        trust=PriceTrust(),
    )


def _price(node: Node, market: Market) -> Decimal | None:
    """The zone's price, else the region's."""
    for zone in (node.zone, ""):
        key = OfferKey(node.cloud, node.region, zone, node.instance_type, node.capacity_type)
        priced = market.get(key)
        if priced is not None:
            return priced.price.usd
    return None
