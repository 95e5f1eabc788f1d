"""What pools cost: paid by the records, planned by the clock, and had there been no policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from multicloud.catalog.market import build_market
from multicloud.decide.book import Book
from multicloud.decide.compare import HOURS, always_on
from multicloud.decide.schedule import hours_of, schedule
from multicloud.errors import InvalidInputError
from multicloud.models.quote import PriceState
from multicloud.policy.instants import parse_at
from multicloud.run.agenda import month_of
from multicloud.run.commitments import Committed, committed
from multicloud.run.inputs import load_inputs, running_pools
from multicloud.run.layout import Layout
from multicloud.run.recall import store_place
from multicloud.run.select import select_pools
from multicloud.store.location import has_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from multicloud.models.decision import Stretch
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.models.run import Usage
    from multicloud.run.inputs import Inputs, Question

AHEAD = timedelta(days=30)
NOTHING = Decimal(0)


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
class Charge:
    """So many nodes of one place within `[start, end)`, a calendar month at most.

    `usd` is None where nobody knows the price, and 0 for what was paid before.
    """

    policy: str
    pool: str
    labels: Mapping[str, str]
    placement: Placement
    nodes: int
    start: datetime
    end: datetime
    month: str
    usd_per_node_hour: Decimal | None
    is_prepaid: bool = False

    @property
    def node_hours(self) -> Decimal:
        """Hours of all its nodes together."""
        return hours_of(self.end - self.start) * self.nodes

    @property
    def usd(self) -> Decimal | None:
        """What it cost, commitments apart."""
        return None if self.usd_per_node_hour is None else self.usd_per_node_hour * self.node_hours


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Charges with the same `names` together; `usd` sums those that are known.

    `unknown_hours` are node-hours whose price nobody knows.
    """

    names: tuple[str, ...]
    node_hours: Decimal
    usd: Decimal
    unknown_hours: Decimal


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
        _namer(name)
    inputs = load_inputs(request.question)
    selected = select_pools(inputs.policies, request.question.pools, running_pools(inputs))
    parts = tuple(_policy(policy, selected, request, inputs) for policy in inputs.policies)
    return Costs(inputs=inputs, by=request.by, policies=parts)


def lines(by: Sequence[str], charges: Iterable[Charge]) -> tuple[Line, ...]:
    """Charges added up by the names asked for, in the order of the names."""
    namers = [_namer(name) for name in by]
    found: dict[tuple[str, ...], Line] = {}
    for charge in charges:
        names = tuple(namer(charge) for namer in namers)
        line = found.get(names) or Line(
            names=names, node_hours=NOTHING, usd=NOTHING, unknown_hours=NOTHING
        )
        found[names] = replace(
            line,
            node_hours=line.node_hours + charge.node_hours,
            usd=line.usd + (charge.usd or NOTHING),
            unknown_hours=line.unknown_hours + (charge.node_hours if charge.usd is None else 0),
        )
    return tuple(found[names] for names in sorted(found))


def _namer(name: str) -> Callable[[Charge], str]:
    if name.startswith("label:") and name != "label:":
        key = name.removeprefix("label:")
        return lambda charge: charge.labels.get(key, "")
    known: dict[str, Callable[[Charge], str]] = {
        "pool": lambda charge: charge.pool,
        "policy": lambda charge: charge.policy,
        "cloud": lambda charge: str(charge.placement.slot.cloud),
        "month": lambda charge: charge.month,
    }
    if name not in known:
        raise InvalidInputError(
            f'--by "{name}" is nothing to group by.',
            detail=f"Expected {', '.join(known)} or label:KEY.",
        )
    return known[name]


def _policy(
    policy: Policy, selected: frozenset[str], request: CostRequest, inputs: Inputs
) -> PolicyCost:
    start, end = _period(request, policy, inputs.now)
    until = min(end, inputs.now)
    zone = ZoneInfo(policy.timezone) if policy.timezone else UTC
    labels = {pool.name: dict(pool.labels) for pool in policy.pools}
    rows = [u for u in _usage(policy, start, until, inputs) if u.pool in selected]
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
        paid=tuple(charge for usage in rows for charge in _paid(usage, start, until, zone, labels)),
        planned=tuple(
            charge
            for stretch in stretches
            if stretch.pool in selected
            for charge in _planned(policy.name, stretch, zone, labels)
        ),
        always_on=_always_on(policy, selected, hours_of(max(until - start, timedelta())), inputs),
        committed=committed(policy, rows, start, until),
    )


def _period(request: CostRequest, policy: Policy, now: datetime) -> tuple[datetime, datetime]:
    zone = policy.timezone
    if request.month is not None and (request.start or request.end):
        raise InvalidInputError("--month and --from or --to exclude each other.")
    if request.start is None and request.end is None:
        local = now.astimezone(ZoneInfo(zone) if zone else UTC)
        return month_of(request.month or f"{local:%Y-%m}", zone)
    start = parse_at(request.start, zone) if request.start else None
    end = parse_at(request.end, zone) if request.end else now
    if start is None:
        raise InvalidInputError("--to goes with --from.")
    if start >= end:
        raise InvalidInputError(f"--from {request.start} is not before {request.end or 'now'}.")
    return start, end


def _usage(policy: Policy, start: datetime, end: datetime, inputs: Inputs) -> tuple[Usage, ...]:
    place = store_place(inputs.project, Layout(inputs.root))
    if start >= end or not has_store(place):
        return ()
    from multicloud.store.store import Store

    store = Store.open(place, target=inputs.project.target, create=False)
    if store is None:
        return ()
    with store:
        return store.usage(policy.name, start, end)


def _paid(
    usage: Usage,
    start: datetime,
    end: datetime,
    zone: tzinfo,
    labels: Mapping[str, Mapping[str, str]],
) -> Iterator[Charge]:
    first, last = max(usage.start, start), min(usage.end or end, end)
    is_prepaid = usage.placement.price.state is PriceState.PREPAID
    for month, begin, until in _months(first, last, zone):
        yield Charge(
            policy=usage.policy,
            pool=usage.pool,
            labels=labels.get(usage.pool, {}),
            placement=usage.placement,
            nodes=usage.nodes,
            start=begin,
            end=until,
            month=month,
            usd_per_node_hour=NOTHING if is_prepaid else usage.usd_per_node_hour,
            is_prepaid=is_prepaid,
        )


def _planned(
    policy: str,
    stretch: Stretch,
    zone: tzinfo,
    labels: Mapping[str, Mapping[str, str]],
) -> Iterator[Charge]:
    for placement in stretch.placements:
        is_prepaid = placement.price.state is PriceState.PREPAID
        for month, begin, until in _months(stretch.start, stretch.end, zone):
            yield Charge(
                policy=policy,
                pool=stretch.pool,
                labels=labels.get(stretch.pool, {}),
                placement=placement,
                nodes=placement.nodes,
                start=begin,
                end=until,
                month=month,
                usd_per_node_hour=NOTHING if is_prepaid else placement.price.usd,
                is_prepaid=is_prepaid,
            )


def _months(
    start: datetime, end: datetime, zone: tzinfo
) -> Iterator[tuple[str, datetime, datetime]]:
    """`[start, end)` cut at the borders of calendar months in a zone."""
    while start < end:
        local = start.astimezone(zone)
        year, month = divmod(local.year * 12 + local.month, 12)
        border = datetime(year, month + 1, 1, tzinfo=zone).astimezone(UTC)
        until = min(border, end)
        yield f"{local:%Y-%m}", start, until
        start = until


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
