"""Plans many stacks at once; no stack's failure stops another."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from multicloud.engine.cli_config import ProviderSources, cli_config, sandbox_sources
from multicloud.engine.environment import engine_environment
from multicloud.engine.process import SubprocessRunner
from multicloud.engine.redact import Redactor, secret_values
from multicloud.engine.terraform import Terraform
from multicloud.engine.turn import any_time, one_at_a_time
from multicloud.engine.workspace import Workspace, make_folder, write_file
from multicloud.errors import EngineError, InterruptedRunError, MulticloudError
from multicloud.models.change import StackKey, StackPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from multicloud.engine.choose import Engine
    from multicloud.engine.process import Runner
    from multicloud.models.project import EngineSettings
    from multicloud.render.stack import RenderedStack

_WAKE_S = 0.2  # how soon Ctrl-C is seen while all threads wait for their engines


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSetting:
    """What an engine runs in.

    `environ` is the process's environment; an allow-list of it is passed on. In the sandbox
    `reattach` names the stand-in providers, and `sources` matter only when plug-in files are
    used in their place. `secrets` are values never to be shown, beside the environment's own.
    `locks` are the committed provider locks by name; with `readonly_lock` (in CI) the engine
    may not add to them.
    """

    environ: Mapping[str, str]
    sandbox: bool = True
    reattach: str | None = None
    sources: ProviderSources | None = None
    secrets: tuple[str, ...] = ()
    locks: Mapping[str, str] = field(default_factory=dict)
    readonly_lock: bool = False


def live_sources(settings: EngineSettings, environ: Mapping[str, str]) -> ProviderSources:
    """Where a live run installs providers from: the user's mirrors, or the registry.

    The plug-in cache is the user's, or `multicloud/plugins` in the user's cache folder.
    """
    home = environ.get("HOME") or str(Path.home())
    caches = environ.get("XDG_CACHE_HOME") or f"{home}/.cache"
    return ProviderSources(
        mirrors=settings.mirrors,
        plugin_cache=settings.plugin_cache or f"{caches}/multicloud/plugins",
    )


def open_terraform(
    engine: Engine, *, home: Path, setting: EngineSetting, runner: Runner
) -> tuple[Terraform, tuple[str, ...]]:
    """Make an engine ready for stacks: its CLI configuration below `home`, its environment.

    `home` is the project's own folder (`.multicloud`). Also gives the names of Terraform's own
    variables that were dropped, to be told once.
    Raises: EngineError or InvalidInputError when the configuration cannot be written.
    """
    folder = home / "engine" / ("sandbox" if setting.sandbox else "live")
    nothing = folder / "nothing"
    sources = setting.sources
    if sources is None:
        sources = sandbox_sources(str(nothing)) if setting.sandbox else ProviderSources()
    config = folder / "cli.tfrc"
    try:
        make_folder(home, nothing)
        write_file(config, cli_config(sources))
        if sources.plugin_cache is not None:
            Path(sources.plugin_cache).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EngineError(f"cannot write below {folder}: {error.strerror or error}.") from error
    environment = engine_environment(
        setting.environ,
        cli_config=config,
        reattach=setting.reattach,
        sandbox=setting.sandbox,
    )
    cache = sources.plugin_cache
    terraform = Terraform(
        engine=engine,
        runner=runner,
        env=environment.env,
        init_turn=any_time() if cache is None else one_at_a_time(Path(cache)),
        redact=Redactor((*secret_values(setting.environ), *setting.secrets)),
        readonly_lock=setting.readonly_lock,
    )
    return terraform, environment.dropped


def plan_stacks(
    stacks: Sequence[RenderedStack],
    *,
    engine: Engine,
    home: Path,
    setting: EngineSetting,
    parallelism: int = 4,
    on_progress: Callable[[StackKey, str], None] | None = None,
    runner: Runner | None = None,
    removed: frozenset[StackKey] = frozenset(),
    refresh_only: bool = False,
) -> tuple[StackPlan, ...]:
    """Plan every stack, at most `parallelism` at once; results are in the order of `stacks`.

    Stacks in `removed` are planned to be destroyed; with `refresh_only` all are only compared
    with what is there. A stack that fails has its reason in
    `error`; the others go on. `on_progress` is called from several threads with a stack's key
    and what is being done for it.
    Raises: InterruptedRunError after Ctrl-C, when every running engine was told once and has
    ended; EngineError when nothing can be run at all.
    """
    runner = runner or SubprocessRunner()
    terraform, _ = open_terraform(engine, home=home, setting=setting, runner=runner)

    def plan_one(stack: RenderedStack) -> StackPlan:
        how = partial(terraform.plan, destroy=stack.key in removed, refresh_only=refresh_only)
        return _plan(stack, terraform, home, setting, on_progress, how)

    pool = ThreadPoolExecutor(max_workers=max(parallelism, 1), thread_name_prefix="stack")
    try:
        futures = [pool.submit(plan_one, stack) for stack in stacks]
        _wait(futures)
    except KeyboardInterrupt:
        runner.interrupt()
        raise InterruptedRunError("interrupted; the engines were told and have ended.") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return tuple(future.result() for future in futures)


def _wait(futures: Sequence[Future[StackPlan]]) -> None:
    waiting = set(futures)
    while waiting:
        _, waiting = wait(waiting, timeout=_WAKE_S)


def _plan(
    stack: RenderedStack,
    terraform: Terraform,
    home: Path,
    setting: EngineSetting,
    on_progress: Callable[[StackKey, str], None] | None,
    plan: Callable[..., StackPlan],
) -> StackPlan:
    key = stack.key

    def tell(text: str) -> None:
        if on_progress is not None:
            on_progress(key, text)

    try:
        workspace = Workspace(home, key)
        workspace.prepare(stack.files, lock_text=setting.locks.get(stack.lock))
        tell("init")
        terraform.init(workspace)
        tell("plan")
        result = plan(workspace, on_step=tell)
    except InterruptedRunError:
        raise
    except MulticloudError as error:
        tell("failed")
        text = " ".join(part for part in (error.summary, error.detail) if part)
        return StackPlan(key=key, error=text, error_kind=error.kind, hint=error.hint)
    except Exception as error:  # noqa: BLE001 - a fault of ours in one stack must not stop others
        tell("failed")
        return StackPlan(
            key=key,
            error=terraform.redact(f"unexpected {type(error).__name__}: {error}"),
            error_kind="unexpected",
            hint="This is a fault of multicloud; please report it.",
        )
    tell("done")
    return result
