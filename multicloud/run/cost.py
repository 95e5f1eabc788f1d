"""What pools cost: paid by the records, planned by the clock, and had there been no policy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from multicloud.catalog.market import build_market
from multicloud.decide.book import Book
from multicloud.decide.compare import HOURS, always_on
from multicloud.decide.schedule import hours_of, schedule
from multicloud.errors import InvalidInputError
from multicloud.policy.instants import parse_bound
from multicloud.run.agenda import month_of
from multicloud.run.charges import Charger, lines, namer_of
from multicloud.run.commitments import Committed, committed
from multicloud.run.inputs import load_inputs, running_pools
from multicloud.run.renames import usage_of
from multicloud.run.select import select_pools
from multicloud.run.stored import open_to_read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from multicloud.models.pool import Policy
    from multicloud.models.run import Usage
    from multicloud.run.charges import Charge, Line
    from multicloud.run.inputs import Inputs, Question

AHEAD = timedelta(days=30)
Period = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRequest:
    """Of what, and when: a month (`YYYY-MM`) or two instants; neither is the present month.

    `by` are `pool`, `cloud`, `month`, `policy` or `label:KEY`.
    """

    question: Question
    by: tuple[str, ...] = ("pool",)
    month: str | None = None
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCost:
    """One policy's costs in `[start, end)` until now, and 30 days ahead.

    `always_on` is what each pool would have cost in the period, always on, on demand, at the
    prices of now; None where there is no such price.
    """

    policy: Policy
    start: datetime
    end: datetime
    paid: tuple[Charge, ...]
    planned: tuple[Charge, ...]
    always_on: Mapping[str, Decimal | None]
    committed: Committed


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What all policies cost."""

    inputs: Inputs
    by: tuple[str, ...]
    policies: tuple[PolicyCost, ...]

    @property
    def paid(self) -> tuple[Line, ...]:
        """Charges of the period by the names asked for."""
        return lines(self.by, (one for part in self.policies for one in part.paid))

    @property
    def planned(self) -> tuple[Line, ...]:
        """Charges of the 30 days ahead by the names asked for."""
        return lines(self.by, (one for part in self.policies for one in part.planned))


def read_costs(request: CostRequest) -> Costs:
    """Add up what was recorded and what is ahead; changes nothing.

    Raises:
        InvalidInputError: bad inputs, an unknown name to group by, or a period without length.
    """
    for name in request.by:
        namer_of(name)
    inputs = load_inputs(request.question)
    periods = {policy.name: _period(request, policy, inputs.now) for policy in inputs.policies}
    used = _used(periods, inputs)
    # Also pools that left their policy, while they run and where anything was paid for them.
    others = {*running_pools(inputs), *(row.pool for rows in used.values() for row in rows)}
    selected = select_pools(inputs.policies, request.question.pools, sorted(others))
    parts = tuple(
        _policy(
            policy,
            selected,
            periods[policy.name],
            [row for row in used[policy.name] if row.pool in selected],
            inputs,
        )
        for policy in inputs.policies
    )
    return Costs(inputs=inputs, by=request.by, policies=parts)


def _used(periods: Mapping[str, Period], inputs: Inputs) -> Mapping[str, tuple[Usage, ...]]:
    """What was paid for until now, by policy."""
    used: dict[str, tuple[Usage, ...]] = dict.fromkeys(periods, ())
    with open_to_read(inputs.project, inputs.root) as store:
        for policy in inputs.policies:
            start, end = periods[policy.name]
            until = min(end, inputs.now)
            if store is not None and start < until:
                used[policy.name] = usage_of(store, policy, start, until)
    return used


def _policy(
    policy: Policy,
    selected: frozenset[str],
    period: Period,
    rows: Sequence[Usage],
    inputs: Inputs,
) -> PolicyCost:
    start, end = period
    until = min(end, inputs.now)
    zone = ZoneInfo(policy.timezone) if policy.timezone else UTC
    charger = Charger(policy=policy, zone=zone)
    recalled = inputs.recalled[policy.name]
    stretches = schedule(
        policy,
        inputs.now,
        inputs.now + AHEAD,
        inputs.snapshot,
        recalled.observed.actual,
        recalled.memory,
    )
    return PolicyCost(
        policy=policy,
        start=start,
        end=end,
        paid=tuple(one for usage in rows for one in charger.paid(usage, start, until)),
        planned=tuple(
            one
            for stretch in stretches
            if stretch.pool in selected
            for one in charger.planned(stretch)
        ),
        always_on=_always_on(policy, selected, hours_of(max(until - start, timedelta())), inputs),
        committed=committed(policy, rows, start, until),
    )


def _period(request: CostRequest, policy: Policy, now: datetime) -> Period:
    zone = policy.timezone
    if request.month is not None and (request.start or request.end):
        raise InvalidInputError("--month and --from or --to exclude each other.")
    if request.start is None and request.end is None:
        local = now.astimezone(ZoneInfo(zone) if zone else UTC)
        return month_of(request.month or f"{local:%Y-%m}", zone)
    start = parse_bound(request.start, zone) if request.start else None
    end = parse_bound(request.end, zone) if request.end else now
    if start is None:
        raise InvalidInputError("--to goes with --from.")
    if start >= end:
        raise InvalidInputError(f"--from {request.start} is not before {request.end or 'now'}.")
    return start, end


def _always_on(
    policy: Policy, selected: frozenset[str], hours: Decimal, inputs: Inputs
) -> Mapping[str, Decimal | None]:
    found: dict[str, Decimal | None] = {}
    for pool in policy.pools:
        if pool.name in selected:
            market = build_market(
                inputs.snapshot,
                now=inputs.now,
                fx=policy.fx,
                discounts=policy.discounts,
                trust=pool.trust,
            )
            month = always_on(policy, pool, Book(market))
            found[pool.name] = None if month is None else month / HOURS * hours
    return found
