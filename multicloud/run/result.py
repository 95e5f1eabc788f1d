"""What planning came to: data for every report, and the exit code it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import ExitCode, GuardrailError
from multicloud.models.decision import Action

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from decimal import Decimal

    from multicloud.decide.compare import Outside
    from multicloud.decide.schedule import Total
    from multicloud.models.change import StackPlan
    from multicloud.models.decision import Decision, Stretch
    from multicloud.models.pool import Policy
    from multicloud.models.project import Target

IDLE = (Action.NO_OP, Action.HOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """A pool's next 30 days at today's prices, beside the dearest simple alternative.

    `always_on_usd` is 720 h of the cheapest on-demand offer in the pool's own tiers, or None
    when there is none with a price.
    """

    pool: str
    total: Total
    always_on_usd: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPlan:
    """One policy's share of a plan; decisions, outlooks and hints of the selected pools."""

    policy: Policy
    decisions: tuple[Decision, ...]
    stretches: tuple[Stretch, ...]
    outlooks: tuple[Outlook, ...]
    outside: tuple[Outside, ...]
    is_remembered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult:
    """A whole plan. `stacks` is empty with `--no-engine`; `run` is the run's id.

    `notes` are about the machine, not the policy: for stderr.
    """

    run: str
    at: datetime
    target: Target
    policies: tuple[PolicyPlan, ...]
    stacks: tuple[StackPlan, ...]
    engine: str
    price_source: str
    valid_until: datetime
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Decisions of all policies, in order."""
        return tuple(decision for plan in self.policies for decision in plan.decisions)

    @property
    def changes(self) -> bool:
        """Whether applying would change anything."""
        return any(d.action not in IDLE for d in self.decisions) or any(
            stack.has_changes for stack in self.stacks
        )

    def exit_code(self, *, detailed: bool = False) -> ExitCode:
        """DESIGN's table: blocked, then failed or partial, then changes if asked, else 0."""
        if any(decision.blocked_by for decision in self.decisions):
            return ExitCode.BLOCKED
        if any(stack.error_kind == GuardrailError.kind for stack in self.stacks):
            return ExitCode.BLOCKED
        failed = sum(stack.error is not None for stack in self.stacks)
        if failed:
            return ExitCode.FAILED if failed == len(self.stacks) else ExitCode.PARTIAL
        return ExitCode.CHANGES if detailed and self.changes else ExitCode.OK


def count(decisions: Sequence[Decision], *actions: Action) -> int:
    """How many decisions have one of `actions`."""
    return sum(decision.action in actions for decision in decisions)
