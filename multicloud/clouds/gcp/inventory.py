"""What runs on Google Cloud: instances and TPU slices with our labels."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from multicloud import clock
from multicloud.clouds.gcp import session as sessions
from multicloud.clouds.gcp.groups import capacity_of, groups, owner_of, shortages
from multicloud.clouds.gcp.interruptions import interruptions
from multicloud.clouds.gcp.slices import slices
from multicloud.models.inventory import Node, NodeState, Reading
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.project import CloudSettings

# Instance.status, cloud.google.com/compute/docs/instances/instance-lifecycle. TERMINATED is one
# that was stopped; deleted ones are told no more. What is new to us is taken for a node that boots.
STATES: Mapping[str, NodeState] = {
    "PENDING": NodeState.PENDING,
    "PROVISIONING": NodeState.PENDING,
    "STAGING": NodeState.PENDING,
    "RUNNING": NodeState.RUNNING,
    "REPAIRING": NodeState.PENDING,
    "PENDING_STOP": NodeState.STOPPING,
    "STOPPING": NodeState.STOPPING,
    "STOPPED": NodeState.STOPPING,
    "SUSPENDING": NodeState.STOPPING,
    "SUSPENDED": NodeState.STOPPING,
    "TERMINATED": NodeState.STOPPING,
    "DEPROVISIONING": NodeState.STOPPING,
}
OURS = "labels.managed-by=multicloud"


class GcpInventory:
    """Reads one project by Google's ordinary chain of credentials."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every instance and slice with our label in a region, in order of id.

        Half an answer is none: when any page fails, or a zone does not answer, the reading has
        an error and no nodes.
        """
        try:
            found = sessions.in_project(self._settings)
            nodes = [*_instances(found, region), *slices(self._settings, found.project, region)]
            nodes.sort(key=lambda node: node.id)
            ours = groups(found, region)
            return Reading(
                cloud=cloud,
                region=region,
                nodes=tuple(nodes),
                shortages=tuple(shortages(found, region, ours, nodes)),
                interruptions=interruptions(found, region, ours, clock.utcnow()),
            )
        except Exception as error:  # noqa: BLE001 - google's classes need its SDK to be named
            return Reading(cloud=cloud, region=region, error=str(sessions.cloud_error(error)))


def _instances(found: sessions.Session, region: str) -> Iterator[Node]:
    from google.cloud.compute_v1 import InstancesClient

    client = sessions.client(InstancesClient, found.credentials)
    for zone, instance in sessions.scoped(client, found.project, region, "instances", OURS):
        if instance.labels.get("managed-by") == "multicloud":
            yield _node(instance, region, zone)


def _node(instance: Any, region: str, zone: str) -> Node:  # noqa: ANN401 - compute_v1.Instance
    policy, pool, place = owner_of(instance)
    return Node(
        cloud=Cloud.GCP,
        region=region,
        zone=zone,
        id=instance.name,
        policy=policy,
        pool=pool,
        place=place,
        instance_type=instance.machine_type.rpartition("/")[2],
        capacity_type=capacity_of(instance),
        state=STATES.get(instance.status, NodeState.PENDING),
        launched_at=datetime.fromisoformat(instance.creation_timestamp).astimezone(UTC),
    )
