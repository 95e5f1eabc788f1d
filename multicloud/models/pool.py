"""The compiled policy: what the program trusts after `policy.compile` let it through."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.errors import Where
from multicloud.models.offer import CapacityType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime

    from multicloud.models.condition import Condition
    from multicloud.models.gpu import Precision
    from multicloud.models.need import Need
    from multicloud.models.place import Place
    from multicloud.models.placement import Reservation
    from multicloud.models.quote import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """An entry of a `place` list. All its offers are equal but for cost.

    `max_gpus` caps what this tier gives with `spread: places`; `min_discount` is a share: spot
    counts only that far below on-demand. `reservation` goes with capacity `reserved`. `wait` is
    how long to try before the next tier.
    """

    places: tuple[Place, ...]
    not_in: tuple[Place, ...] = ()
    capacity: tuple[CapacityType, ...] = (CapacityType.ON_DEMAND,)
    max_price: Price | None = None
    instance_types: tuple[str, ...] = ()
    wait: timedelta | None = None
    max_gpus: int | None = None
    min_discount: Decimal | None = None
    reservation: Reservation | None = None


class Fixed(StrEnum):
    """Outcomes that name no place."""

    OFF = "off"
    HOLD = "hold"


Outcome = tuple[Tier, ...] | Fixed


class IfNone(StrEnum):
    """What a rule does whose tiers can none be had."""

    WAIT = "wait"
    NEXT = "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Condition and outcome. `need` is the pool's, already merged with the rule's own keys."""

    name: str
    when: Condition
    when_text: str
    need: Need
    outcome: Outcome
    if_none: IfNone = IfNone.WAIT
    where: Where = field(default=Where(file=""), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """Limits of price moves, never of the clock's (POLICY meaning 8)."""

    min_saving: Decimal = Decimal("0.10")
    signal_for: timedelta = timedelta(minutes=15)
    min_stay: timedelta = timedelta(hours=1)
    max_per_day: int = 6
    horizon: timedelta = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTrust:
    """When a quote is old, when it is a jump, and how far it may drift before apply."""

    max_age_spot: timedelta = timedelta(hours=6)
    max_age_on_demand: timedelta = timedelta(days=30)
    jump: Decimal = Decimal(4)
    tolerance: Decimal = Decimal("0.10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """What happens after capacity was lost or refused (POLICY meaning 9)."""

    set_aside: timedelta = timedelta(minutes=30)
    evicted_zone: timedelta = timedelta(minutes=60)
    retry_upper_tier: timedelta = timedelta(minutes=60)
    refill_after: timedelta = timedelta(minutes=15)
    max_attempts: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a run waits for nodes to boot, drain and go."""

    boot: timedelta = timedelta(minutes=15)
    drain: timedelta = timedelta(minutes=10)
    destroy: timedelta = timedelta(minutes=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How a pool saves its work. `size_gib` prices the egress of a move."""

    every: timedelta | None = None
    command: str = ""
    restore: timedelta = timedelta(minutes=5)
    size_gib: Decimal = Decimal(0)
    timeout: timedelta = timedelta(seconds=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """What a node is made with. `startup` and `ssh_key` are contents, read by the caller."""

    image: str | None = None
    disk_gib: int = 100
    startup: str | None = None
    ssh_key: str | None = None
    public_ip: bool = False
    ports: tuple[int, ...] = ()
    drain_command: str | None = None
    cluster_network: str = "auto"


class Prefer(StrEnum):
    """What wins inside a tier."""

    CHEAPEST = "cheapest"
    PER_TFLOP = "per_tflop"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyTime:
    """A time of the week in UTC: `days` are `mon`..`sun` in that order, `time` is `HH:MM`."""

    days: tuple[str, ...]
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Autoscaler:
    """Bounds of a pool whose size somebody else decides (a cluster's own autoscaler), in nodes."""

    min_nodes: int
    max_nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One pool, with defaults merged in. The last rule of `rules` may be the `otherwise`.

    `otherwise` is what holds when no rule does. `labels` are the pool's own merged over the
    policy's; `only_in` is the pool's own, else the policy's, else the project's. `secrets` are
    values from the environment inside `node.startup`, to be taken out of every output.
    `autoscaler` None means that we own the size. `was` is the pool's former name, whose stacks
    it keeps. `backstop` is how long after a window's end the cloud's own schedule empties the
    group, should our runs stop; `backstops` are those times. From `expires` on it is off for good.
    """

    name: str
    need: Need
    rules: tuple[Rule, ...]
    otherwise: Outcome | None
    prefer: Prefer = Prefer.CHEAPEST
    prefer_precision: Precision | None = None
    moves: Moves = Moves()
    trust: PriceTrust = PriceTrust()
    plan_max_age: timedelta = timedelta(hours=1)
    retry: Retry = Retry()
    timeouts: Timeouts = Timeouts()
    checkpoint: Checkpoint | None = None
    node: NodeSettings = NodeSettings()
    labels: tuple[tuple[str, str], ...] = ()
    only_in: tuple[Place, ...] = ()
    secrets: tuple[str, ...] = ()
    autoscaler: Autoscaler | None = None
    was: str | None = None
    backstop: timedelta | None = None
    backstops: tuple[WeeklyTime, ...] = ()
    budget: Budget | None = None
    expires: datetime | None = None
    where: Where = field(default=Where(file=""), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Guards of one run (POLICY meaning 11); None is no guard. `spend` is per hour."""

    spend: Decimal | None = None
    spend_currency: str = "USD"
    new_nodes: int | None = None
    destroyed_nodes: int | None = None


class Period(StrEnum):
    """A stretch of the calendar in the policy's zone, over which a budget is counted."""

    HOUR = "h"
    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much may be spent in each `period`, in `currency`; `text` is as written.

    From the share `warn_at` on people are warned. When it is spent nothing grows, or the pool
    `is_off`, until the period ends.
    """

    amount: Decimal
    currency: str
    period: Period
    warn_at: Decimal
    is_off: bool
    text: str


class CommitmentKind(StrEnum):
    """What is paid for whether used or not."""

    RESERVED = "reserved"
    SAVINGS_PLAN = "savings_plan"
    COMMITTED_USE = "committed_use"
    PREPAID = "prepaid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount:
    """A negotiated share off list quotes; empty `capacity` and `instance_types` mean all."""

    places: tuple[Place, ...]
    capacity: tuple[CapacityType, ...]
    instance_types: tuple[str, ...]
    off: Decimal
    until: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """A billing fact (POLICY meaning 10): covers on-demand nodes, never overrides tiers.

    `fee_per_hour` is what it costs whether used or not, in `currency`.
    """

    kind: CommitmentKind
    places: tuple[Place, ...]
    instance_type: str | None
    nodes: int | None
    fee_per_hour: Decimal
    currency: str
    start: datetime | None
    until: datetime | None
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A whole policy file, compiled.

    `timezone` is the policy's own or "" when every window names one. `fx` is units of a
    currency per 1 USD. `hash` is of the policy's meaning-bearing text (comments and spacing
    left out). `calendar` is the code of the holidays library, or None. `dates` are the named
    sets.
    """

    name: str
    file: str
    hash: str
    text: str
    timezone: str
    calendar: str | None
    currency: str
    fx: Mapping[str, Decimal]
    discounts: tuple[Discount, ...]
    commitments: tuple[Commitment, ...]
    limits: Limits
    redact: tuple[str, ...]
    pools: tuple[Pool, ...]
    budget: Budget | None = None


def shared_timezone(policies: Iterable[Policy]) -> str:
    """The zone of all policies; "" when they differ, or when it is none."""
    zones = {policy.timezone for policy in policies}
    return zones.pop() if len(zones) == 1 else ""
