"""Managed instance groups of ours that are short of instances, and why."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from multicloud.clouds.gcp import session as sessions
from multicloud.models.inventory import NodeState, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.inventory import Node

# Groups bear no labels; the names of ours end with a place, and their templates do have labels.
_NAME = re.compile(r".*-[0-9a-f]{8}")
# Codes of a group's errors: cloud.google.com/compute/docs/troubleshooting, creating VMs.
KINDS: Mapping[str, ShortageKind] = {
    "ZONE_RESOURCE_POOL_EXHAUSTED": ShortageKind.CAPACITY,
    "RESOURCE_POOL_EXHAUSTED": ShortageKind.CAPACITY,
    "STOCKOUT": ShortageKind.CAPACITY,
    "QUOTA_EXCEEDED": ShortageKind.QUOTA,
    "LIMIT_EXCEEDED": ShortageKind.QUOTA,
}


def shortages(found: sessions.Session, region: str, nodes: Sequence[Node]) -> Iterator[Shortage]:
    """Groups with fewer nodes than their size, each with its newest error.

    Raises: whatever Google's SDK does.
    """
    from google.cloud import compute_v1

    present = Counter(node.place for node in nodes if node.state is not NodeState.STOPPING)
    managers = sessions.client(compute_v1.InstanceGroupManagersClient, found.credentials)
    request = {"project": found.project}
    for page in sessions.pages(managers.aggregated_list(request=request, **sessions.bounds())):
        for scope, listed in page.items.items():
            kind, _, where = scope.partition("/")
            if where != region and not where.startswith(f"{region}-"):
                continue
            for group in listed.instance_group_managers:
                place = group.name[-8:]
                if not _NAME.fullmatch(group.name) or present[place] >= group.target_size:
                    continue
                made = _template(found, group.instance_template)
                if made is None or made.labels.get("managed-by") != "multicloud":
                    continue
                metadata = {item.key: item.value for item in made.metadata.items}
                text = _newest_error(found, kind, where, group.name)
                yield Shortage(
                    cloud=Cloud.GCP,
                    region=region,
                    policy=metadata.get("multicloud-policy", ""),
                    pool=metadata.get("multicloud-pool", ""),
                    place=place,
                    instance_type=made.machine_type,
                    capacity_type=capacity_of(made),
                    zones=_zones(group, where),
                    wanted=group.target_size,
                    present=present[place],
                    kind=next((k for c, k in KINDS.items() if c in text), ShortageKind.OTHER),
                    text=text or "nodes are awaited",
                )


def _template(found: sessions.Session, url: str) -> Any:  # noqa: ANN401 - compute_v1.InstanceProperties
    """What a template makes; None for one of a region, which we do not make."""
    from google.cloud import compute_v1

    if "/global/" not in url:
        return None
    templates = sessions.client(compute_v1.InstanceTemplatesClient, found.credentials)
    name = url.rpartition("/")[2]
    request = {"project": found.project, "instance_template": name}
    return templates.get(request=request, **sessions.bounds()).properties


def capacity_of(told: Any) -> CapacityType:  # noqa: ANN401 - an instance, or a template's properties
    """How an instance, or what a template makes, is bought."""
    if told.scheduling.provisioning_model == "SPOT":
        return CapacityType.SPOT
    affinity = told.reservation_affinity.consume_reservation_type
    is_reserved = affinity == "SPECIFIC_RESERVATION"
    return CapacityType.RESERVED if is_reserved else CapacityType.ON_DEMAND


def _zones(group: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401 - compute_v1.InstanceGroupManager
    spread = [zone.zone.rpartition("/")[2] for zone in group.distribution_policy.zones]
    return tuple(sorted(spread)) or (where,)


def _newest_error(found: sessions.Session, kind: str, where: str, name: str) -> str:
    """Code and words of a group's newest error; "" when it has none."""
    from google.cloud import compute_v1

    request = {"project": found.project, "instance_group_manager": name}
    if kind == "regions":
        client = sessions.client(compute_v1.RegionInstanceGroupManagersClient, found.credentials)
        pager = client.list_errors(request={**request, "region": where}, **sessions.bounds())
    else:
        client = sessions.client(compute_v1.InstanceGroupManagersClient, found.credentials)
        pager = client.list_errors(request={**request, "zone": where}, **sessions.bounds())
    errors = [one for page in sessions.pages(pager) for one in page.items]
    newest = max(errors, key=lambda one: one.timestamp, default=None)
    return f"{newest.error.code}: {newest.error.message}" if newest else ""
