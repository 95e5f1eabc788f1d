"""Which nodes of ours Google took back, by the operations that it logs for two weeks.

cloud.google.com/compute/docs/instances/create-use-spot (detect preemption)
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from multicloud.clouds.gcp import session as sessions
from multicloud.models.inventory import Interruption
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.clouds.gcp.groups import Group

TOLD_FOR = timedelta(days=7)
PREEMPTED = "compute.instances.preempted"


def interruptions(
    found: sessions.Session, region: str, ours: Sequence[Group], now: datetime
) -> tuple[Interruption, ...]:
    """Nodes that were taken back in the last week, in that order.

    A node that was taken is no more: its group is known by what its name begins with.
    Raises: CloudError, and whatever Google's SDK does.
    """
    from google.cloud.compute_v1 import GlobalOperationsClient

    client = sessions.client(GlobalOperationsClient, found.credentials)
    groups = {(group.base, zone): group for group in ours for zone in group.zones}
    wanted = f'operationType = "{PREEMPTED}"'
    taken: list[Interruption] = []
    for zone, told in sessions.scoped(client, found.project, region, "operations", wanted):
        name = told.target_link.rpartition("/")[2]
        group = groups.get((name.rpartition("-")[0], zone))
        if group is None or told.operation_type != PREEMPTED:
            continue
        at = datetime.fromisoformat(told.insert_time).astimezone(UTC)
        if at <= now - TOLD_FOR:
            continue
        policy, pool, place = group.owner
        taken.append(
            Interruption(
                at=at,
                node=name,
                cloud=Cloud.GCP,
                region=region,
                zone=zone,
                policy=policy,
                pool=pool,
                place=place,
                instance_type=group.instance_type,
                capacity_type=group.capacity_type,
            )
        )
    return tuple(sorted(taken, key=lambda one: (one.at, one.node)))
