"""Giving rendered stacks to the engine: which one, against the sandbox or live."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from multicloud.engine.choose import choose_engine
from multicloud.engine.plan_all import EngineSetting, live_sources, plan_stacks
from multicloud.engine.process import SubprocessRunner
from multicloud.models.project import Target
from multicloud.run.user_settings import user_settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from multicloud.models.change import StackPlan
    from multicloud.render.stack import RenderedStack
    from multicloud.run.inputs import Inputs
    from multicloud.run.layout import Layout
    from multicloud.run.plan import PlanRequest
    from multicloud.sandbox.server import SandboxServer


def plan_rendered(
    stacks: Sequence[RenderedStack], request: PlanRequest, inputs: Inputs, layout: Layout
) -> tuple[tuple[StackPlan, ...], str]:
    """Plan the stacks; returns the results in their order and the engine's name and version.

    Raises:
        EngineError: no engine can be started.
    """
    environ = request.question.environ
    settings = user_settings(environ)
    runner = SubprocessRunner()
    engine = choose_engine(request.engine, environ, settings, runner=runner)
    is_sandbox = inputs.project.target is Target.SANDBOX
    layout.prepare()
    with _sandbox(layout, inputs) if is_sandbox else nullcontext() as server:
        setting = EngineSetting(
            environ=environ,
            sandbox=is_sandbox,
            reattach=server.reattach if server else None,
            sources=None if is_sandbox else live_sources(settings, environ),
            secrets=_secrets(inputs),
        )
        plans = plan_stacks(
            stacks,
            engine=engine,
            home=layout.home,
            setting=setting,
            parallelism=request.parallelism,
            on_progress=request.on_progress,
            runner=runner,
        )
    return plans, f"{engine.product} {engine.version}"


def _sandbox(layout: Layout, inputs: Inputs) -> AbstractContextManager[SandboxServer]:
    from multicloud.sandbox.server import SandboxServer

    return SandboxServer(layout.sandbox, now=lambda: inputs.now)


def _secrets(inputs: Inputs) -> tuple[str, ...]:
    return tuple(
        secret for policy in inputs.policies for pool in policy.pools for secret in pool.secrets
    )
