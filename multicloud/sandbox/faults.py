"""What goes wrong on command: taken nodes, refused calls, in each cloud's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox.nodes import stamp
from multicloud.sandbox.stock import StockReason
from multicloud.sandbox.store import Fault, insert_fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from datetime import datetime

    from multicloud.sandbox.groups import Kind

READ = "read"
PROVIDERS: Mapping[Cloud, str] = {
    Cloud.AWS: "hashicorp/aws",
    Cloud.TENCENT: "tencentcloudstack/tencentcloud",
    Cloud.GCP: "hashicorp/google",
    Cloud.AZURE: "hashicorp/azurerm",
    Cloud.ALIBABA: "aliyun/alicloud",
    Cloud.ORACLE: "oracle/oci",
}

# Error codes as the clouds' API references name them.
_THROTTLED: Mapping[Cloud, str] = {
    Cloud.AWS: "Throttling: Rate exceeded",
    Cloud.TENCENT: "RequestLimitExceeded: requests are too frequent",
    Cloud.GCP: "rateLimitExceeded: Quota exceeded for quota metric 'Queries'",
    Cloud.AZURE: "TooManyRequests: the request was throttled",
    Cloud.ALIBABA: "Throttling: Request was denied due to user flow control",
    Cloud.ORACLE: "429 TooManyRequests: too many requests for the user",
}
_NO_CAPACITY: Mapping[Cloud, str] = {
    Cloud.AWS: "InsufficientInstanceCapacity",
    Cloud.TENCENT: "ResourceInsufficient.SpecifiedInstanceType",
    Cloud.GCP: "ZONE_RESOURCE_POOL_EXHAUSTED",
    Cloud.AZURE: "AllocationFailed",
    Cloud.ALIBABA: "OperationDenied.NoStock",
    Cloud.ORACLE: "Out of host capacity",
}
_OVER_QUOTA: Mapping[Cloud, str] = {
    Cloud.AWS: "VcpuLimitExceeded",
    Cloud.TENCENT: "LimitExceeded.InstanceQuota",
    Cloud.GCP: "QUOTA_EXCEEDED",
    Cloud.AZURE: "QuotaExceeded",
    Cloud.ALIBABA: "QuotaExceed.ElasticQuota",
    Cloud.ORACLE: "LimitExceeded",
}


def shortage_text(kind: Kind, reason: StockReason) -> str:
    """What a cloud says of a group that it cannot fill: its code, the type and the place."""
    codes = _OVER_QUOTA if reason is StockReason.QUOTA else _NO_CAPACITY
    zones = ", ".join(kind.zones)
    return f"{codes[kind.cloud]}: {kind.instance_type} {kind.capacity_type} in {zones}"


def throttle(db: sqlite3.Connection, cloud: Cloud, times: int) -> None:
    """Let the next `times` calls of a cloud's API be refused, changes and looks alike."""
    fault = Fault(
        type="*",
        operation="*",
        message=_THROTTLED[cloud],
        times=times,
        provider=PROVIDERS[cloud],
    )
    insert_fault(db, fault)


def evict(
    db: sqlite3.Connection,
    now: datetime,
    *,
    pool: str,
    count: int | None,
    any_capacity: bool,
    refill: bool,
) -> tuple[str, ...]:
    """Take nodes of a pool back, the oldest first: spot ones unless `any_capacity`.

    Without `refill` their groups stay short of them until they are applied again.

    Raises:
        InvalidInputError: the pool has no such node.
    """
    kinds = tuple(CapacityType) if any_capacity else (CapacityType.SPOT,)
    marks = ", ".join("?" * len(kinds))
    query = (
        "select serial, id, provider, region, type, group_id from node"  # noqa: S608 - marks only
        f" where is_ours and pool = ? and capacity_type in ({marks}) order by serial"
    )
    found = db.execute(query, (pool, *kinds)).fetchall()[:count]
    if not found:
        what = "node" if any_capacity else "spot node"
        raise InvalidInputError(
            f'pool "{pool}" has no {what} in the simulated clouds',
            hint="Run: multicloud sandbox status",
        )
    for serial, _, *group in found:
        db.execute(
            "insert into interruption(at, node, cloud, region, zone, policy, pool, place,"
            " instance_type, capacity_type) select ?, id, cloud, region, zone, policy, pool,"
            " place, instance_type, capacity_type from node where serial = ?",
            (stamp(now), serial),
        )
        db.execute("delete from node where serial = ?", (serial,))
        if not refill:
            db.execute(
                "insert into vacancy(provider, region, type, group_id) values(?, ?, ?, ?)", group
            )
    return tuple(id_ for _, id_, *_ in found)
