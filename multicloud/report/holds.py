"""What `hold` and `release` say."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from multicloud.report.placements import placements_text
from multicloud.report.plan_json import decision_body
from multicloud.report.scalars import SCHEMA_VERSION, stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.models.decision import Decision
    from multicloud.run.holds import Held

WORDS = {"hold": "is held where it is", "on": "is held on", "off": "is held off"}


def holds_text(held: Sequence[Held], *, policies: Sequence[str], at: str | None) -> str:
    """A line per pool with what the next run does about it, then that run's command."""
    if not held:
        return ""
    options = [word for file in policies for word in ("-p", file)]
    options += ["--at", at] if at else []
    command = shlex.join(["multicloud", "rebalance", *options])
    return "\n".join([*map(_line, held), f"Next: {command}"])


def holds_document(held: Sequence[Held]) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "overrides": [
            {
                "policy": one.policy,
                "pool": one.pool,
                "override": one.override.kind.value if one.override else None,
                "until": stamp(one.override.until) if one.override else None,
                "next": decision_body(one.next) if one.next else None,
            }
            for one in held
        ],
        "exit_code": 0,
    }


def _line(one: Held) -> str:
    override = one.override
    if override is None:
        text = f"{one.policy}/{one.pool} follows its rules again"
    else:
        end = f" until {override.until:%Y-%m-%d %H:%M}Z" if override.until else ""
        text = f"{one.policy}/{one.pool} {WORDS[override.kind]}{end}"
    return f"{text}; the next run {_next(one.next)}" if one.next else text


def _next(decision: Decision) -> str:
    """What a run would do, as the end of a sentence."""
    has = placements_text(decision.before, decision.seen) or "nothing"
    if decision.before == decision.after:
        return f"leaves it as it is, with {has}"
    if decision.blocked_by:
        return f"is blocked by {decision.blocked_by}"
    return f"makes it {placements_text(decision.after) or 'off'} (now: {has})"
