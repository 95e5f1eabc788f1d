"""What runs on AWS: instances with our tags, by EC2's DescribeInstances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicloud.clouds.aws.session import client, cloud_error, session
from multicloud.models.inventory import Node, NodeState, Reading
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
            return Reading(cloud=cloud, region=region, nodes=self._nodes(region))
        except Exception as error:  # noqa: BLE001 - botocore's classes need botocore to be named
            return Reading(cloud=cloud, region=region, error=str(cloud_error(error)))

    def _nodes(self, region: str) -> tuple[Node, ...]:
        client = self._client(region)
        zones = {
            zone["ZoneName"]: zone["ZoneId"]
            for zone in client.describe_availability_zones()["AvailabilityZones"]
        }
        found = [
            _node(instance, region, zones)
            for instance in _instances(client)
            if instance["State"]["Name"] in STATES
        ]
        return tuple(sorted(found, key=lambda node: node.id))

    def _client(self, region: str) -> Any:  # noqa: ANN401 - boto3's clients have no static type
        return client(session(self._settings), "ec2", region)


def _instances(client: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - see `_client`
    pages = client.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "tag:managed-by", "Values": ["multicloud"]}]
    )
    for page in pages:
        for reservation in page["Reservations"]:
            yield from reservation["Instances"]


def _node(instance: dict[str, Any], region: str, zones: Mapping[str, str]) -> Node:
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
        state=STATES[instance["State"]["Name"]],
        launched_at=instance["LaunchTime"],
    )


def _capacity(instance: dict[str, Any]) -> CapacityType:
    """How it was bought; one that was aimed at a reservation is reserved, by chance it is not."""
    lifecycle = instance.get("InstanceLifecycle")
    aimed = instance.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget")
    if lifecycle == "capacity-block" or aimed:
        return CapacityType.RESERVED
    return CapacityType.SPOT if lifecycle == "spot" else CapacityType.ON_DEMAND
