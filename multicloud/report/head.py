"""How reports begin: whether a cloud is touched, and for which instant they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.project import Target
from multicloud.report.when import moment

if TYPE_CHECKING:
    from datetime import datetime

SANDBOX_BANNER = "SANDBOX: no cloud is touched."


def banner(target: Target) -> list[str]:
    """The sandbox's line; nothing for live."""
    return [SANDBOX_BANNER] if target is Target.SANDBOX else []


def head(target: Target, at: datetime, zone: str) -> str:
    """One line of the banner and the instant."""
    return "  ".join([*banner(target), moment(at, zone)])
