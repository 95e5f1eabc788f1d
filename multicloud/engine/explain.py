"""Known errors of engines and clouds, each with one sentence of advice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What an error is about and what to do about it, in one sentence.

    `kind` is `throttle`, `quota`, `capacity`, `auth`, `config`, `lock`, `state` or `network`.
    """

    kind: str
    text: str


class _Known(NamedTuple):
    pattern: re.Pattern[str]
    advice: Advice


def _known(kind: str, pattern: str, text: str) -> _Known:
    return _Known(re.compile(pattern, re.IGNORECASE), Advice(kind=kind, text=text))


# The first that matches wins: what is particular stands before what is general.
_TABLE: tuple[_Known, ...] = (
    _known(
        "lock",
        r"error acquiring the state lock|state is already locked|ConditionalCheckFailed",
        "Another run holds this stack's state. Wait for it; if it is certainly gone, unlock by id.",
    ),
    _known(
        "throttle",
        r"RequestLimitExceeded|Throttling|rate exceeded|rateLimitExceeded|TooManyRequests",
        "The cloud's API takes no more calls just now. Run again in a minute.",
    ),
    _known(
        "quota",
        r"VcpuLimitExceeded|MaxSpotInstanceCountExceeded|LimitExceeded|quota|exceeded your limit",
        "The account's quota is used up. Ask the cloud for more, or lower the pool's wish.",
    ),
    _known(
        "capacity",
        r"InsufficientInstanceCapacity|ResourceInsufficient|sold ?out|no capacity|UnfulfillableC"
        r"|RESOURCE_POOL_EXHAUSTED|does not have enough resources|stockout"
        r"|(?:Allocation|AllocationRequest)Failed|OverconstrainedAllocation|SkuNotAvailable"
        r"|out of (?:host )?capacity|NoStock|NotOnSale",
        "The cloud has no such nodes there now. The next candidate of the policy can be tried.",
    ),
    _known(
        "auth",
        r"ExpiredToken|token (?:has )?expired|security token included in the request is expired",
        "The credentials have run out. Get new ones and run the same command again.",
    ),
    _known(
        "auth",
        r"no valid credential|could not load credentials|InvalidClientTokenId|AuthFailure"
        r"|SecretIdNotFound|SignatureFailure|failed to refresh cached credentials"
        r"|could not find default credentials|invalid_grant|AADSTS\d+|please run 'az login'"
        r"|InvalidAccessKeyId|SignatureDoesNotMatch|NotAuthenticated|can not create client",
        "The cloud does not accept the credentials. `multicloud doctor` shows which are used.",
    ),
    _known(
        "auth",
        r"UnauthorizedOperation|AccessDenied|not authorized|forbidden|PERMISSION_DENIED"
        r"|AuthorizationFailed|NotAuthorizedOrNotFound|NoPermission",
        "The credentials lack a permission that the message names.",
    ),
    _known(
        "network",
        r"connection refused|no such host|i/o timeout|TLS handshake|proxyconnect|context deadline",
        "The cloud or the registry cannot be reached. Check network and proxy, then run again.",
    ),
    _known(
        "config",
        r"failed to query available provider packages|could not retrieve the list of available"
        r"|no available releases match|provider registry .* does not have a provider",
        "The provider cannot be installed from where we may look. Check `engine.mirrors`.",
    ),
    _known(
        "config",
        r"checksums? (?:previously )?recorded in the dependency lock file|inconsistent dependency",
        "The provider lock does not fit. Renew multicloud.lock/ on a trusted machine.",
    ),
    _known(
        "state",
        r"state snapshot was created by terraform v|state data in .* does not have the expected"
        r"|unsupported state format|saved plan is stale",
        "The state or plan was written by something newer. Use the same engine, and plan again.",
    ),
    _known(
        "config",
        r"no value for required variable|required variable not set",
        "The root asks for a variable that nothing sets; nothing is ever asked at the terminal.",
    ),
    _known(
        "config",
        r"unsupported argument|unsupported block type|missing required argument|invalid value for"
        r"|expected .* to be (?:one of|in the range)|conflicts with|unsuitable value type",
        "The module and the provider's version do not fit together. Report it with `doctor`.",
    ),
)

_LOCK_FIELD = re.compile(r"^[ \t│|]*(ID|Who|Created):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_FRACTION = re.compile(r"(\.\d{6})\d*")


def explain(text: str) -> Advice | None:
    """Advice for an engine's error text; None when it is not one that we know."""
    return next((known.advice for known in _TABLE if known.pattern.search(text)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockHolder:
    """Who holds a state's lock, as the lock says; `since` is None when it does not."""

    id: str
    who: str
    since: datetime | None

    def describe(self, now: datetime) -> str:
        """One sentence with id, holder and age."""
        age = f", {_age(now - self.since)} old" if self.since else ""
        return f"lock {self.id} held by {self.who or 'unknown'}{age}"


def lock_holder(text: str) -> LockHolder | None:
    """The holder in an engine's lock error; None when the text has no lock in it."""
    fields = dict(_LOCK_FIELD.findall(text))
    if "ID" not in fields:
        return None
    return LockHolder(
        id=fields["ID"], who=fields.get("Who", ""), since=_instant(fields.get("Created", ""))
    )


def _instant(text: str) -> datetime | None:
    """Go's default text of a time, or RFC 3339, as an aware instant."""
    parts = _FRACTION.sub(r"\1", text).split()
    if len(parts) >= 3:  # `2026-05-04 06:00:00.1 +0000 UTC`
        parts = [f"{parts[0]}T{parts[1]}{parts[2][:3]}:{parts[2][3:]}"]
    try:
        return datetime.fromisoformat(parts[0]).astimezone(UTC) if parts else None
    except ValueError:
        return None


def _age(span: timedelta) -> str:
    minutes = max(int(span.total_seconds() // 60), 0)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
