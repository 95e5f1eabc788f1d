"""Instants for people."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from datetime import datetime


def moment(instant: datetime, zone: str) -> str:
    """`Tue 2026-12-01 10:12 Asia/Shanghai (02:12Z)`; without a zone in UTC alone."""
    if not zone:
        return f"{instant:%a %Y-%m-%d %H:%M}Z"
    local = instant.astimezone(ZoneInfo(zone))
    return f"{local:%a %Y-%m-%d %H:%M} {zone} ({instant:%H:%M}Z)"
