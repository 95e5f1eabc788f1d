"""What runs on Alibaba Cloud: instances with our tags, by ECS's DescribeInstances."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from multicloud.clouds.alibaba import session as sessions
from multicloud.clouds.alibaba.groups import MARK, capacity, shortages
from multicloud.clouds.failures import unreadable
from multicloud.models.inventory import Node, NodeState, Reading
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings

# Status, api.aliyun.com/document/Ecs/2014-05-26/DescribeInstances.
STATES: Mapping[str, NodeState] = {
    "Pending": NodeState.PENDING,
    "Starting": NodeState.PENDING,
    "Running": NodeState.RUNNING,
    "Stopping": NodeState.STOPPING,
    "Stopped": NodeState.STOPPING,
}
_PAGE = 100
_RECYCLING = "Recycling"


class AlibabaInventory:
    """Reads one account by the profile of Alibaba Cloud's command line or the SDK's chain."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every instance with our tag in a region, in order of id.

        Half an answer is none: when any page fails the reading has an error and no nodes. Spot
        nodes that the cloud has said it takes back are stopping.
        """
        try:
            credential = sessions.credential(self._settings)
            nodes = _nodes(credential, region)
            found = shortages(credential, region, nodes)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            told = unreadable(Cloud.ALIBABA, error)
        except Exception as error:  # noqa: BLE001 - the SDK's classes need the SDK to be named
            told = sessions.cloud_error(error)
        else:
            return Reading(cloud=cloud, region=region, nodes=nodes, shortages=found)
        return Reading(cloud=cloud, region=region, error=str(told))


def _nodes(credential: Any, region: str) -> tuple[Node, ...]:  # noqa: ANN401 - the SDK has no static types
    from alibabacloud_ecs20140526 import models
    from alibabacloud_ecs20140526.client import Client

    client = sessions.client(Client, credential, sessions.ECS, region)

    def page(token: str) -> Any:  # noqa: ANN401 - the SDK has no static types
        request = models.DescribeInstancesRequest(
            region_id=region,
            max_results=_PAGE,
            next_token=token or None,
            tag=[models.DescribeInstancesRequestTag(key=MARK[0], value=MARK[1])],
        )
        return client.describe_instances_with_options(request, sessions.bounds())

    # A body without a list is an answer cut short: an empty list is there.
    told = sessions.pages(page, lambda body: body.instances.instance)
    found = [_node(one, region) for one in told if one.status in STATES]
    return tuple(sorted(found, key=lambda node: node.id))


def _node(instance: Any, region: str) -> Node:  # noqa: ANN401 - the SDK has no static types
    tags = {tag.tag_key: tag.tag_value for tag in instance.tags.tag}
    locks = getattr(instance.operation_locks, "lock_reason", None) or ()
    is_leaving = any(lock.lock_reason == _RECYCLING for lock in locks)
    return Node(
        cloud=Cloud.ALIBABA,
        region=region,
        zone=instance.zone_id,
        id=instance.instance_id,
        policy=tags.get("policy", ""),
        pool=tags.get("pool", ""),
        place=tags.get("place", ""),
        instance_type=instance.instance_type,
        capacity_type=capacity(instance.spot_strategy),
        state=NodeState.STOPPING if is_leaving else STATES[instance.status],
        # Minutes are all that is told: 2017-12-10T04:04Z.
        launched_at=datetime.fromisoformat(instance.creation_time).astimezone(UTC),
    )
