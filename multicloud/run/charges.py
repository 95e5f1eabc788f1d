"""Charges: so many nodes of one place within one month, and their sums by name; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.decide.schedule import hours_of
from multicloud.errors import InvalidInputError
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from multicloud.models.decision import Stretch
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.models.run import Usage

NOTHING = Decimal(0)


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


def lines(by: Sequence[str], charges: Iterable[Charge]) -> tuple[Line, ...]:
    """Charges added up by name, in the order of the names.

    `by` are `pool`, `cloud`, `month`, `policy` or `label:KEY`.
    """
    namers = [namer_of(name) for name in by]
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


def namer_of(name: str) -> Callable[[Charge], str]:
    """What to call a charge by; `name` as in `lines`. Raises: InvalidInputError for others."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Charger:
    """Makes charges of one policy's pools; months are those of `zone`."""

    policy: Policy
    zone: tzinfo

    def paid(self, usage: Usage, start: datetime, end: datetime) -> Iterator[Charge]:
        """What recorded use cost within `[start, end)`."""
        first, last = max(usage.start, start), min(usage.end or end, end)
        usd = usage.usd_per_node_hour
        return self._charges(usage.pool, usage.placement, usage.nodes, usd, first, last)

    def planned(self, stretch: Stretch) -> Iterator[Charge]:
        """What a stretch ahead will cost at its placements' prices."""
        for one in stretch.placements:
            usd = one.price.usd
            yield from self._charges(stretch.pool, one, one.nodes, usd, stretch.start, stretch.end)

    def _charges(
        self,
        pool: str,
        placement: Placement,
        nodes: int,
        usd: Decimal | None,
        start: datetime,
        end: datetime,
    ) -> Iterator[Charge]:
        labels = next((dict(one.labels) for one in self.policy.pools if one.name == pool), {})
        is_prepaid = placement.price.state is PriceState.PREPAID
        for month, begin, until in _months(start, end, self.zone):
            yield Charge(
                policy=self.policy.name,
                pool=pool,
                labels=labels,
                placement=placement,
                nodes=nodes,
                start=begin,
                end=until,
                month=month,
                usd_per_node_hour=NOTHING if is_prepaid else usd,
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
