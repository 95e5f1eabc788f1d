"""One stack with the engine: init, validate, plan, apply; results from JSON, failures as errors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.engine.commands import (
    CHANGES_EXIT_CODE,
    LOCK_TIMEOUT_S,
    apply_command,
    init_command,
    is_success,
    plan_command,
    validate_command,
)
from multicloud.engine.failure import failed
from multicloud.engine.redact import Redactor
from multicloud.engine.stream import Outcome, StreamReader
from multicloud.errors import EngineError, PlanFormatError
from multicloud.models.change import Diagnostic, StackPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from multicloud.engine.choose import Engine
    from multicloud.engine.process import Completed, Runner
    from multicloud.engine.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a command may take before it is told to stop; in seconds."""

    init_s: float = 600.0
    validate_s: float = 120.0
    plan_s: float = 900.0
    apply_s: float = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terraform:
    """The engine with everything it needs but the stack; safe to share between threads.

    `init_turn` gives the right to install providers: one at a time where they share a cache.
    """

    engine: Engine
    runner: Runner
    env: Mapping[str, str]
    init_turn: Callable[[], AbstractContextManager[None]]
    redact: Callable[[str], str] = Redactor()
    timeouts: Timeouts = Timeouts()
    readonly_lock: bool = False
    now: Callable[[], datetime] = clock.utcnow

    def init(self, workspace: Workspace) -> None:
        """Install providers and set up the backend.

        Raises: EngineFailedError with what the engine said.
        """
        argv = init_command(self.engine.argv, readonly_lock=self.readonly_lock)
        with self.init_turn():
            done = self._run(argv, workspace, self.timeouts.init_s)
        self._check("init", argv, done)

    def validate(self, workspace: Workspace) -> tuple[Diagnostic, ...]:
        """What the engine finds wrong or doubtful in the root, without reading any state.

        Raises: EngineFailedError when it could not even look; PlanFormatError when its answer
        cannot be read.
        """
        argv = validate_command(self.engine.argv)
        lines: list[str] = []
        done = self._run(argv, workspace, self.timeouts.validate_s, on_line=lines.append)
        try:
            found = json.loads("\n".join(lines))["diagnostics"]
            return tuple(
                Diagnostic(
                    severity=str(item["severity"]),
                    summary=self.redact(str(item["summary"])),
                    detail=self.redact(str(item.get("detail", ""))),
                    address=str(item.get("address", "")),
                )
                for item in found
            )
        except (ValueError, KeyError, TypeError):
            self._check("validate", argv, done)
            raise PlanFormatError("the engine's findings are not of the form we know.") from None

    def plan(
        self,
        workspace: Workspace,
        *,
        destroy: bool = False,
        refresh_only: bool = False,
        lock_timeout_s: int = LOCK_TIMEOUT_S,
        on_step: Callable[[str], None] | None = None,
    ) -> StackPlan:
        """Plan into the workspace's `plan.bin`; `destroy` plans to remove everything.

        With `refresh_only` the plan changes nothing, and its `drift` is all that differs.

        Raises: EngineFailedError, StateLockedError or PlanFormatError.
        """
        argv = plan_command(
            self.engine.argv,
            lock_timeout_s=lock_timeout_s,
            destroy=destroy,
            refresh_only=refresh_only,
        )
        outcome, exit_code = self._stream("plan", argv, workspace, self.timeouts.plan_s, on_step)
        if not outcome.is_summed and not refresh_only:
            raise PlanFormatError("the engine planned but told no counts.")
        if exit_code != CHANGES_EXIT_CODE and outcome.add + outcome.change + outcome.destroy:
            raise PlanFormatError("the engine's counts and its exit code do not fit together.")
        return StackPlan(
            key=workspace.key,
            add=outcome.add,
            change=outcome.change,
            destroy=outcome.destroy,
            changes=outcome.changes,
            diagnostics=outcome.diagnostics,
            drift=outcome.drift,
            engine_version=self.engine.version,
        )

    def apply(
        self,
        workspace: Workspace,
        *,
        on_step: Callable[[str], None] | None = None,
        on_start: Callable[[int], None] | None = None,
    ) -> Outcome:
        """Carry out the workspace's `plan.bin`, whatever it plans.

        `on_start` gets the engine's process id.

        Raises: EngineFailedError, StateLockedError or PlanFormatError; then the state holds
        what was done before the failure.
        """
        argv = apply_command(self.engine.argv)
        timeout_s = self.timeouts.apply_s
        outcome, _ = self._stream("apply", argv, workspace, timeout_s, on_step, on_start)
        return outcome

    def _stream(
        self,
        what: str,
        argv: Sequence[str],
        workspace: Workspace,
        timeout_s: float,
        on_step: Callable[[str], None] | None,
        on_start: Callable[[int], None] | None = None,
    ) -> tuple[Outcome, int]:
        reader = StreamReader(self.redact, on_step)
        done = self._run(argv, workspace, timeout_s, on_line=reader.feed, on_start=on_start)
        self._check(what, argv, done, reader.outcome)
        return reader.outcome, done.exit_code

    def _run(
        self,
        argv: Sequence[str],
        workspace: Workspace,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
        on_start: Callable[[int], None] | None = None,
    ) -> Completed:
        if not workspace.folder.is_dir():
            raise EngineError(f"{workspace.folder} is not there; prepare the workspace first.")
        return self.runner.run(
            argv,
            cwd=workspace.folder,
            env=self.env,
            timeout_s=timeout_s,
            on_line=on_line,
            on_start=on_start,
        )

    def _check(
        self, what: str, argv: Sequence[str], done: Completed, outcome: Outcome | None = None
    ) -> None:
        if not is_success(argv, done.exit_code) or (outcome is not None and outcome.errors):
            raise failed(what, done, redact=self.redact, now=self.now(), outcome=outcome)
