"""Scaling groups of ours that are short of nodes, by Auto Scaling (ESS)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from multicloud.clouds.alibaba import session as sessions
from multicloud.clouds.owners import owner_of, present_by_owner
from multicloud.errors import CloudError
from multicloud.models.inventory import Shortage, ShortageKind
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multicloud.models.inventory import Node

MARK = ("managed-by", "multicloud")
# Beginnings of error codes in scaling activities, api.aliyun.com/document/Ecs/2014-05-26/errorCode.
KINDS: Mapping[str, ShortageKind] = {
    "OperationDenied.NoStock": ShortageKind.CAPACITY,
    "InvalidResourceType.NotSupported": ShortageKind.CAPACITY,
    "NoStock": ShortageKind.CAPACITY,
    "Zone.NotOnSale": ShortageKind.CAPACITY,
    "QuotaExceed": ShortageKind.QUOTA,
    "InvalidInstanceType.ExceedQuota": ShortageKind.QUOTA,
}
_PAGE = 50


def shortages(
    credential: Any,  # noqa: ANN401 - the SDK has no static types
    region: str,
    nodes: Sequence[Node],
) -> tuple[Shortage, ...]:
    """Groups of ours with fewer nodes than they want, with what their last activity said.

    None for credentials that may not read them: the nodes alone tell that some are missing.
    Raises: CloudError.
    """
    try:
        return tuple(_short(credential, region, nodes))
    except CloudError as error:
        if not sessions.is_refused(error):
            raise
        return ()


def capacity(strategy: str | None) -> CapacityType:
    """How a node of this spot strategy is bought."""
    is_spot = bool(strategy) and strategy != "NoSpot"
    return CapacityType.SPOT if is_spot else CapacityType.ON_DEMAND


def _short(
    credential: Any,  # noqa: ANN401 - the SDK has no static types
    region: str,
    nodes: Sequence[Node],
) -> Iterator[Shortage]:
    """Groups of ours with fewer nodes than they want, with what their last activity said."""
    ess = Ess(credential, region)
    present = present_by_owner(nodes)
    for group in ess.groups():
        owner = owner_of({tag.tag_key: tag.tag_value for tag in group.tags or ()})
        wanted = int(group.desired_capacity or 0)
        if present[owner] >= wanted:
            continue
        kind, text = ess.last_failure(group.scaling_group_id)
        configuration = ess.configuration(group.active_scaling_configuration_id)
        yield Shortage(
            cloud=Cloud.ALIBABA,
            region=region,
            policy=owner[0],
            pool=owner[1],
            place=owner[2],
            instance_type=configuration.instance_type or (configuration.instance_types or [""])[0],
            capacity_type=capacity(configuration.spot_strategy),
            zones=(),
            wanted=wanted,
            present=present[owner],
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
        found: dict[str, Any] = {}
        total, number = 1, 0
        while len(found) < total:
            number += 1
            request = self._models.DescribeScalingGroupsRequest(
                region_id=self._region, tags=[tag], page_size=_PAGE, page_number=number
            )
            body = self._asked(self._client.describe_scaling_groups_with_options, request)
            total, before = int(body.total_count), len(found)
            found |= {group.scaling_group_id: group for group in body.scaling_groups or ()}
            if len(found) == before < total:
                raise ValueError("the list of groups repeats itself or ends too early")
        return list(found.values())

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
        # An activity that succeeded in part has a code for each fault.
        codes = [one.code for one in newest.error_messages or ()]
        words = f"{newest.error_code} {codes} {text}"
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
