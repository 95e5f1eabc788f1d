"""How Azure stacks are rendered: a Linux virtual machine scale set."""

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

# By default the provider replaces nodes that work when their image or key changes.
_FEATURES: list[Value] = [
    {
        "virtual_machine_scale_set": [
            {"reimage_on_manual_upgrade": False, "roll_instances_when_required": False}
        ]
    }
]


def _provider(_region: str, account: CloudSettings) -> Mapping[str, Value]:
    # Versions 4 would register some sixty services, which takes rights over the subscription.
    return {
        "features": _FEATURES,
        "resource_provider_registrations": "none",
        "subscription_id": account.subscription,
    }


def _account(_region: str, account: CloudSettings) -> Mapping[str, Value]:
    return {
        "resource_group_name": account.resource_group,
        "orchestration": account.orchestration,
    }


AZURE = CloudModule(
    cloud=Cloud.AZURE,
    title="Azure",
    folder="azure-gpu-pool",
    plugin=Plugin(name="azurerm", source="hashicorp/azurerm", versions=">= 4.51, < 6"),
    # A scale set's name has at most 64 characters; its nodes get up to nine more.
    names=NameRule(max_length=54, others="-"),
    tags=TagRule(
        max_key=512,
        min_value=0,
        max_value=256,
        max_tags=50,
        reserved=("microsoft", "azure", "windows"),
        text=re.compile(r"[^<>%&\\?/\x00-\x1f\x7f]*"),
        allowed="any character but `<>%&\\?/` and control characters",
        source="https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations",
    ),
    max_startup_bytes=48 * 1024,
    provider=_provider,
    extras=("resource_group_name", "orchestration", "encryption_at_host"),
    account=_account,
)
