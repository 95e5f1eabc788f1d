"""What `cost` says: paid, with its alternatives; commitments; the 30 days ahead."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from multicloud.models.placement import total_usd
from multicloud.report.amounts import Currency
from multicloud.report.head import banner
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import Column, percent, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.run.charges import Line
    from multicloud.run.cost import Costs, PolicyCost

NOTHING = Decimal(0)


def costs_text(costs: Costs) -> str:
    """Paid and planned by the names asked for, and per policy what was spared."""
    inputs = costs.inputs
    currency = Currency.shared(inputs.policies)
    lines = banner(inputs.project.target)
    for part in costs.policies:
        lines += _policy(part, currency)
    lines += ["Paid", _table(costs.by, costs.paid, currency)]
    lines += [
        "Next 30 days, by the clock at today's prices",
        _table(costs.by, costs.planned, currency),
    ]
    unknown = _unknown(costs.paid) + _unknown(costs.planned)
    if unknown:
        lines.append(f"!  {unknown:,.1f} node-hours at a price that nobody knows are counted as 0.")
    return "\n".join(lines)


def _policy(part: PolicyCost, currency: Currency) -> list[str]:
    zone = ZoneInfo(part.policy.timezone or "UTC")
    start, end = part.start.astimezone(zone), part.end.astimezone(zone)
    lines = [f"{part.policy.name}: {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} {zone.key}"]
    paid, bare = _paid(part), total_usd(part.always_on.values())
    saved = None if not bare or paid is None else 1 - paid / bare
    text = f"  paid {currency.show(paid)} {currency.code}; "
    text += f"always on, on demand, at today's prices {currency.show(bare)}"
    lines.append(f"{text} (saved {percent(saved)})" if saved is not None else text)
    fees = [fee for _, fee in part.committed.fees]
    if fees:
        lines.append(
            f"  commitments: fees of {currency.show(total_usd(fees))} {currency.code} covered "
            f"{currency.show(part.committed.covered_usd)} of list price above"
        )
    return lines


def _paid(part: PolicyCost) -> Decimal | None:
    return total_usd(charge.usd for charge in part.paid)


def _table(by: Sequence[str], lines: Sequence[Line], currency: Currency) -> str:
    first, *rest = by
    columns = [
        Column(f"  {first.upper()}", shrinks=True),
        *(Column(name.upper(), shrinks=True) for name in rest),
        Column("NODE-HOURS", right=True),
        Column(currency.code, right=True),
    ]
    rows = [
        [
            f"  {line.names[0] or '-'}",
            *(name or "-" for name in line.names[1:]),
            f"{line.node_hours:,.1f}",
            _known([line], currency),
        ]
        for line in lines
    ]
    hours = sum((line.node_hours for line in lines), NOTHING)
    rows.append(["  total", *("" for _ in rest), f"{hours:,.1f}", _known(lines, currency)])
    return table(columns, rows)


def _known(lines: Sequence[Line], currency: Currency) -> str:
    """The sum of what is known, with `+?` where more was or will be paid."""
    usd = sum((line.usd for line in lines), NOTHING)
    return currency.show(usd) + ("+?" if _unknown(lines) else "")


def _unknown(lines: Sequence[Line]) -> Decimal:
    return sum((line.unknown_hours for line in lines), NOTHING)


def costs_document(costs: Costs) -> dict[str, object]:
    """The same as data, in USD."""
    return {
        "schema_version": SCHEMA_VERSION,
        "target": str(costs.inputs.project.target),
        "at": stamp(costs.inputs.now),
        "by": list(costs.by),
        "paid": [_line(costs.by, line) for line in costs.paid],
        "planned": [_line(costs.by, line) for line in costs.planned],
        "policies": [
            {
                "name": part.policy.name,
                "start": stamp(part.start),
                "end": stamp(part.end),
                "usd_paid": number(_paid(part)),
                "usd_always_on": {pool: number(usd) for pool, usd in part.always_on.items()},
                "commitments": [
                    {"kind": one.kind.value, "usd_fee": number(fee)}
                    for one, fee in part.committed.fees
                ],
                "usd_covered": number(part.committed.covered_usd),
            }
            for part in costs.policies
        ],
        "exit_code": 0,
    }


def _line(by: Sequence[str], line: Line) -> dict[str, object]:
    return {
        "names": dict(zip(by, line.names, strict=True)),
        "node_hours": number(line.node_hours),
        "usd": number(line.usd),
        "unknown_node_hours": number(line.unknown_hours),
    }
