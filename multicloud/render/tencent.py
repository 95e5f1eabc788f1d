"""How Tencent Cloud stacks are rendered: an Auto Scaling group on a scaling configuration."""

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


TENCENT = CloudModule(
    cloud=Cloud.TENCENT,
    title="Tencent Cloud",
    folder="tencent-gpu-pool",
    plugin=Plugin(
        name="tencentcloud", source="tencentcloudstack/tencentcloud", versions=">= 1.81.100, < 2"
    ),
    # A scaling group's name has at most 55 characters, a scaling configuration's 60.
    names=NameRule(max_length=55, others="._-"),
    tags=TagRule(
        max_key=127,
        min_value=1,
        max_value=255,
        # A resource may have 50, but a scaling configuration gives its nodes 10 at most.
        max_tags=10,
        reserved=("qcs:", "project", "项目"),
        text=re.compile(r"(?! )[\w +\-=.:/@()\[\],;><（）【】：]+(?<! )"),
        allowed="letters, digits, `+-=._:/@()[],;><` and blanks that are not at either end",
        source="https://cloud.tencent.com/document/product/651/13354",
    ),
    max_startup_bytes=16 * 1024,
    provider=_provider,
    extras=("image_os",),
)
