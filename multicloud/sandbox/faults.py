"""What goes wrong on command: taken nodes, refused calls, in each cloud's own words."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.catalog.columns import near_miss
from multicloud.errors import InvalidInputError
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox import schema
from multicloud.sandbox.nodes import stamp
from multicloud.sandbox.stock import StockReason
from multicloud.sandbox.store import Fault, insert_fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from datetime import datetime

    from multicloud.sandbox.groups import Kind

READ = "read"
INVENTORY = "inventory"
"""Stands for a look of ours at a region among the types of resources that can fail."""
PRICES = "prices"
"""As `inventory`, for a look at a region's price list."""
CHANGE = "change"
OPERATIONS = ("create", "update", "delete", READ, CHANGE, "*")
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


# What each answers with status 500.
_INTERNAL: Mapping[Cloud, str] = {
    Cloud.AWS: "InternalFailure: an unknown error, status code: 500",
    Cloud.TENCENT: "InternalError: an internal error, status code: 500",
    Cloud.GCP: "Error 500: Internal error encountered, backendError",
    Cloud.AZURE: "InternalServerError: the server met an error, status code: 500",
    Cloud.ALIBABA: "InternalError: the request failed for an unknown reason, status code: 500",
    Cloud.ORACLE: "500-InternalError: an internal server error",
}


class ApiError(StrEnum):
    """A kind of refusal that every cloud has a text for."""

    THROTTLED = "throttled"
    QUOTA = "quota"
    CAPACITY = "capacity"
    INTERNAL = "internal"


_TEXTS: Mapping[ApiError, Mapping[Cloud, str]] = {
    ApiError.THROTTLED: _THROTTLED,
    ApiError.QUOTA: _OVER_QUOTA,
    ApiError.CAPACITY: _NO_CAPACITY,
    ApiError.INTERNAL: _INTERNAL,
}


def error_text(cloud: Cloud, error: ApiError) -> str:
    """A cloud's own words for a kind of refusal; they begin with its error code."""
    return _TEXTS[error][cloud]


def shortage_text(kind: Kind, reason: StockReason) -> str:
    """What a cloud says of a group that it cannot fill: its code, the type and the place."""
    codes = _OVER_QUOTA if reason is StockReason.QUOTA else _NO_CAPACITY
    zones = ", ".join(kind.zones)
    return f"{codes[kind.cloud]}: {kind.instance_type} {kind.capacity_type} in {zones}"


def throttle(
    db: sqlite3.Connection, cloud: Cloud, times: int = 1, *, operation: str = CHANGE
) -> None:
    """Let the next `times` calls of a cloud's API be refused as too many.

    By default those that change something; a `read` is a look, of Terraform's or our own.
    """
    fault = Fault(
        type="*",
        operation=operation,
        message=_THROTTLED[cloud],
        times=times,
        provider=PROVIDERS[cloud],
    )
    insert_fault(db, fault)


def fail(
    db: sqlite3.Connection,
    type_: str,
    operation: str,
    *,
    error: ApiError = ApiError.INTERNAL,
    text: str = "",
    times: int = 1,
    cloud: Cloud | None = None,
    region: str = "",
) -> str:
    """Let the next `times` calls on a type of resource fail; gives the words they fail with.

    `text` stands in for the cloud's own words. A negative `times` means always. Of `type_`
    `inventory` and `prices` it is our own looks that fail; there `cloud` None is every cloud.

    Raises:
        InvalidInputError: no cloud here has such a type, or the operation is none.
    """
    check_failure(type_, operation)
    provider = PROVIDERS[cloud] if cloud else ""
    if type_ not in (INVENTORY, PRICES):
        provider = _sources()[type_]
    owner = next((c for c, source in PROVIDERS.items() if source == provider), Cloud.AWS)
    message = text or error_text(owner, error)
    insert_fault(
        db,
        Fault(
            type=type_,
            operation=operation,
            message=message,
            times=times,
            provider=provider,
            region=region,
        ),
    )
    return message


def check_failure(type_: str, operation: str) -> None:
    """Say whether there are such calls.

    Raises:
        InvalidInputError: no cloud here has such a type, or the operation is none.
    """
    if operation not in OPERATIONS:
        raise InvalidInputError(
            f'unknown operation "{operation}".', detail=f"Expected {', '.join(OPERATIONS)}."
        )
    known = (INVENTORY, PRICES, *_sources())
    if type_ not in known:
        raise InvalidInputError(
            f'"{type_}" is no resource type of the sandbox.{near_miss(type_, known)}'
        )


def _sources() -> dict[str, str]:
    """The provider of every type of resource that the sandbox carries."""
    schemas = [schema.load(name) for name in schema.provider_names()]
    return {type_: carried.source for carried in schemas for type_ in carried.resources}


def evict(
    db: sqlite3.Connection,
    now: datetime,
    *,
    target: str,
    count: int | None = None,
    any_capacity: bool = False,
    refill: bool = True,
) -> tuple[str, ...]:
    """Take nodes back, the oldest first: spot ones unless `any_capacity`; gives their ids.

    `target` is a pool (of any policy, or as `policy/pool`), the 8 hex digits of a place, or a
    node's id; `count` None is all of them. Without `refill` their groups stay short of them
    until they are applied again; else they are made up for at the next look or apply.

    Raises:
        InvalidInputError: there is no such node.
    """
    kinds = tuple(CapacityType) if any_capacity else (CapacityType.SPOT,)
    marks = ", ".join("?" * len(kinds))
    query = (
        "select serial, id, provider, home, type, group_id from node"  # noqa: S608 - marks only
        " where is_ours and ? in (pool, policy || '/' || pool, place, id)"
        f" and capacity_type in ({marks}) order by serial"
    )
    found = db.execute(query, (target, *kinds)).fetchall()[:count]
    if not found:
        what = "node" if any_capacity else "spot node"
        raise InvalidInputError(
            f'"{target}" has no {what} in the simulated clouds.',
            detail="Expected a pool, a place's 8 digits or a node's id.",
            hint="Run: multicloud sandbox status"
            + ("" if any_capacity else " (--any takes on-demand nodes too)"),
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
