"""What runs on Alibaba Cloud: instances with our tags, and groups that are short of some."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from multicloud.clouds.alibaba import session as sessions
from multicloud.clouds.failures import unreadable
from multicloud.models.inventory import Node, NodeState, Reading, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.project import CloudSettings

MARK = ("managed-by", "multicloud")
# Status, api.aliyun.com/document/Ecs/2014-05-26/DescribeInstances.
STATES: Mapping[str, NodeState] = {
    "Pending": NodeState.PENDING,
    "Starting": NodeState.PENDING,
    "Running": NodeState.RUNNING,
    "Stopping": NodeState.STOPPING,
    "Stopped": NodeState.STOPPING,
}
# Beginnings of error codes in scaling activities, api.aliyun.com/document/Ecs/2014-05-26/errorCode.
KINDS: Mapping[str, ShortageKind] = {
    "OperationDenied.NoStock": ShortageKind.CAPACITY,
    "InvalidResourceType.NotSupported": ShortageKind.CAPACITY,
    "NoStock": ShortageKind.CAPACITY,
    "Zone.NotOnSale": ShortageKind.CAPACITY,
    "QuotaExceed": ShortageKind.QUOTA,
    "InvalidInstanceType.ExceedQuota": ShortageKind.QUOTA,
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
            shortages = tuple(_shortages(credential, region, nodes))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            told = unreadable(Cloud.ALIBABA, error)
        except Exception as error:  # noqa: BLE001 - the SDK's classes need the SDK to be named
            told = sessions.cloud_error(error)
        else:
            return Reading(cloud=cloud, region=region, nodes=nodes, shortages=shortages)
        return Reading(cloud=cloud, region=region, error=f"{told.summary} {told.hint}".strip())


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
        capacity_type=_capacity(instance.spot_strategy),
        state=NodeState.STOPPING if is_leaving else STATES[instance.status],
        # Minutes are all that is told: 2017-12-10T04:04Z.
        launched_at=datetime.fromisoformat(instance.creation_time).astimezone(UTC),
    )


def _capacity(strategy: str | None) -> CapacityType:
    is_spot = bool(strategy) and strategy != "NoSpot"
    return CapacityType.SPOT if is_spot else CapacityType.ON_DEMAND


def _shortages(
    credential: Any,  # noqa: ANN401 - the SDK has no static types
    region: str,
    nodes: Sequence[Node],
) -> Iterator[Shortage]:
    """Groups of ours with fewer nodes than they want, with what their last activity said."""
    ess = Ess(credential, region)
    present = Counter(
        (node.policy, node.pool, node.place)
        for node in nodes
        if node.state is not NodeState.STOPPING
    )
    for group in ess.groups():
        tags = {tag.tag_key: tag.tag_value for tag in group.tags or ()}
        name = (tags.get("policy", ""), tags.get("pool", ""), tags.get("place", ""))
        wanted = int(group.desired_capacity or 0)
        if present[name] >= wanted:
            continue
        kind, text = ess.last_failure(group.scaling_group_id)
        configuration = ess.configuration(group.active_scaling_configuration_id)
        yield Shortage(
            cloud=Cloud.ALIBABA,
            region=region,
            policy=name[0],
            pool=name[1],
            place=name[2],
            instance_type=configuration.instance_type or (configuration.instance_types or [""])[0],
            capacity_type=_capacity(configuration.spot_strategy),
            zones=(),
            wanted=wanted,
            present=present[name],
            kind=kind,
            text=text,
        )


class Ess:
    """One region's scaling groups. Every question raises CloudError when it is refused."""

    def __init__(self, credential: Any, region: str) -> None:  # noqa: ANN401 - the SDK has no static types
        from alibabacloud_ess20220222 import models
        from alibabacloud_ess20220222.client import Client

        self._models = models
        self._region = region
        self._client = sessions.client(Client, credential, sessions.ESS, region)

    def groups(self) -> list[Any]:
        """Every group with our tag."""
        tag = self._models.DescribeScalingGroupsRequestTags(key=MARK[0], value=MARK[1])
        found: list[Any] = []
        while True:
            request = self._models.DescribeScalingGroupsRequest(
                region_id=self._region,
                tags=[tag],
                page_size=50,
                page_number=len(found) // 50 + 1,
            )
            body = self._asked(self._client.describe_scaling_groups_with_options, request)
            page = list(body.scaling_groups or ())
            found += page
            if len(found) >= int(body.total_count):
                return found
            if not page:
                raise ValueError("the list of groups ends too early")

    def last_failure(self, group: str) -> tuple[ShortageKind, str]:
        """The class and words of a group's newest activity; `other` while none has failed."""
        request = self._models.DescribeScalingActivitiesRequest(
            region_id=self._region, scaling_group_id=group, page_size=10
        )
        body = self._asked(self._client.describe_scaling_activities_with_options, request)
        told = body.scaling_activities or ()
        newest = max(told, key=lambda one: one.start_time, default=None)
        if newest is None or newest.status_code not in ("Failed", "Rejected", "Warning"):
            return ShortageKind.OTHER, "nodes are awaited"
        text = newest.error_message or newest.status_message or newest.status_code
        words = f"{newest.error_code} {text}"
        kind = next((k for start, k in KINDS.items() if start in words), ShortageKind.OTHER)
        return kind, text

    def configuration(self, id_: str) -> Any:  # noqa: ANN401 - the SDK has no static types
        """What a group launches."""
        request = self._models.DescribeScalingConfigurationsRequest(
            region_id=self._region, scaling_configuration_ids=[id_]
        )
        body = self._asked(self._client.describe_scaling_configurations_with_options, request)
        return body.scaling_configurations[0]

    def _asked(self, call: Any, request: Any) -> Any:  # noqa: ANN401 - the SDK has no static types
        return sessions.ask(partial(call, request, sessions.bounds())).body
