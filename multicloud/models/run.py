"""What runs leave behind: runs, their steps, the stacks they made and what those cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.models.change import StackKey
    from multicloud.models.decision import Action, Cause, Decision
    from multicloud.models.placement import Placement


class RunKind(StrEnum):
    """Which command a run was."""

    PLAN = "plan"
    APPLY = "apply"
    REBALANCE = "rebalance"
    DESTROY = "destroy"


class RunStatus(StrEnum):
    """How far a run came; one that was killed stays `running` until a later one looks."""

    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    FAILED = "failed"
    BLOCKED = "blocked"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One policy's share of a run; runs over several policies have one record for each.

    `digest` is over all inputs of the run. `exit_code` and `finished_at` are None while it
    runs, and for ever when it was killed.
    """

    id: str
    policy: str
    kind: RunKind
    digest: str
    at: datetime
    status: RunStatus = RunStatus.RUNNING
    exit_code: int | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """What a run decided for one pool; `body` is the decision as told in JSON output."""

    run: str
    policy: str
    pool: str
    at: datetime
    action: Action
    cause: Cause | None
    body: Mapping[str, object] = field(default_factory=dict)


class StackStatus(StrEnum):
    """What is known of a stack's resources.

    `empty` stacks stand at size 0, `unknown` ones were left by a failed or killed step, and a
    stack is `destroyed` only after a look confirmed it.
    """

    EMPTY = "empty"
    APPLYING = "applying"
    APPLIED = "applied"
    DESTROYING = "destroying"
    UNKNOWN = "unknown"
    DESTROYED = "destroyed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStack:
    """A stack as the last run that touched it left it.

    `placement` is what is wanted there. `text_digest` (of the rendered files), `lock_digest`
    (of the provider lock; "" without one), `engine` and `engine_version` are those of the last
    completed apply, which ended at `applied_at`; None and "" before the first. `image` is the
    machine image pinned at the first apply.
    """

    key: StackKey
    placement: Placement
    status: StackStatus
    text_digest: str = ""
    engine: str = ""
    engine_version: str = ""
    lock_digest: str = ""
    applied_at: datetime | None = None
    image: str | None = None


class StepKind(StrEnum):
    """What a run is about to do to one stack."""

    APPLY_UP = "apply_up"
    VERIFY_UP = "verify_up"
    DRAIN = "drain"
    APPLY_DOWN = "apply_down"
    VERIFY_DOWN = "verify_down"
    DESTROY = "destroy"
    ADOPT = "adopt"
    ROLL_BACK = "roll_back"


class StepOutcome(StrEnum):
    """How a step ended; `abandoned` ones were found open by a later run, which took over."""

    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalStep:
    """A step that was written down before it was done; open while `outcome` is None.

    `pid` and `pid_started` name the engine process that does it, None and "" before one is
    started. `pid_started` is opaque: equal text means the same process.
    """

    id: int
    run: str
    stack: StackKey
    kind: StepKind
    detail: Mapping[str, object]
    begun_at: datetime
    pid: int | None = None
    pid_started: str = ""
    ended_at: datetime | None = None
    outcome: StepOutcome | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """`nodes` nodes of a pool at one placement, paid from `start` until before `end`.

    `usd_per_node_hour` is the price paid, None when nobody knew it; `end` None: they run.
    """

    policy: str
    pool: str
    placement: Placement
    nodes: int
    usd_per_node_hour: Decimal | None
    start: datetime
    end: datetime | None = None


class Purpose(StrEnum):
    """What a decision means to a stack."""

    FILL = "fill"
    RESIZE = "resize"
    EMPTY = "empty"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedJob:
    """One stack of a saved run. `unchanged` ones are left as they stand, without an engine."""

    key: StackKey
    purpose: Purpose
    placement: Placement
    unchanged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPolicy:
    """One policy of a saved run. `base` is a digest of what it had when it was planned."""

    name: str
    file: str
    hash: str
    base: str
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """What a plan decided and on what, so that `apply RUN` can do just that.

    `prices` is the price file given, or "". `engine` is product and version, "" when none was
    asked.
    """

    id: str
    target: str
    at: datetime
    is_at_given: bool
    valid_until: datetime
    engine: str
    prices: str
    policies: tuple[SavedPolicy, ...]
    jobs: tuple[SavedJob, ...]
