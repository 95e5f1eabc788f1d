"""How Alibaba Cloud stacks are rendered: an ESS scaling group with one scaling configuration."""

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


def _account(_region: str, account: CloudSettings) -> Mapping[str, Value]:
    return {"resource_group_id": account.resource_group}


ALIBABA = CloudModule(
    cloud=Cloud.ALIBABA,
    title="Alibaba Cloud",
    folder="alibaba-gpu-pool",
    plugin=Plugin(name="alicloud", source="aliyun/alicloud", versions=">= 1.247, < 2"),
    # A scaling group's name has at most 64 characters.
    names=NameRule(max_length=64, others="._-"),
    # A scaling group and its configuration take shorter keys than the cloud's other resources. The
    # provider puts a changed tag between quotation marks as it is.
    tags=TagRule(
        max_key=64,
        min_value=0,
        max_value=128,
        max_tags=20,
        reserved=("aliyun", "acs:"),
        text=re.compile(r"(?i:(?!aliyun|acs:)(?!.*https?://))[^\x00-\x1f\x7f\"\\]*"),
        allowed='any character but control characters, `"` and `\\`, no address (http://), and'
        " nothing that begins with aliyun or acs:",
        source="https://github.com/aliyun/terraform-provider-alicloud/blob/master/website/docs/r/ess_scaling_group.html.markdown",
    ),
    max_startup_bytes=16 * 1024,
    provider=_provider,
    extras=("image_name", "resource_group_id"),
    account=_account,
)
