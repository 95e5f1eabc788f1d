"""What `validate` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.report.scalars import SCHEMA_VERSION

if TYPE_CHECKING:
    from multicloud.run.check import Checked


def checks_text(checked: Checked) -> str:
    """One line per warning, then one that sums up."""
    lines = [f"note: {note}" for note in checked.notes]
    lines += [
        f"{warning.where} warning: {warning.message} [{warning.code}]"
        for _, warning in checked.warnings
    ]
    pools = sum(len(policy.pools) for policy in checked.policies)
    files = len(checked.policies)
    count = len(checked.warnings)
    lines.append(
        f"{files} polic{'y' if files == 1 else 'ies'} with {pools} pool{'' if pools == 1 else 's'}"
        f" valid, {count} warning{'' if count == 1 else 's'}."
    )
    return "\n".join(lines)


def checks_document(checked: Checked, *, exit_code: int) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "policies": [
            {
                "name": policy.name,
                "hash": policy.hash,
                "file": policy.file,
                "pools": [pool.name for pool in policy.pools],
            }
            for policy in checked.policies
        ],
        "warnings": [
            {
                "policy": policy.name,
                "pool": warning.pool,
                "code": warning.code,
                "message": warning.message,
                "where": {
                    "file": warning.where.file,
                    "line": warning.where.line,
                    "column": warning.where.column,
                },
            }
            for policy, warning in checked.warnings
        ],
        "notes": list(checked.notes),
        "exit_code": exit_code,
    }
