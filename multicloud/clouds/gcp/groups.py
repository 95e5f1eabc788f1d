"""Managed instance groups of ours, which of them are short of instances, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from multicloud.clouds.gcp import session as sessions
from multicloud.clouds.owners import present_by_owner
from multicloud.models.inventory import Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.inventory import Node, Tags

# Codes of a group's errors: cloud.google.com/compute/docs/troubleshooting, creating VMs.
KINDS: Mapping[str, ShortageKind] = {
    "ZONE_RESOURCE_POOL_EXHAUSTED": ShortageKind.CAPACITY,
    "RESOURCE_POOL_EXHAUSTED": ShortageKind.CAPACITY,
    "STOCKOUT": ShortageKind.CAPACITY,
    "QUOTA_EXCEEDED": ShortageKind.QUOTA,
    "LIMIT_EXCEEDED": ShortageKind.QUOTA,
}


class Group(NamedTuple):
    """A group of ours; `where` is its zone or region, `owner` its policy, pool and place.

    `base` begins the names of its nodes.
    """

    name: str
    base: str
    where: str
    zones: tuple[str, ...]
    wanted: int
    owner: Tags
    instance_type: str
    capacity_type: CapacityType


def groups(found: sessions.Session, region: str) -> tuple[Group, ...]:
    """Groups of ours in a region. They bear no labels, but the templates of ours do.

    Raises: CloudError, and whatever Google's SDK does.
    """
    from google.cloud import compute_v1

    templates = sessions.client(compute_v1.InstanceTemplatesClient, found.credentials)
    listed = templates.list(request={"project": found.project}, **sessions.bounds())
    made = {
        template.name: template.properties
        for page in sessions.pages(listed)
        for template in page.items
        if template.properties.labels.get("managed-by") == "multicloud"
    }
    managers = sessions.client(compute_v1.InstanceGroupManagersClient, found.credentials)
    what = "instance_group_managers"
    return tuple(
        Group(
            name=group.name,
            base=group.base_instance_name,
            where=where,
            zones=_zones(group, where),
            wanted=group.target_size,
            owner=owner_of(made[template]),
            instance_type=made[template].machine_type,
            capacity_type=capacity_of(made[template]),
        )
        for where, group in sessions.scoped(managers, found.project, region, what)
        if (template := group.instance_template.rpartition("/")[2]) in made
    )


def shortages(
    found: sessions.Session, region: str, ours: Sequence[Group], nodes: Sequence[Node]
) -> Iterator[Shortage]:
    """Groups with fewer nodes than their size, each with its newest error.

    Raises: CloudError, and whatever Google's SDK does.
    """
    present = present_by_owner(nodes)
    for group in ours:
        if present[group.owner] >= group.wanted:
            continue
        text = _newest_error(found, region, group)
        yield Shortage(
            cloud=Cloud.GCP,
            region=region,
            policy=group.owner[0],
            pool=group.owner[1],
            place=group.owner[2],
            instance_type=group.instance_type,
            capacity_type=group.capacity_type,
            zones=group.zones,
            wanted=group.wanted,
            present=present[group.owner],
            kind=next((k for c, k in KINDS.items() if c in text), ShortageKind.OTHER),
            text=text or "nodes are awaited",
        )


def owner_of(told: Any) -> Tags:  # noqa: ANN401 - see `capacity_of`
    """Policy, pool and place. Labels are lower case: the names stand in the metadata as written."""
    written = {item.key: item.value for item in told.metadata.items}
    return (
        written.get("multicloud-policy") or told.labels.get("policy", ""),
        written.get("multicloud-pool") or told.labels.get("pool", ""),
        told.labels.get("place", ""),
    )


def capacity_of(told: Any) -> CapacityType:  # noqa: ANN401 - an instance, or a template's properties
    """How it is bought; one that is aimed at a reservation is reserved, by chance it is not."""
    bought = told.scheduling.provisioning_model
    aimed = told.reservation_affinity.consume_reservation_type == "SPECIFIC_RESERVATION"
    if aimed or bought == "RESERVATION_BOUND":
        return CapacityType.RESERVED
    is_spot = bought == "SPOT" or told.scheduling.preemptible
    return CapacityType.SPOT if is_spot else CapacityType.ON_DEMAND


def _zones(group: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401 - compute_v1.InstanceGroupManager
    spread = [zone.zone.rpartition("/")[2] for zone in group.distribution_policy.zones]
    return tuple(sorted(spread)) or (where,)


def _newest_error(found: sessions.Session, region: str, group: Group) -> str:
    """Code and words of a group's newest error; "" when it has none."""
    from google.cloud import compute_v1

    request = {"project": found.project, "instance_group_manager": group.name}
    if group.where == region:
        client = sessions.client(compute_v1.RegionInstanceGroupManagersClient, found.credentials)
        request["region"] = region
    else:
        client = sessions.client(compute_v1.InstanceGroupManagersClient, found.credentials)
        request["zone"] = group.where
    pager = client.list_errors(request=request, **sessions.bounds())
    errors = [one for page in sessions.pages(pager) for one in page.items]
    newest = max(errors, key=lambda one: one.timestamp, default=None)
    return f"{newest.error.code}: {newest.error.message}" if newest else ""
