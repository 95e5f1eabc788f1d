"""Auto Scaling groups of ours that are short of instances, and spot nodes that were taken back."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from multicloud.clouds.owners import owner_of, present_by_owner
from multicloud.models.inventory import Interruption, Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.inventory import Node, Tags

OURS = [{"Name": "tag:managed-by", "Values": ["multicloud"]}]
# Codes in a failed activity's words, docs.aws.amazon.com/autoscaling/ec2/userguide/
# CHAP_Troubleshooting.html.
KINDS: Mapping[str, ShortageKind] = {
    "InsufficientInstanceCapacity": ShortageKind.CAPACITY,
    "UnfulfillableCapacity": ShortageKind.CAPACITY,
    "do not have sufficient": ShortageKind.CAPACITY,
    "Spot Request Price": ShortageKind.CAPACITY,
    "VcpuLimitExceeded": ShortageKind.QUOTA,
    "InstanceLimitExceeded": ShortageKind.QUOTA,
    "MaxSpotInstanceCountExceeded": ShortageKind.QUOTA,
}
# Status codes of spot requests that the cloud ended, not the user:
# docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-request-status.html.
TAKEN = frozenset(
    {
        "instance-terminated-by-price",
        "instance-terminated-no-capacity",
        "instance-terminated-capacity-oversubscribed",
        "instance-terminated-launch-group-constraint",
        "marked-for-termination",
    }
)
_REFUSED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})


def shortages(client: Any, region: str, nodes: Sequence[Node]) -> Iterator[Shortage]:  # noqa: ANN401 - boto3's clients have no static type
    """Groups with fewer nodes than they want, each with its newest failed activity.

    None for credentials that may not read them: the nodes alone tell that some are missing.
    """
    present = present_by_owner(nodes)
    try:
        pages = client.get_paginator("describe_auto_scaling_groups").paginate(Filters=OURS)
        groups = [group for page in pages for group in page["AutoScalingGroups"]]
        for group in groups:
            owner = owner_of({tag["Key"]: tag["Value"] for tag in group.get("Tags", ())})
            if present[owner] < group["DesiredCapacity"]:
                kind, text = _last_failure(client, group["AutoScalingGroupName"])
                yield _shortage(group, region, owner, present[owner], kind, text)
    except Exception as error:
        if not is_refused(error):
            raise


def is_refused(error: Exception) -> bool:
    """Whether the credentials lack the right to ask."""
    response = getattr(error, "response", None)
    return isinstance(response, dict) and response.get("Error", {}).get("Code") in _REFUSED


def _last_failure(client: Any, group: str) -> tuple[ShortageKind, str]:  # noqa: ANN401 - boto3's client
    told = client.describe_scaling_activities(AutoScalingGroupName=group, MaxRecords=10)
    newest = max(told["Activities"], key=lambda one: one["StartTime"], default=None)
    if newest is None or newest["StatusCode"] not in ("Failed", "Cancelled"):
        return ShortageKind.OTHER, "nodes are awaited"
    text = newest.get("StatusMessage") or newest["StatusCode"]
    return next((k for code, k in KINDS.items() if code in text), ShortageKind.OTHER), text


def _shortage(
    group: Mapping[str, Any],
    region: str,
    owner: Tags,
    present: int,
    kind: ShortageKind,
    text: str,
) -> Shortage:
    """Our groups launch one type; on demand they have no policy of mixing."""
    mixed = group.get("MixedInstancesPolicy") or {}
    overrides = mixed.get("LaunchTemplate", {}).get("Overrides") or [{}]
    share = mixed.get("InstancesDistribution", {}).get("OnDemandPercentageAboveBaseCapacity", 100)
    return Shortage(
        cloud=Cloud.AWS,
        region=region,
        policy=owner[0],
        pool=owner[1],
        place=owner[2],
        instance_type=overrides[0].get("InstanceType", ""),
        capacity_type=CapacityType.SPOT if share == 0 else CapacityType.ON_DEMAND,
        zones=(),
        wanted=group["DesiredCapacity"],
        present=present,
        kind=kind,
        text=text,
    )


def interruptions(client: Any, lost: Mapping[str, Node]) -> Iterator[Interruption]:  # noqa: ANN401 - boto3's client
    """Which of the spot nodes that are gone were taken back, and when, by their requests.

    EC2 remembers instances for about an hour. None for credentials that may not ask.
    """
    if not lost:
        return
    filters = [{"Name": "instance-id", "Values": sorted(lost)}]
    try:
        pages = client.get_paginator("describe_spot_instance_requests").paginate(Filters=filters)
        requests = [one for page in pages for one in page["SpotInstanceRequests"]]
    except Exception as error:
        if not is_refused(error):
            raise
        return
    for request in requests:
        node = lost.get(request.get("InstanceId", ""))
        status = request.get("Status", {})
        if node is not None and status.get("Code") in TAKEN:
            yield Interruption(
                at=status["UpdateTime"].astimezone(UTC),
                node=node.id,
                cloud=node.cloud,
                region=node.region,
                zone=node.zone,
                policy=node.policy,
                pool=node.pool,
                place=node.place,
                instance_type=node.instance_type,
                capacity_type=node.capacity_type,
            )
