"""What `doctor` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.report.scalars import SCHEMA_VERSION
from multicloud.report.text import paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.run.finding import Finding


def findings_text(findings: Sequence[Finding]) -> str:
    """One line per check: health, what, how it is, what to do."""
    return "\n".join(
        paragraph(
            f"{finding.health.upper():5}{finding.name}",
            " ".join(part for part in (finding.text, finding.hint) if part),
            indent=18,
        )
        for finding in findings
    )


def findings_document(findings: Sequence[Finding], *, exit_code: int) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "checks": [
            {
                "name": finding.name,
                "health": finding.health.value,
                "text": finding.text,
                "hint": finding.hint,
            }
            for finding in findings
        ],
        "exit_code": exit_code,
    }
