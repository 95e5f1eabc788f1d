"""What runs on Oracle Cloud: instances with our tags, and pools that are short of some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicloud.clouds.oracle import session as sessions
from multicloud.clouds.owners import owner_of, present_by_owner
from multicloud.models.inventory import Node, NodeState, Reading, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.project import CloudSettings

# Instance.lifecycleState; what is new to us is taken for a node that boots.
STATES: Mapping[str, NodeState] = {
    "PROVISIONING": NodeState.PENDING,
    "STARTING": NodeState.PENDING,
    "MOVING": NodeState.PENDING,
    "RUNNING": NodeState.RUNNING,
    "CREATING_IMAGE": NodeState.RUNNING,
    "STOPPING": NodeState.STOPPING,
    "STOPPED": NodeState.STOPPING,
    "TERMINATING": NodeState.STOPPING,
}
# Words of work requests' errors, docs.oracle.com/iaas/Content/API/References/apierrors.htm.
KINDS: Mapping[str, ShortageKind] = {
    "out of host capacity": ShortageKind.CAPACITY,
    "out of capacity": ShortageKind.CAPACITY,
    "limitexceeded": ShortageKind.QUOTA,
    "quotaexceeded": ShortageKind.QUOTA,
    "service limit": ShortageKind.QUOTA,
}
GONE = "TERMINATED"
"""Such instances are remembered for a while and are no nodes."""
MARK = ("managed-by", "multicloud")


class OracleInventory:
    """Reads the project's compartment by the profile of Oracle's command line."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every instance with our tag in a region, in order of id.

        Half an answer is none: when any page fails the reading has an error and no nodes.
        """
        try:
            config = sessions.config(self._settings, region)
            compartment = self._settings.compartment or config["tenancy"]
            nodes = _nodes(config, compartment, region)
            return Reading(
                cloud=cloud,
                region=region,
                nodes=nodes,
                shortages=tuple(_shortages(config, compartment, region, nodes)),
            )
        except Exception as error:  # noqa: BLE001 - oci's classes need oci to be named
            return Reading(cloud=cloud, region=region, error=str(sessions.cloud_error(error)))


def _is_ours(tagged: Any) -> bool:  # noqa: ANN401 - oci has no static types
    return (tagged.freeform_tags or {}).get(MARK[0]) == MARK[1]


def _nodes(config: Mapping[str, Any], compartment: str, region: str) -> tuple[Node, ...]:
    from oci.core import ComputeClient

    compute = sessions.client(ComputeClient, config)
    found = [
        _node(one, region)
        for one in sessions.pages(compute.list_instances, compartment)
        if _is_ours(one) and one.lifecycle_state != GONE
    ]
    return tuple(sorted(found, key=lambda node: node.id))


def _node(instance: Any, region: str) -> Node:  # noqa: ANN401 - oci has no static types
    tags = instance.freeform_tags
    return Node(
        cloud=Cloud.ORACLE,
        region=region,
        zone=sessions.zone_of(region, instance.availability_domain),
        id=instance.id,
        policy=tags.get("policy", ""),
        pool=tags.get("pool", ""),
        place=tags.get("place", ""),
        instance_type=instance.shape,
        capacity_type=_capacity(instance),
        state=STATES.get(instance.lifecycle_state, NodeState.PENDING),
        launched_at=instance.time_created,
    )


def _capacity(instance: Any) -> CapacityType:  # noqa: ANN401 - oci has no static types
    if instance.capacity_reservation_id:
        return CapacityType.RESERVED
    if instance.preemptible_instance_config:
        return CapacityType.SPOT
    return CapacityType.ON_DEMAND


def _shortages(
    config: Mapping[str, Any], compartment: str, region: str, nodes: Sequence[Node]
) -> Iterator[Shortage]:
    """Pools of ours with fewer instances than their size, with the last error of their making."""
    from oci.core import ComputeManagementClient
    from oci.work_requests import WorkRequestClient

    present = present_by_owner(nodes)
    management = sessions.client(ComputeManagementClient, config)
    requests = sessions.client(WorkRequestClient, config)
    for pool in sessions.pages(management.list_instance_pools, compartment):
        if not _is_ours(pool) or pool.lifecycle_state in ("TERMINATING", "TERMINATED"):
            continue
        owner = owner_of(pool.freeform_tags)
        if present[owner] >= pool.size:
            continue
        text = _last_error(requests, compartment, pool.id)
        kind = next((k for words, k in KINDS.items() if words in text.casefold()), None)
        config_of = management.get_instance_configuration(pool.instance_configuration_id).data
        launch = config_of.instance_details.launch_details
        yield Shortage(
            cloud=Cloud.ORACLE,
            region=region,
            policy=owner[0],
            pool=owner[1],
            place=owner[2],
            instance_type=launch.shape,
            capacity_type=_capacity(launch),
            zones=tuple(sorted(sessions.zone_of(region, d) for d in pool.availability_domains)),
            wanted=pool.size,
            present=present[owner],
            kind=kind or ShortageKind.OTHER,
            text=text or "instances are awaited",
        )


def _last_error(requests: Any, compartment: str, pool: str) -> str:  # noqa: ANN401 - oci has no static types
    """What went wrong with a pool's newest work request, also while it is tried; "" for nothing."""
    told = sessions.pages(requests.list_work_requests, compartment, resource_id=pool)
    newest = max(told, key=lambda one: one.time_accepted, default=None)
    if newest is None or newest.status == "SUCCEEDED":
        return ""
    errors = requests.list_work_request_errors(newest.id).data or ()
    return "; ".join(dict.fromkeys(f"{one.code}: {one.message}" for one in errors))
