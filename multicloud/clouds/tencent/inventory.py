"""What runs on Tencent Cloud: instances with our tags, and groups that are short of some."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from multicloud.clouds.owners import owner_of, present_by_owner
from multicloud.clouds.tencent.session import call, cloud_error, is_refused, pages, tags_of
from multicloud.errors import CloudError
from multicloud.models.inventory import Node, NodeState, Reading, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.project import CloudSettings

CVM = ("cvm", "2017-03-12")
AS = ("as", "2018-04-19")
OURS = {"Filters": [{"Name": "tag:managed-by", "Values": ["multicloud"]}]}
# InstanceState, cloud.tencent.com/document/api/213/15753; what failed to launch is no node.
STATES: Mapping[str, NodeState] = {
    "PENDING": NodeState.PENDING,
    "STARTING": NodeState.PENDING,
    "RUNNING": NodeState.RUNNING,
    "REBOOTING": NodeState.RUNNING,
    "ENTER_RESCUE_MODE": NodeState.RUNNING,
    "RESCUE_MODE": NodeState.RUNNING,
    "EXIT_RESCUE_MODE": NodeState.RUNNING,
    "STOPPING": NodeState.STOPPING,
    "STOPPED": NodeState.STOPPING,
    "SHUTDOWN": NodeState.STOPPING,
    "TERMINATING": NodeState.STOPPING,
}
# Beginnings of codes in activities, cloud.tencent.com/document/api/377/20441.
KINDS: Mapping[str, ShortageKind] = {
    "ResourceInsufficient": ShortageKind.CAPACITY,
    "ResourcesSoldOut": ShortageKind.CAPACITY,
    "InstanceTypeSoldOut": ShortageKind.CAPACITY,
    "LimitExceeded": ShortageKind.QUOTA,
    "InstanceQuotaLimitExceeded": ShortageKind.QUOTA,
    "QuotaExceeded": ShortageKind.QUOTA,
}


class TencentInventory:
    """Reads one account by the credentials of Tencent's command line or the environment."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def read(self, cloud: Cloud, region: str) -> Reading:
        """Every instance with our tag in a region, in order of id.

        Half an answer is none: when any page fails the reading has an error and no nodes.
        """
        try:
            nodes = self._nodes(region)
            shortages = self._shortages(region, nodes)
            return Reading(cloud=cloud, region=region, nodes=nodes, shortages=shortages)
        except Exception as error:  # noqa: BLE001 - the SDK's classes need the SDK to be named
            return Reading(cloud=cloud, region=region, error=str(cloud_error(error)))

    def _nodes(self, region: str) -> tuple[Node, ...]:
        told = pages(
            self._settings,
            CVM,
            region,
            "DescribeInstances",
            entries="InstanceSet",
            id_="InstanceId",
            parameters=OURS,
        )
        found = [_node(one, region) for one in told if one["InstanceState"] in STATES]
        return tuple(sorted(found, key=lambda node: node.id))

    def _shortages(self, region: str, nodes: Sequence[Node]) -> tuple[Shortage, ...]:
        """None for credentials that may not read groups: the nodes alone tell that some miss."""
        try:
            return tuple(self._short(region, nodes))
        except CloudError as error:
            if not is_refused(error):
                raise
            return ()

    def _short(self, region: str, nodes: Sequence[Node]) -> Iterator[Shortage]:
        """Groups of ours with fewer nodes than they want, with what their last activity said."""
        present = present_by_owner(nodes)
        groups = pages(
            self._settings,
            AS,
            region,
            "DescribeAutoScalingGroups",
            entries="AutoScalingGroupSet",
            id_="AutoScalingGroupId",
            parameters=OURS,
        )
        for group in groups:
            owner = owner_of(tags_of(group))
            wanted = int(group["DesiredCapacity"])
            if present[owner] >= wanted:
                continue
            kind, text = self._last_failure(region, group["AutoScalingGroupId"])
            type_, capacity = self._launches(region, group["LaunchConfigurationId"])
            yield Shortage(
                cloud=Cloud.TENCENT,
                region=region,
                policy=owner[0],
                pool=owner[1],
                place=owner[2],
                instance_type=type_,
                capacity_type=capacity,
                zones=tuple(sorted(group.get("ZoneSet") or ())),
                wanted=wanted,
                present=present[owner],
                kind=kind,
                text=text,
            )

    def _last_failure(self, region: str, group: str) -> tuple[ShortageKind, str]:
        """The class and words of a group's newest activity; `other` while none has failed."""
        asked = {
            "Filters": [{"Name": "auto-scaling-group-id", "Values": [group]}],
            "Limit": 5,
        }
        told = call(self._settings, *AS, region, "DescribeAutoScalingActivities", asked)
        activities = told["ActivitySet"] or ()
        newest = max(activities, key=lambda one: one["StartTime"], default=None)
        if newest is None or newest["StatusCode"] not in ("FAILED", "PARTIALLY_SUCCESSFUL"):
            return ShortageKind.OTHER, "nodes are awaited"
        codes = [one["Code"] for one in newest.get("DetailedStatusMessageSet") or ()]
        text = newest.get("StatusMessageSimplified") or newest["StatusMessage"]
        for code in (*codes, text):
            kind = next((k for start, k in KINDS.items() if start in code), None)
            if kind is not None:
                return kind, text
        return ShortageKind.OTHER, text

    def _launches(self, region: str, configuration: str) -> tuple[str, CapacityType]:
        """Instance type and way of buying of a launch configuration."""
        asked = {"LaunchConfigurationIds": [configuration]}
        told = call(self._settings, *AS, region, "DescribeLaunchConfigurations", asked)
        one = told["LaunchConfigurationSet"][0]
        return one["InstanceType"], _capacity(one)


def _node(instance: Mapping[str, Any], region: str) -> Node:
    tags = tags_of(instance)
    return Node(
        cloud=Cloud.TENCENT,
        region=region,
        zone=instance["Placement"]["Zone"],
        id=instance["InstanceId"],
        policy=tags.get("policy", ""),
        pool=tags.get("pool", ""),
        place=tags.get("place", ""),
        instance_type=instance["InstanceType"],
        capacity_type=_capacity(instance),
        state=STATES[instance["InstanceState"]],
        launched_at=datetime.fromisoformat(instance["CreatedTime"]),
    )


def _capacity(told: Mapping[str, Any]) -> CapacityType:
    is_spot = told["InstanceChargeType"] == "SPOTPAID"
    return CapacityType.SPOT if is_spot else CapacityType.ON_DEMAND
