"""What carrying out a run came to, pool by pool, and the exit code it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.errors import ExitCode

if TYPE_CHECKING:
    from multicloud.models.decision import Decision
    from multicloud.models.placement import Placement


class FailureClass(StrEnum):
    """What kind of trouble a candidate met; only shortages lead on to the next one."""

    CAPACITY = "capacity"
    QUOTA = "quota"
    AUTH = "auth"
    CONFIG = "config"
    THROTTLE = "throttle"
    GUARD = "guard"
    OTHER = "other"

    @property
    def is_shortage(self) -> bool:
        """Whether another place may well do."""
        return self in (FailureClass.CAPACITY, FailureClass.QUOTA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One candidate tried: where, and why it failed (None: it did not)."""

    placement: Placement
    failure: FailureClass | None = None
    text: str = ""


class Ending(StrEnum):
    """How far a pool came."""

    NOTHING = "nothing to do"
    DONE = "done"
    UNMET = "unmet"
    BLOCKED = "blocked"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOutcome:
    """What became of one pool's decision. `after` is what it now has; `text` says why not."""

    decision: Decision
    ending: Ending
    after: tuple[Placement, ...]
    attempts: tuple[Attempt, ...] = ()
    text: str = ""


def exit_code(outcomes: tuple[PoolOutcome, ...]) -> ExitCode:
    """DESIGN's table for apply, rebalance and destroy."""
    endings = [outcome.ending for outcome in outcomes]
    if Ending.INTERRUPTED in endings:
        return ExitCode.INTERRUPTED
    short = {Ending.UNMET, Ending.BLOCKED, Ending.FAILED}
    if not short & set(endings):
        return ExitCode.OK
    if all(ending is Ending.FAILED for ending in endings):
        return ExitCode.FAILED
    is_idle = all(ending in (Ending.BLOCKED, Ending.NOTHING) for ending in endings)
    return ExitCode.BLOCKED if is_idle else ExitCode.PARTIAL
