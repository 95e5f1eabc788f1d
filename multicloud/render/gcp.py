"""How Google Cloud stacks are rendered: a managed instance group on an instance template."""

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
    return {"region": region, "project": account.project}


def _account(_region: str, account: CloudSettings) -> Mapping[str, Value]:
    return {"service_account": account.service_account}


GCP_LABELS = TagRule(
    max_key=63,
    min_value=0,
    max_value=63,
    max_tags=64,
    reserved=("goog",),
    text=re.compile(r"[a-z0-9_-]*"),
    allowed="lower-case letters, digits, `_` and `-`",
    source="https://cloud.google.com/compute/docs/labeling-resources#requirements",
)

# 63 characters, less the five that a group appends to its name for each node.
GCP_NAMES = NameRule(max_length=58, others="-", lower_case=True)

GCP = CloudModule(
    cloud=Cloud.GCP,
    title="Google Cloud",
    folder="gcp-gpu-pool",
    plugin=Plugin(name="google", source="hashicorp/google", versions=">= 6.50, < 9"),
    names=GCP_NAMES,
    tags=GCP_LABELS,
    # One value of the metadata has at most 256 KiB.
    max_startup_bytes=192 * 1024,
    provider=_provider,
    extras=("image_project", "image_family", "service_account"),
    account=_account,
)

# A slice by its accelerator type, as the TPU API names it; only the beta provider has it.
GCP_TPU = CloudModule(
    cloud=Cloud.GCP,
    title="Google Cloud TPU",
    folder="gcp-tpu-pool",
    plugin=Plugin(name="google-beta", source="hashicorp/google-beta", versions=">= 6.50, < 9"),
    names=GCP_NAMES,
    tags=GCP_LABELS,
    max_startup_bytes=192 * 1024,
    provider=_provider,
    extras=("service_account",),
    account=_account,
    types=re.compile(r"v5litepod-\d+|v5p-\d+"),
)
