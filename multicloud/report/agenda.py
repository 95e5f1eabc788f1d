"""What `schedule` says."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from multicloud.report.amounts import Currency
from multicloud.report.head import banner
from multicloud.report.placements import place_name, placement_body, size_text
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import Column, table

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.models.decision import Stretch
    from multicloud.run.agenda import Agenda, PolicyAgenda


def agenda_text(agenda: Agenda) -> str:
    """Each policy's transitions in order of time, then hours and cost per pool."""
    lines = banner(agenda.target)
    for part in agenda.policies:
        currency = Currency.of(part.policy)
        lines += [_title(part), _transitions(part, currency), _sums(part, currency)]
    lines += [f"!  {warning}" for warning in agenda.warnings]
    return "\n".join(lines)


def agenda_document(agenda: Agenda) -> dict[str, object]:
    """The same as data; every stretch of every pool, `[start, end)`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "target": str(agenda.target),
        "policies": [
            {
                "name": part.policy.name,
                "timezone": part.policy.timezone or None,
                "start": stamp(part.start),
                "end": stamp(part.end),
                "stretches": [_stretch_body(stretch) for stretch in part.stretches],
                "totals": {
                    pool: {"hours": number(total.hours), "usd": number(total.usd)}
                    for pool, total in part.totals.items()
                },
            }
            for part in agenda.policies
        ],
        "warnings": list(agenda.warnings),
        "exit_code": 0,
    }


def _title(part: PolicyAgenda) -> str:
    zone = part.policy.timezone or "UTC"
    start, end = _local(part.start, zone), _local(part.end, zone)
    span = f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} {zone}"
    return f"{part.policy.name}: {span}, prices as of {start:%Y-%m-%d}"


def _transitions(part: PolicyAgenda, currency: Currency) -> str:
    zone = part.policy.timezone or "UTC"
    columns = (
        Column("  UTC"),
        Column("LOCAL"),
        Column("POOL", shrinks=True),
        Column("RULE", shrinks=True),
        Column("RUNS", shrinks=True),
        Column("", shrinks=True),
        Column(f"{currency.code}/h", right=True),
    )
    rows = []
    for stretch in sorted(part.stretches, key=lambda s: (s.start, s.pool)):
        local = _local(stretch.start, zone)
        when = [f"  {stretch.start:%Y-%m-%d %H:%M}", f"{local:%a %d %H:%M}"]
        what = [stretch.pool, stretch.rule or "otherwise"]
        rows.append([*when, *what, *_runs(stretch), currency.show(stretch.usd_per_hour)])
    return table(columns, rows)


def _runs(stretch: Stretch) -> list[str]:
    if not stretch.placements:
        return ["UNMET" if stretch.unmet else "off", ""]
    nodes = " + ".join(
        f"{size_text(p)} x {p.slot.instance_type} {p.slot.capacity_type}"
        for p in stretch.placements
    )
    return [nodes, " + ".join(place_name(p) for p in stretch.placements)]


def _sums(part: PolicyAgenda, currency: Currency) -> str:
    columns = (
        Column("  POOL"),
        Column("hours on", right=True),
        Column(f"{currency.code}", right=True),
    )
    rows = [
        [f"  {pool}", f"{total.hours:,.1f}", currency.show(total.usd)]
        for pool, total in part.totals.items()
    ]
    return table(columns, rows)


def _stretch_body(stretch: Stretch) -> dict[str, object]:
    unmet = stretch.unmet
    return {
        "pool": stretch.pool,
        "start": stamp(stretch.start),
        "end": stamp(stretch.end),
        "rule": stretch.rule,
        "placements": [placement_body(p) for p in stretch.placements],
        "usd_per_hour": number(stretch.usd_per_hour),
        "unmet": {"gpus": unmet.gpus, "reasons": list(unmet.reasons)} if unmet else None,
    }


def _local(instant: datetime, zone: str) -> datetime:
    return instant.astimezone(ZoneInfo(zone))
