"""What `hold` and `release` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.report.plan_json import SCHEMA_VERSION
from multicloud.report.scalars import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.run.holds import Held

WORDS = {"hold": "is held where it is", "on": "is held on", "off": "is held off"}


def holds_text(held: Sequence[Held]) -> str:
    """One line per pool, and what happens next."""
    lines = [_line(one) for one in held]
    return "\n".join([*lines, "Next: multicloud rebalance"] if lines else lines)


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
            }
            for one in held
        ],
        "exit_code": 0,
    }


def _line(one: Held) -> str:
    override = one.override
    if override is None:
        return f"{one.policy}/{one.pool} follows its rules again"
    end = f" until {override.until:%Y-%m-%d %H:%M}Z" if override.until else ""
    return f"{one.policy}/{one.pool} {WORDS[override.kind]}{end}"
