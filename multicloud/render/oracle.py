"""How Oracle Cloud stacks are rendered: an instance pool, in a cluster network if need be."""

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

# Stands in where no account is: a live run asks for the project file's own first.
NO_COMPARTMENT = "ocid1.compartment.oc1..none"


def _provider(region: str, account: CloudSettings) -> Mapping[str, Value]:
    return {"region": region, "config_file_profile": account.profile}


def _account(_region: str, account: CloudSettings) -> Mapping[str, Value]:
    return {"compartment_id": account.compartment or NO_COMPARTMENT}


ORACLE = CloudModule(
    cloud=Cloud.ORACLE,
    title="Oracle Cloud",
    folder="oracle-gpu-pool",
    plugin=Plugin(name="oci", source="oracle/oci", versions=">= 7.0, < 9"),
    # Display names have 255 characters.
    names=NameRule(max_length=200, others="._-"),
    tags=TagRule(
        max_key=100,
        min_value=0,
        max_value=256,
        max_tags=10,
        reserved=(),
        text=re.compile(r"[^\x00-\x1f\x7f]*"),
        allowed="any character but control characters",
        source="https://docs.oracle.com/iaas/Content/Tagging/Concepts/understandingfreeformtags.htm",
        key_bans=". ",
        ascii_keys=True,
    ),
    max_startup_bytes=16 * 1024,
    provider=_provider,
    extras=("compartment_id", "flex"),
    account=_account,
    required=("compartment",),
)
