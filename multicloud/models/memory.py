"""What earlier runs observed; an input of deciding, written only by runs that act."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from multicloud.models.account import Quota
    from multicloud.models.decision import Cause
    from multicloud.models.offer import CapacityType, Cloud, OfferKey
    from multicloud.models.placement import Placement


class SetAsideReason(StrEnum):
    """Why an offer is not tried for a while.

    `no_capacity` and `quota`: a try failed; `no_stock`: the cloud says beforehand that it would.
    """

    NO_CAPACITY = "no_capacity"
    EVICTED = "evicted"
    QUOTA = "quota"
    NO_STOCK = "no_stock"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """(instance type, zone, capacity type) not to be tried until `until`; first seen `since`.

    `zone` "" means every zone of the region.
    """

    cloud: Cloud
    region: str
    zone: str
    instance_type: str
    capacity_type: CapacityType
    reason: SetAsideReason
    since: datetime
    until: datetime


class OverrideKind(StrEnum):
    """What a person asked for against the rules."""

    ON = "on"
    OFF = "off"
    HOLD = "hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """`hold [on|off]` or the `off` that `destroy` leaves; `until` None ends with `release`.

    `why` is a sentence in place of who asked for it: of an override that nobody did.
    """

    kind: OverrideKind
    since: datetime
    until: datetime | None
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastDecision:
    """The last recorded decision of a pool, with what it was made on.

    `quotes` are USD per node-hour of its candidates (None: unknown then) and `truths` the
    condition truths: put back, they tell whether a change is the price's doing. `quotes` and
    `truths` stay those under which `after` was the best choice, also while a cheaper one is
    being watched. `waiting` says that the pool wanted nodes and only stock, quotas or a tier's
    wait kept it from them.
    """

    at: datetime
    cause: Cause
    policy_hash: str
    after: tuple[Placement, ...]
    quotes: Mapping[OfferKey, Decimal | None]
    truths: Mapping[str, bool]
    held: bool = False
    rule: str | None = None
    waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMemory:
    """Everything remembered of one pool; the empty one stands for "never seen".

    `truths` are keyed by a condition's text. `signal_since` is when the present price signal
    began and `signal_key` for what (a place's digest, or `cap`). `tier_waits` map a tier's
    text to when trying it began. `price_moves` are instants of price moves, newest last.
    `fell_back_at` is when the pool last went to a lower tier. `degraded_since` is when nodes
    were first seen missing without an eviction.
    """

    truths: Mapping[str, bool] = field(default_factory=dict)
    last: LastDecision | None = None
    signal_since: datetime | None = None
    signal_key: str = ""
    tier_waits: Mapping[str, datetime] = field(default_factory=dict)
    changed_at: datetime | None = None
    price_moves: tuple[datetime, ...] = ()
    fell_back_at: datetime | None = None
    degraded_since: datetime | None = None
    override: Override | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a budget's present period cost until now, by the records, in USD.

    `usd` None is a cost that nobody knows whole; `at_least` is then what is known of it. The
    period is `[since, until)`.
    """

    usd: Decimal | None
    since: datetime
    until: datetime
    at_least: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is remembered of a policy, with the quotas told lately.

    `spent` is by the name of a pool with a budget, "" for the policy's own. `is_stored` is
    False without a store.
    """

    pools: Mapping[str, PoolMemory] = field(default_factory=dict)
    set_asides: tuple[SetAside, ...] = ()
    quotas: tuple[Quota, ...] = ()
    spent: Mapping[str, Spent] = field(default_factory=dict)
    is_stored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolActual:
    """What a pool has in the clouds now.

    `placements` are its stacks with nodes, as wished for at their last apply (`nodes`);
    `running` are nodes seen alive per place digest. A pool with none is off.
    """

    placements: tuple[Placement, ...] = ()
    running: Mapping[str, int] = field(default_factory=dict)

    def alive(self, placement: Placement) -> int:
        """Nodes seen alive at a placement; the wished number when nobody looked."""
        return self.running.get(placement.slot.digest, placement.nodes)

    @property
    def sized_by_others(self) -> Mapping[str, int]:
        """Nodes seen alive where somebody else decides the size."""
        places = {p.slot.digest for p in self.placements if p.least is not None}
        return {place: alive for place, alive in self.running.items() if place in places}


@dataclass(frozen=True, slots=True, kw_only=True)
class Actual:
    """What a policy's pools have; pools that left the policy's text may still be in it."""

    pools: Mapping[str, PoolActual] = field(default_factory=dict)

    def of(self, pool: str) -> PoolActual:
        """The pool's actual state; empty when it has nothing."""
        return self.pools.get(pool, PoolActual())
