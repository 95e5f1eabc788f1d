"""Valid values by default; a test says only what it is about."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

from multicloud.errors import InvalidInputsError
from multicloud.models.condition import Always
from multicloud.models.need import Need, Wish
from multicloud.models.offer import CapacityType, Cloud, Offer, Shape
from multicloud.models.placement import UNPRICED, NodePrice, Placement, Slot
from multicloud.models.pool import Fixed, Limits, NodeSettings, Policy, Pool, Rule
from multicloud.models.quote import Quote
from multicloud.policy.compile import Source, compile_policies

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def at(text: str) -> datetime:
    """An aware instant in UTC from RFC 3339 text with an offset or Z."""
    return datetime.fromisoformat(text).astimezone(UTC)


def a_shape(
    instance_type: str = "p4d.24xlarge",
    *,
    cloud: Cloud = Cloud.AWS,
    gpu: str = "A100-40GB",
    gpus: int | Fraction = 8,
    gpu_memory_gib: str = "40",
    vcpus: int = 96,
    memory_gib: str = "1152",
    fabric: str = "",
) -> Shape:
    """A node with eight A100 unless told otherwise."""
    return Shape(
        cloud=cloud,
        instance_type=instance_type,
        gpu=gpu,
        gpus=Fraction(gpus),
        gpu_memory_gib=Decimal(gpu_memory_gib),
        vcpus=vcpus,
        memory_gib=Decimal(memory_gib),
        arch="x86_64",
        gpu_link="nvlink",
        fabric=fabric,
        source="test",
    )


def a_quote(
    amount: str = "10.00",
    *,
    currency: str = "USD",
    observed_at: datetime = NOON,
    estimate: bool = False,
    site: str = "",
) -> Quote:
    """A quote seen at `NOON`."""
    return Quote(
        amount=Decimal(amount),
        currency=currency,
        observed_at=observed_at,
        source="test",
        estimate=estimate,
        site=site,
    )


def an_offer(
    price: str | None = "10.00",
    *,
    cloud: Cloud = Cloud.AWS,
    region: str = "us-east-1",
    zone: str | None = None,
    shape: Shape | None = None,
    capacity: CapacityType = CapacityType.ON_DEMAND,
    quotes: tuple[Quote, ...] | None = None,
    observed_at: datetime = NOON,
) -> Offer:
    """An on-demand offer of `a_shape()` in us-east-1; `price` None gives it no quote."""
    if quotes is None:
        quotes = () if price is None else (a_quote(price, observed_at=observed_at),)
    return Offer(
        cloud=cloud,
        region=region,
        zone=zone,
        shape=shape or a_shape(cloud=cloud),
        capacity_type=capacity,
        quotes=quotes,
    )


def a_slot(
    instance_type: str = "p4d.24xlarge",
    *,
    cloud: Cloud = Cloud.AWS,
    region: str = "us-east-1",
    zones: tuple[str, ...] = ("use1-az1", "use1-az2"),
    capacity: CapacityType = CapacityType.ON_DEMAND,
) -> Slot:
    """p4d.24xlarge on demand in two zones of us-east-1."""
    return Slot(
        cloud=cloud,
        region=region,
        zones=zones,
        instance_type=instance_type,
        capacity_type=capacity,
    )


def a_placement(
    nodes: int = 2,
    *,
    slot: Slot | None = None,
    gpu: str = "A100-40GB",
    gpus_per_node: int | Fraction = 8,
    price: NodePrice = UNPRICED,
    bid: str | None = None,
) -> Placement:
    """Two unpriced nodes of `a_slot()` with eight A100 each."""
    return Placement(
        slot=slot or a_slot(),
        nodes=nodes,
        gpu=gpu,
        gpus_per_node=Fraction(gpus_per_node),
        price=price,
        bid=None if bid is None else Decimal(bid),
    )


def a_pool(
    name: str = "training",
    *,
    node: NodeSettings = NodeSettings(),
    labels: tuple[tuple[str, str], ...] = (),
    gpus: int = 16,
) -> Pool:
    """A pool that is always off: tests of what comes after deciding need no rules."""
    need = Need(wishes=(Wish(gpu="A100", gpus=gpus),), text=f"{gpus} x A100")
    rule = Rule(name="never", when=Always(), when_text="", need=need, outcome=Fixed.OFF)
    return Pool(name=name, need=need, rules=(rule,), otherwise=Fixed.OFF, node=node, labels=labels)


def a_policy(*pools: Pool, name: str = "daynight") -> Policy:
    """A policy of the pools given, or of `a_pool()`."""
    return Policy(
        name=name,
        file=f"policies/{name}.yaml",
        hash="0" * 64,
        text="",
        timezone="UTC",
        calendar=None,
        currency="USD",
        fx={},
        discounts=(),
        commitments=(),
        limits=Limits(),
        redact=(),
        pools=pools or (a_pool(),),
    )


POLICY_HEAD = "version: 1\nname: test\ntimezone: UTC\n"


def compiled(pool: str, *, head: str = POLICY_HEAD) -> Pool:
    """The only pool of a policy: `pool` is the text of its map, indented by nothing."""
    body = "".join(f"    {line}\n" for line in pool.strip().splitlines())
    (policy,) = compile_policies([Source("test.yaml", f"{head}pools:\n  p:\n{body}")])
    return policy.pools[0]


def faults(text: str) -> list[str]:
    """Every fault of a policy's text, as shown; empty when it has none."""
    try:
        compile_policies([Source("test.yaml", text)])
    except InvalidInputsError as error:
        return [str(fault) for fault in error.errors]
    return []
