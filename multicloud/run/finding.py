"""How a check of the machine or an account ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """How a check ended; only `bad` keeps the tool from working."""

    OK = "ok"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check: what was looked at, how it is, and what to do about it."""

    name: str
    health: Health
    text: str
    hint: str = ""
