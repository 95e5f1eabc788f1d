"""What is known of an account with a cloud: who we are there, and how much we may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from multicloud.models.offer import CapacityType, Cloud


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who the cloud says we are. `expires_at` None means that nobody told an end."""

    cloud: Cloud
    who: str
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How much of something the account may have in a region.

    `name` is the cloud's own, `unit` what is counted (`vcpu`, `gpu`, `node`). `families` are
    beginnings of instance types that count against it (`p4`, `Standard_ND`), in the cloud's own
    letters; empty means every type. `capacity` are the capacity types that do. `used` None means
    that the cloud does not tell.
    """

    cloud: Cloud
    region: str
    name: str
    unit: str
    limit: Decimal
    used: Decimal | None = None
    families: tuple[str, ...] = ()
    capacity: tuple[CapacityType, ...] = ()
    zone: str = ""


class Account(Protocol):
    """One account of one cloud, asked through the cloud's own SDK.

    Each question raises a `CloudError` that says what to do, within seconds.
    """

    def access(self) -> Access:
        """Who the credentials belong to."""
        ...

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """The region's quotas that bound GPU nodes, in order of name."""
        ...
