"""An engine ready for stacks, against the sandbox or live; opened once per run."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.engine.choose import choose_engine
from multicloud.engine.commands import PLAN_FILE
from multicloud.engine.plan_all import EngineSetting, live_sources, open_terraform, plan_stacks
from multicloud.engine.process import SubprocessRunner
from multicloud.engine.workspace import Workspace
from multicloud.errors import EngineError
from multicloud.models.project import Target
from multicloud.models.run import Purpose
from multicloud.run.layout import Layout
from multicloud.run.provider_locks import keep_lock, read_locks
from multicloud.run.states import check_owner, keep_if_sound
from multicloud.run.user_settings import user_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from multicloud.engine.choose import Engine
    from multicloud.engine.stream import Outcome
    from multicloud.engine.terraform import Terraform
    from multicloud.models.change import StackKey, StackPlan
    from multicloud.models.pool import Policy
    from multicloud.render.stack import RenderedStack
    from multicloud.run.inputs import Inputs
    from multicloud.run.jobs import StackJob
    from multicloud.sandbox.server import SandboxServer


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """What an engine is opened with. `now` is the sandbox's clock."""

    layout: Layout
    target: Target
    environ: Mapping[str, str]
    engine: str | None
    now: Callable[[], datetime]
    policies: tuple[Policy, ...]

    @classmethod
    def of(
        cls, inputs: Inputs, engine: str | None, *, now: Callable[[], datetime] | None = None
    ) -> SessionRequest:
        """For a run on these inputs; without `now` the sandbox's clock stands at their instant."""
        return cls(
            layout=Layout(inputs.root),
            target=inputs.project.target,
            environ=inputs.environ,
            engine=engine,
            now=now or (lambda: inputs.now),
            policies=inputs.policies,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An open engine. Safe to share between threads: each works in its own stack's folder."""

    engine: Engine
    terraform: Terraform
    layout: Layout
    runner: SubprocessRunner
    setting: EngineSetting
    dropped: tuple[str, ...]

    def plan_all(
        self,
        stacks: Sequence[RenderedStack],
        *,
        parallelism: int,
        on_progress: Callable[[StackKey, str], None] | None,
        removed: frozenset[StackKey] = frozenset(),
        refresh_only: bool = False,
    ) -> tuple[StackPlan, ...]:
        """As `plan_stacks`, with this engine."""
        return plan_stacks(
            stacks,
            engine=self.engine,
            home=self.layout.home,
            setting=self.setting,
            parallelism=parallelism,
            on_progress=on_progress,
            runner=self.runner,
            removed=removed,
            refresh_only=refresh_only,
        )

    def plan(self, job: StackJob, *, on_step: Callable[[str], None] | None = None) -> StackPlan:
        """Plan a job afresh into its workspace.

        Raises:
            EngineError: the engine failed; GuardrailError: the workspace is blocked.
        """
        workspace = self._prepared(job)
        destroy = job.purpose is Purpose.REMOVE
        return self.terraform.plan(workspace, destroy=destroy, on_step=on_step)

    def apply(
        self,
        job: StackJob,
        plan_file: bytes,
        *,
        on_step: Callable[[str], None] | None = None,
        on_start: Callable[[int], None] | None = None,
    ) -> Outcome:
        """Apply exactly a saved plan; `on_start` gets the engine's process id.

        Raises:
            EngineError: the engine failed; GuardrailError: the workspace is blocked.
        """
        workspace = self._prepared(job)
        path = workspace.folder / PLAN_FILE
        path.touch(mode=0o600)
        path.write_bytes(plan_file)
        before = workspace.state.read_bytes() if workspace.state.is_file() else None
        outcome = self.terraform.apply(workspace, on_step=on_step, on_start=on_start)
        keep_if_sound(workspace.state, before)
        return outcome

    def plan_file(self, key: StackKey) -> bytes:
        """The saved plan that planning left in a stack's workspace."""
        try:
            return (Workspace(self.layout.home, key).folder / PLAN_FILE).read_bytes()
        except OSError as error:
            raise EngineError(f"{key}: the engine left no plan.") from error

    def keep_locks(self, stacks: Iterable[RenderedStack]) -> tuple[str, ...]:
        """After a live run: keep the provider locks of modules that have none yet."""
        if self.setting.sandbox:
            return ()
        root = self.layout.root
        told = [
            keep_lock(root, stack.lock, Workspace(self.layout.home, stack.key).lock_text())
            for stack in stacks
        ]
        return tuple(text for text in told if text is not None)

    def _prepared(self, job: StackJob) -> Workspace:
        workspace = Workspace(self.layout.home, job.stack.key)
        check_owner(workspace.state, job.stack.key)
        lock = self.setting.locks.get(job.stack.lock)
        workspace.prepare(job.stack.files, lock_text=lock)
        self.terraform.init(workspace)
        return workspace


@contextmanager
def open_session(request: SessionRequest) -> Iterator[Session]:
    """Choose and open an engine; the sandbox's providers are served while the block runs.

    Raises:
        EngineError: no engine can be started.
    """
    settings = user_settings(request.environ)
    runner = SubprocessRunner()
    engine = choose_engine(request.engine, request.environ, settings, runner=runner)
    is_sandbox = request.target is Target.SANDBOX
    locks = {} if is_sandbox else read_locks(request.layout.root)
    request.layout.prepare()
    with _sandbox(request) if is_sandbox else nullcontext() as server:
        setting = EngineSetting(
            environ=request.environ,
            sandbox=is_sandbox,
            reattach=server.reattach if server else None,
            sources=None if is_sandbox else live_sources(settings, request.environ),
            secrets=secrets_of(request.policies),
            locks=locks,
            readonly_lock=bool(locks and request.environ.get("CI")),
        )
        terraform, dropped = open_terraform(
            engine, home=request.layout.home, setting=setting, runner=runner
        )
        yield Session(
            engine=engine,
            terraform=terraform,
            layout=request.layout,
            runner=runner,
            setting=setting,
            dropped=dropped,
        )


def secrets_of(policies: tuple[Policy, ...]) -> tuple[str, ...]:
    """Values that came into policies by `${env:...}` and must never be shown."""
    return tuple(s for policy in policies for pool in policy.pools for s in pool.secrets)


def _sandbox(request: SessionRequest) -> AbstractContextManager[SandboxServer]:
    from multicloud.sandbox.server import SandboxServer

    return SandboxServer(request.layout.sandbox, now=request.now)
