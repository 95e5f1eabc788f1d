"""What price readers bring home: prices, stock, rates of commitments and of interruptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from decimal import Decimal

    from multicloud.models.account import Quota
    from multicloud.models.offer import Cloud, OfferKey


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePoint:
    """What one node of an offer cost per hour from `observed_at` on; always above zero.

    `currency` is ISO 4217 and never guessed. `site` is the account side that pays it, where a
    cloud has two price lists. `estimate` marks what nobody quoted.
    """

    key: OfferKey
    amount: Decimal
    currency: str
    observed_at: datetime
    source: str
    site: str = ""
    estimate: bool = False


class Stock(StrEnum):
    """How much of an offer a cloud says is to be had; only `none` cannot be started."""

    NONE = "none"
    LOW = "low"
    SOME = "some"
    HIGH = "high"

    @property
    def is_to_be_had(self) -> bool:
        """Whether a node may be expected."""
        return self is not Stock.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at the stock of an offer. `score` is the cloud's own from 1 to 10, if it has one."""

    key: OfferKey
    looked_at: datetime
    stock: Stock
    source: str
    score: int | None = None
    site: str = ""


class Upfront(StrEnum):
    """How much of a commitment is paid when it begins."""

    NONE = "none"
    PARTIAL = "partial"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What a commitment to one node costs: `at_start` once, `per_hour` for every hour of the term.

    `kind` is as in policies (`reserved`, `savings_plan`, `committed_use`).
    """

    cloud: Cloud
    region: str
    instance_type: str
    kind: str
    months: int
    upfront: Upfront
    per_hour: Decimal
    at_start: Decimal
    currency: str
    observed_at: datetime
    source: str
    site: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptionRate:
    """The share of spot nodes that a cloud takes back in a month, as the band that it tells.

    `high` None is "or more". `zone` is "" where the region is told as a whole.
    """

    cloud: Cloud
    region: str
    instance_type: str
    low: Decimal
    high: Decimal | None
    observed_at: datetime
    source: str
    zone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """All that one part of a feed told at one look, or nothing of it.

    `rejected` are sentences about rows that could not be used, each naming the row. `quotas` are
    all of the account in the region `quotas_of`; "" says that nobody asked.
    """

    looked_at: datetime
    points: Sequence[PricePoint] = ()
    looks: Sequence[Look] = ()
    rates: Sequence[Rate] = ()
    interruptions: Sequence[InterruptionRate] = ()
    quotas: Sequence[Quota] = ()
    quotas_of: str = ""
    rejected: Sequence[str] = ()


class Feed(Protocol):
    """One cloud's prices and stock through its SDK, in parts that can fail and resume apart."""

    @property
    def cloud(self) -> Cloud:
        """Whose."""
        ...

    def parts(self) -> tuple[str, ...]:
        """Names of the parts, such as regions; sorted. Raises: CloudError."""
        ...

    def read(self, part: str) -> Batch:
        """Everything of one part, paged to its end. Raises: CloudError when any page fails."""
        ...
