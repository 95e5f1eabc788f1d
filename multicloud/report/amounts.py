"""Money in the currency of a policy's reports."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.report.text import money

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.models.pool import Policy

USD = "USD"


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency and its units per 1 USD."""

    code: str
    per_usd: Decimal

    @classmethod
    def of(cls, policy: Policy) -> Currency:
        """The policy's own; USD when it gives no rate for it."""
        rate = policy.fx.get(policy.currency)
        if policy.currency == USD or rate is None:
            return cls(USD, Decimal(1))
        return cls(policy.currency, rate)

    @classmethod
    def shared(cls, policies: Sequence[Policy]) -> Currency:
        """The currency that all policies report in, else USD."""
        found = {cls.of(policy) for policy in policies}
        return found.pop() if len(found) == 1 else cls(USD, Decimal(1))

    def show(self, usd: Decimal | None) -> str:
        """An amount of USD in this currency, to cents; `?` when unknown."""
        return money(None if usd is None else usd * self.per_usd)
