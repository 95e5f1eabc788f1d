"""What the clock will do: every transition ahead, with place and cost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from multicloud.decide.schedule import schedule, totals
from multicloud.errors import InvalidInputError
from multicloud.run.inputs import load_inputs, running_pools
from multicloud.run.select import select_pools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.decide.schedule import Total
    from multicloud.models.decision import Stretch
    from multicloud.models.pool import Policy
    from multicloud.models.project import Target
    from multicloud.run.inputs import Question

MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])", re.ASCII)
DEFAULT_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyAgenda:
    """One policy's stretches in `[start, end)` and what they add up to, per pool."""

    policy: Policy
    start: datetime
    end: datetime
    stretches: tuple[Stretch, ...]
    totals: Mapping[str, Total]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """All policies' agendas. Prices and condition truths are as at the start."""

    target: Target
    policies: tuple[PolicyAgenda, ...]
    warnings: tuple[str, ...]


def make_agenda(question: Question, *, days: int | None, month: str | None) -> Agenda:
    """The agenda from the question's instant, or of a calendar month in each policy's zone."""
    inputs = load_inputs(question)
    selected = select_pools(inputs.policies, question.pools, running_pools(inputs))
    agendas = []
    for policy in inputs.policies:
        if month is None:
            start, end = inputs.now, inputs.now + timedelta(days=days or DEFAULT_DAYS)
        else:
            start, end = month_of(month, policy.timezone)
        recalled = inputs.recalled[policy.name]
        actual, memory = recalled.observed.actual, recalled.memory
        stretches = tuple(
            stretch
            for stretch in schedule(policy, start, end, inputs.snapshot, actual, memory)
            if stretch.pool in selected
        )
        agendas.append(
            PolicyAgenda(
                policy=policy,
                start=start,
                end=end,
                stretches=stretches,
                totals=totals(stretches),
            )
        )
    return Agenda(target=inputs.project.target, policies=tuple(agendas), warnings=inputs.warnings)


def month_of(text: str, zone: str) -> tuple[datetime, datetime]:
    """`YYYY-MM` in a zone, as the instants of its start and end.

    Raises: InvalidInputError.
    """
    match = MONTH.fullmatch(text)
    if match is None:
        raise InvalidInputError(
            f'--month "{text}" is no month', detail="Expected YYYY-MM.", hint="Like 2026-12."
        )
    year, number = int(match[1]), int(match[2])
    if not 1970 <= year < 9999:
        raise InvalidInputError(f'--month "{text}" is out of range')
    tz = ZoneInfo(zone) if zone else UTC
    after = (year + number // 12, number % 12 + 1)
    first = datetime(year, number, 1, tzinfo=tz)
    last = datetime(*after, 1, tzinfo=tz)
    return first.astimezone(UTC), last.astimezone(UTC)
