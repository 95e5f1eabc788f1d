"""What budgets' present periods have cost so far, by the store's records."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.models.memory import Spent
from multicloud.models.quote import PriceState
from multicloud.policy.budgets import period_at
from multicloud.run.renames import usage_of
from multicloud.store.usage import cost_usd

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from multicloud.models.pool import Budget, Policy
    from multicloud.models.run import Usage
    from multicloud.store.store import Store


def spent_of(store: Store, policy: Policy, now: datetime) -> Mapping[str, Spent]:
    """By the name of each pool with a budget, "" for the policy's own. Raises: StoreError."""
    budgets = [(pool.name, pool.budget) for pool in policy.pools if pool.budget]
    if policy.budget:
        budgets.append(("", policy.budget))
    return {name: _spent(store, policy, name, budget, now) for name, budget in budgets}


def _spent(store: Store, policy: Policy, pool: str, budget: Budget, now: datetime) -> Spent:
    since, until = period_at(budget.period, policy.timezone, now)
    rows = usage_of(store, policy, since, now) if since < now else ()
    billed = [row for row in rows if pool in ("", row.pool) and _is_billed(row)]
    known = [row for row in billed if row.usd_per_node_hour is not None]
    return Spent(
        usd=cost_usd(billed, since, now),
        at_least=cost_usd(known, since, now) or Decimal(0),
        since=since,
        until=until,
    )


def _is_billed(row: Usage) -> bool:
    """What was prepaid costs nothing more."""
    return row.placement.price.state is not PriceState.PREPAID
