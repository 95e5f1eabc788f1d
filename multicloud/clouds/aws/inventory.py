"""What runs on AWS: instances with our tags, by EC2's DescribeInstances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicloud.clouds.aws.groups import interruptions, shortages
from multicloud.clouds.aws.session import client, cloud_error, session, zone_ids
from multicloud.models.inventory import Node, NodeState, Reading
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.inventory import Interruption
    from multicloud.models.project import CloudSettings

# EC2's states; `terminated` instances are remembered for an hour and are no nodes.
STATES: Mapping[str, NodeState] = {
    "pending": NodeState.PENDING,
    "running": NodeState.RUNNING,
    "shutting-down": NodeState.STOPPING,
    "stopping": NodeState.STOPPING,
    "stopped": NodeState.STOPPING,
}


class AwsInventory:
    """Reads one account, through boto3's ordinary chain of credentials."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every node with our `managed-by` tag in a region, in order of id.

        Half an answer is none: when any page fails the reading has an error and no nodes.
        """
        try:
            nodes, lost = self._nodes(region)
            scaling = self._client(region, "autoscaling")
            return Reading(
                cloud=cloud,
                region=region,
                nodes=nodes,
                shortages=tuple(shortages(scaling, region, nodes)),
                interruptions=_in_order(interruptions(self._client(region), lost)),
            )
        except Exception as error:  # noqa: BLE001 - botocore's classes need botocore to be named
            return Reading(cloud=cloud, region=region, error=str(cloud_error(error)))

    def _nodes(self, region: str) -> tuple[tuple[Node, ...], dict[str, Node]]:
        """The nodes there are, and spot nodes that are gone, by id."""
        client = self._client(region)
        zones = zone_ids(client)
        found: list[Node] = []
        lost: dict[str, Node] = {}
        for instance in _instances(client):
            state = STATES.get(instance["State"]["Name"])
            node = _node(instance, region, zones, state or NodeState.STOPPING)
            if state is not None:
                found.append(node)
            elif node.capacity_type is CapacityType.SPOT:
                lost[node.id] = node
        return tuple(sorted(found, key=lambda node: node.id)), lost

    def _client(self, region: str, service: str = "ec2") -> Any:  # noqa: ANN401 - boto3's clients have no static type
        return client(session(self._settings), service, region)


def _in_order(events: Iterator[Interruption]) -> tuple[Interruption, ...]:
    return tuple(sorted(events, key=lambda event: (event.at, event.node)))


def _instances(client: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - see `_client`
    pages = client.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "tag:managed-by", "Values": ["multicloud"]}]
    )
    for page in pages:
        for reservation in page["Reservations"]:
            yield from reservation["Instances"]


def _node(
    instance: dict[str, Any], region: str, zones: Mapping[str, str], state: NodeState
) -> Node:
    tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}
    zone = instance["Placement"]["AvailabilityZone"]
    return Node(
        cloud=Cloud.AWS,
        region=region,
        zone=zones.get(zone, zone),
        id=instance["InstanceId"],
        policy=tags.get("policy", ""),
        pool=tags.get("pool", ""),
        place=tags.get("place", ""),
        instance_type=instance["InstanceType"],
        capacity_type=_capacity(instance),
        state=state,
        launched_at=instance["LaunchTime"],
    )


def _capacity(instance: dict[str, Any]) -> CapacityType:
    """How it was bought; one that was aimed at a reservation is reserved, by chance it is not."""
    lifecycle = instance.get("InstanceLifecycle")
    aimed = instance.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget")
    if lifecycle == "capacity-block" or aimed:
        return CapacityType.RESERVED
    return CapacityType.SPOT if lifecycle == "spot" else CapacityType.ON_DEMAND
