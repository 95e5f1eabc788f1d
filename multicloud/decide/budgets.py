"""What spent budgets hold back: growth until the period ends, or the whole pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from multicloud.catalog.fx import to_usd
from multicloud.decide.text import money, when
from multicloud.models.memory import Override, OverrideKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from decimal import Decimal

    from multicloud.models.memory import Memory, Spent
    from multicloud.models.pool import Budget, Policy, Pool

GUARD = "budget"
SUBJECT = "The budget of"
"""How every sentence about a budget begins."""


class Account(NamedTuple):
    """A budget with what its present period cost; `whose` is "the pool" or "the policy"."""

    whose: str
    budget: Budget
    spent: Spent
    share: Decimal | None

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left; a cost that nobody knows counts as over it."""
        return self.share is None or self.share >= 1

    def __str__(self) -> str:
        """A sentence: "The budget of the pool, 1000/month, is spent (1,020.00 USD)."."""
        said = f"{SUBJECT} {self.whose}, {self.budget.text}, is"
        if self.share is None:
            return f"{said} counted as spent: a price paid is unknown."
        known, whole = self.spent.at_least, self.spent.usd
        paid = f"at least {money(known)} USD" if whole is None else f"{money(whole)} USD"
        return f"{said} spent ({paid})." if self.is_spent else f"{said} {self.share:.0%} spent."


def accounts(policy: Policy, pool: Pool, memory: Memory, now: datetime) -> Iterator[Account]:
    """The budgets that a pool spends of, its own first, as far as anything is recorded."""
    for whose, name, budget in (
        ("the pool", pool.name, pool.budget),
        ("the policy", "", policy.budget),
    ):
        spent = memory.spent.get(name)
        if budget is None or spent is None or not spent.since <= now < spent.until:
            continue
        most = to_usd(budget.amount, budget.currency, policy.fx)
        share = None
        # What is known alone may be too much; below that nobody can tell.
        if most and (spent.usd is not None or spent.at_least >= most):
            share = (spent.at_least if spent.usd is None else spent.usd) / most
        yield Account(whose, budget, spent, share)


def off_by_budget(told: tuple[Account, ...], now: datetime) -> Override | None:
    """The override that a spent budget is, when it says `off`.

    A cost that nobody knows lets nothing grow, but takes no running pool down.
    """
    for one in told:
        if one.share is not None and one.is_spent and one.budget.is_off:
            return Override(
                kind=OverrideKind.OFF, since=now, until=one.spent.until, by=GUARD, why=str(one)
            )
    return None


def held_by_budget(told: tuple[Account, ...]) -> str:
    """Why the pool may not grow; "" when it may."""
    return next((str(one).rstrip(".") for one in told if one.is_spent), "")


def budget_warnings(told: tuple[Account, ...], now: datetime, zone: str) -> Iterator[str]:
    """What people should know: budgets that are nearly or wholly spent."""
    for one in told:
        if one.share is None or one.share >= one.budget.warn_at:
            yield f"{one} It begins anew {when(one.spent.until, now, zone)}."
