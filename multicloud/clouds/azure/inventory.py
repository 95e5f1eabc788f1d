"""What runs on Azure: the virtual machines of scale sets with our tags."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple

from multicloud.clouds.azure import session as sessions
from multicloud.models.inventory import Node, NodeState, Reading, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.project import CloudSettings

MARK = ("managed-by", "multicloud")
# Codes of an instance view's statuses, learn.microsoft.com/azure/virtual-machines/states-billing.
POWER: Mapping[str, NodeState] = {
    "PowerState/starting": NodeState.PENDING,
    "PowerState/running": NodeState.RUNNING,
    "PowerState/stopping": NodeState.STOPPING,
    "PowerState/stopped": NodeState.STOPPING,
    "PowerState/deallocating": NodeState.STOPPING,
    "PowerState/deallocated": NodeState.STOPPING,
}
_DELETING = "ProvisioningState/deleting"
_FAILED = "ProvisioningState/failed"
# Codes of failed allocations, learn.microsoft.com/azure/virtual-machines/error-codes.
KINDS: Mapping[str, ShortageKind] = {
    "AllocationFailed": ShortageKind.CAPACITY,
    "AllocationRequest": ShortageKind.CAPACITY,
    "SkuNotAvailable": ShortageKind.CAPACITY,
    "QuotaExceeded": ShortageKind.QUOTA,
    "OperationNotAllowed": ShortageKind.QUOTA,
}


class Group(NamedTuple):
    """A scale set of ours, as far as it is read."""

    id: str
    resource_group: str
    name: str
    is_flexible: bool
    size: int
    type: str
    capacity: CapacityType
    zones: tuple[str, ...]
    tags: Mapping[str, str]


class AzureInventory:
    """Reads one subscription by Azure's ordinary chain of credentials."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every node of our scale sets in a region, in order of id.

        Half an answer is none: when any page fails the reading has an error and no nodes.
        """
        try:
            where = sessions.subscription(self._settings)
            client = sessions.client(sessions.credential(), where)
            nodes: list[Node] = []
            shortages: list[Shortage] = []
            for group in _groups(client, region):
                found = [_node(vm, group, region) for vm in _machines(client, group)]
                nodes += found
                shortages += _shortage(client, group, region, found)
            nodes.sort(key=lambda node: node.id)
        except Exception as error:  # noqa: BLE001 - azure's classes need its SDK to be named
            return Reading(cloud=cloud, region=region, error=str(sessions.cloud_error(error)))
        return Reading(cloud=cloud, region=region, nodes=tuple(nodes), shortages=tuple(shortages))


def _groups(client: Any, region: str) -> Iterator[Group]:  # noqa: ANN401 - the SDK's client
    for one in sessions.pages(client.virtual_machine_scale_sets.list_by_location(region)):
        tags = one.tags or {}
        if tags.get(MARK[0]) != MARK[1]:
            continue
        profile = one.properties.virtual_machine_profile
        yield Group(
            id=one.id,
            # /subscriptions/S/resourceGroups/G/providers/...
            resource_group=one.id.split("/")[4],
            name=one.name,
            is_flexible=one.properties.orchestration_mode == "Flexible",
            size=int(one.sku.capacity),
            type=one.sku.name,
            capacity=_capacity(profile),
            zones=tuple(sorted(one.zones or ())),
            tags=tags,
        )


def _capacity(profile: Any) -> CapacityType:  # noqa: ANN401 - VirtualMachineScaleSetVMProfile
    if profile.priority == "Spot":
        return CapacityType.SPOT
    reservation = profile.capacity_reservation
    is_reserved = reservation is not None and reservation.capacity_reservation_group is not None
    return CapacityType.RESERVED if is_reserved else CapacityType.ON_DEMAND


def _machines(client: Any, group: Group) -> list[Any]:  # noqa: ANN401 - the SDK's client
    """The machines of a group with what they are doing; a flexible one has ordinary ones."""
    if group.is_flexible:
        pager = client.virtual_machines.list(
            group.resource_group,
            filter=f"'virtualMachineScaleSet/id' eq '{group.id}'",
            expand="instanceView",
        )
    else:
        pager = client.virtual_machine_scale_set_vms.list(
            group.resource_group, group.name, expand="instanceView"
        )
    return list(sessions.pages(pager))


def _node(machine: Any, group: Group, region: str) -> Node:  # noqa: ANN401 - the SDK's class
    zones = machine.zones or ()
    return Node(
        cloud=Cloud.AZURE,
        region=region,
        zone=zones[0] if zones else "",
        id=machine.name,
        policy=group.tags.get("policy", ""),
        pool=group.tags.get("pool", ""),
        place=group.tags.get("place", ""),
        instance_type=group.type,
        capacity_type=group.capacity,
        state=_state(machine.properties.instance_view),
        launched_at=machine.properties.time_created.astimezone(UTC),
    )


def _state(view: Any) -> NodeState:  # noqa: ANN401 - the SDK's class
    """Without a word of power the machine is being made, or has failed to be."""
    codes = [status.code for status in (view.statuses or ())] if view else []
    if _DELETING in codes:
        return NodeState.STOPPING
    return next((POWER[code] for code in codes if code in POWER), NodeState.PENDING)


def _shortage(
    client: Any,  # noqa: ANN401 - the SDK's client
    group: Group,
    region: str,
    nodes: Sequence[Node],
) -> Iterator[Shortage]:
    present = sum(node.state is not NodeState.STOPPING for node in nodes)
    if present >= group.size:
        return
    view = client.virtual_machine_scale_sets.get_instance_view(group.resource_group, group.name)
    failed = [one for one in view.statuses or () if one.code.startswith(_FAILED)]
    text = "; ".join(f"{one.code.rpartition('/')[2]}: {one.message}" for one in failed)
    yield Shortage(
        cloud=Cloud.AZURE,
        region=region,
        policy=group.tags.get("policy", ""),
        pool=group.tags.get("pool", ""),
        place=group.tags.get("place", ""),
        instance_type=group.type,
        capacity_type=group.capacity,
        zones=group.zones,
        wanted=group.size,
        present=present,
        kind=next((k for code, k in KINDS.items() if code in text), ShortageKind.OTHER),
        text=text or "nodes are awaited",
    )
