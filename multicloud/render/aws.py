"""How AWS stacks are rendered: an EC2 Auto Scaling group on a launch template."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from multicloud.models.offer import Cloud
from multicloud.render.contract import CloudModule, Plugin
from multicloud.render.names import NameRule, TagRule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings
    from multicloud.render.tfjson import Value


def _provider(region: str, account: CloudSettings) -> Mapping[str, Value]:
    return {"region": region, "profile": account.profile}


AWS = CloudModule(
    cloud=Cloud.AWS,
    title="AWS",
    folder="aws-gpu-pool",
    # 5.74 is the first that knows EFA interfaces without an address (`efa-only`).
    plugin=Plugin(name="aws", source="hashicorp/aws", versions=">= 5.74, < 7"),
    # A launch template's name has 3 to 125 characters, a key pair's and a group's more.
    names=NameRule(max_length=125, others="._-"),
    tags=TagRule(
        max_key=128,
        min_value=0,
        max_value=256,
        max_tags=50,
        reserved=("aws:",),
        text=re.compile(r"[^\x00-\x1f\x7f]*"),
        allowed="any character but control characters",
        source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions",
    ),
    max_startup_bytes=16 * 1024,
    provider=_provider,
    extras=("root_device", "placement_group"),
)
