"""What deciding says: actions with their causes, as data for explain, JSON and guards."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.models.condition import Truth
    from multicloud.models.memory import PoolMemory
    from multicloud.models.offer import OfferKey
    from multicloud.models.placement import Placement


class Action(StrEnum):
    """What happens to a pool's nodes (POLICY meaning 12)."""

    NO_OP = "no_op"
    CREATE = "create"
    SCALE = "scale"
    MOVE = "move"
    DESTROY = "destroy"
    HOLD = "hold"


class Cause(StrEnum):
    """Why it happens: the first that applies, in this order (POLICY meaning 8)."""

    OVERRIDE = "override"
    OUTSIDE = "outside"
    CAPACITY = "capacity"
    POLICY = "policy"
    PRICE = "price"
    CLOCK = "clock"


class Reject(StrEnum):
    """Why an offer lost; the order is the order in which offers are judged."""

    WRONG_GPU = "other GPU"
    TOO_SMALL = "too little memory or too few vCPUs"
    WRONG_ARCH = "other processor architecture"
    WRONG_SHAPE = "GPUs per node do not fit"
    NO_INTERCONNECT = "no such interconnect"
    NO_CLUSTER_NETWORK = "no cluster network"
    OUTSIDE_BOUNDARY = "outside only_in"
    OUTSIDE_TIER = "outside the tier's places"
    WRONG_CAPACITY = "other capacity type"
    WRONG_TYPE = "not in instance_types"
    NEEDS_RESERVATION = "needs a reservation"
    OUT_OF_DATES = "outside the reservation's dates"
    NO_PRICE = "no price"
    NO_RATE = "no currency rate"
    OVER_CAP = "over the cap"
    LOW_DISCOUNT = "discount too small"
    SET_ASIDE = "set aside"
    EVICTED = "evicted lately"
    QUOTA = "over quota"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One offer and why it lost; `detail` has the figures (`evicted 5 min ago`)."""

    offer: OfferKey
    reason: Reject
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTrace:
    """What a rule came to: its name, its condition's text and truth, and why in words."""

    name: str
    when: str
    truth: Truth
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TierTrace:
    """What a tier came to: how many offers it saw and what became of them, in words."""

    rule: str
    index: int
    of: int
    feasible: int
    rejections: Mapping[Reject, int]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """GPUs that are wanted and not to be had, and why."""

    gpus: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one pool shall have at one instant, and everything that led to it.

    `after` is what the pool shall have; for `hold` it is what it has. `wanted` is what it would
    have without the guard, timer or override that holds it (else equal to `after`).
    `fallbacks` are in the order in which they are tried. Costs are USD per hour and None when a
    price is unknown. `seen` are nodes seen alive, by place digest, where somebody else decides
    the size: there `before` and `after` have the most that there may be. `next_change_at` is the
    next change by the clock alone, with `next_change` saying to what; `next_check_at` includes
    timers. `blocked_by` names the guard (`limits.spend`) or is empty. `reasons` are whole
    sentences for people. `memory` is what to store for the pool when this decision is carried
    out.
    """

    policy: str
    pool: str
    need: str
    at: datetime
    action: Action
    cause: Cause | None
    rule: str | None
    before: tuple[Placement, ...]
    after: tuple[Placement, ...]
    wanted: tuple[Placement, ...]
    fallbacks: tuple[Placement, ...] = ()
    unmet: Unmet | None = None
    seen: Mapping[str, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rules: tuple[RuleTrace, ...] = ()
    tiers: tuple[TierTrace, ...] = ()
    rejections: Mapping[Reject, int] = field(default_factory=dict)
    usd_per_hour_before: Decimal | None = None
    usd_per_hour_after: Decimal | None = None
    usd_per_hour_worst: Decimal | None = None
    next_change_at: datetime | None = None
    next_change: str = ""
    next_check_at: datetime | None = None
    blocked_by: str = ""
    memory: PoolMemory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A time during which the clock alone changes nothing, for one pool; `[start, end)` UTC.

    Prices, condition truths and capacity are taken as they are at the time of asking.
    """

    pool: str
    start: datetime
    end: datetime
    rule: str | None
    placements: tuple[Placement, ...]
    usd_per_hour: Decimal | None
    unmet: Unmet | None = None
