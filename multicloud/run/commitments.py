"""What commitments cost over a time, and how much of the recorded use they covered; pure."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from multicloud.catalog.fx import to_usd
from multicloud.decide.coverage import Coverage
from multicloud.decide.schedule import hours_of
from multicloud.decide.zones import offer_keys

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from multicloud.models.pool import Commitment, Policy
    from multicloud.models.run import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """All commitments together: fees by commitment, and the list price that they covered.

    A fee is None in a currency without a rate. Amounts are USD.
    """

    fees: tuple[tuple[Commitment, Decimal | None], ...] = ()
    covered_usd: Decimal = Decimal(0)


def committed(policy: Policy, usage: Sequence[Usage], start: datetime, end: datetime) -> Committed:
    """The policy's commitments over `[start, end)`, covering use in the order of its start."""
    if not policy.commitments or start >= end:
        return Committed()
    dates = (at for one in policy.commitments for at in (one.start, one.until))
    borders = {start, end, *(at for at in dates if at and start < at < end)}
    borders |= {at for row in usage for at in (row.start, row.end) if at and start < at < end}
    covered = Decimal(0)
    for first, last in pairwise(sorted(borders)):
        coverage = Coverage(policy.commitments, now=first, fx=policy.fx)
        at_once = [row for row in usage if row.start <= first and (not row.end or first < row.end)]
        covered += _covered(coverage, at_once) * hours_of(last - first)
    return Committed(
        fees=tuple((one, _fee(one, policy, start, end)) for one in policy.commitments),
        covered_usd=covered,
    )


def _fee(one: Commitment, policy: Policy, start: datetime, end: datetime) -> Decimal | None:
    begin, until = max(start, one.start or start), min(end, one.until or end)
    hours = hours_of(until - begin) if begin < until else Decimal(0)
    return to_usd(one.fee_per_hour * hours, one.currency, policy.fx)


def _covered(coverage: Coverage, usage: Sequence[Usage]) -> Decimal:
    """USD per hour of list price that commitments pay for."""
    total = Decimal(0)
    for row in usage:
        usd = row.usd_per_node_hour
        if usd is not None:
            key = offer_keys(row.placement.slot)[0]
            total += usd * row.nodes - coverage.uncovered(key, row.nodes, usd, pool="")
            coverage.take(key, row.nodes, usd, pool=row.pool)
    return total
