"""Stack keys and rendered stacks, valid by default."""

from __future__ import annotations

from fractions import Fraction
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from multicloud.models.change import StackKey
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import UNPRICED, Placement, Slot
from multicloud.render.stack import RenderedStack

if TYPE_CHECKING:
    from collections.abc import Mapping


def a_key(pool: str = "train", digest: str = "0a1b2c3d") -> StackKey:
    """A pool's stack on AWS in the sandbox."""
    return StackKey(
        target="sandbox",
        policy="daynight",
        pool=pool,
        cloud="aws",
        region="us-east-1",
        digest=digest,
    )


def a_stack(pool: str = "train", files: Mapping[str, str] | None = None) -> RenderedStack:
    """A rendered stack of one pool; `files` by name."""
    slot = Slot(
        cloud=Cloud.AWS,
        region="us-east-1",
        zones=("use1-az1",),
        instance_type="p4d.24xlarge",
        capacity_type=CapacityType.SPOT,
    )
    placement = Placement(
        slot=slot, nodes=1, gpu="A100-40GB", gpus_per_node=Fraction(8), price=UNPRICED
    )
    texts = files or {"main.tf.json": "{}\n"}
    return RenderedStack(
        key=a_key(pool),
        placement=placement,
        files={PurePosixPath(name): text for name, text in texts.items()},
        plugins=(),
    )
