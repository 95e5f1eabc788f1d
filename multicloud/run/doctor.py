"""What this machine and project have, and what keeps them from working."""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.engine.choose import choose_engine
from multicloud.engine.process import SubprocessRunner
from multicloud.engine.providers import is_within
from multicloud.errors import InvalidInputsError, MulticloudError
from multicloud.models.project import Project
from multicloud.policy.zones import load_zone
from multicloud.render.contract import REQUIRED_VERSION
from multicloud.run.credentials import check_credentials
from multicloud.run.finding import Finding, Health
from multicloud.run.inputs import load_policies, load_project
from multicloud.run.layout import Layout
from multicloud.run.providers import check_providers
from multicloud.run.user_settings import user_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from multicloud.run.inputs import Question


def examine(question: Question, engine: str | None = None) -> tuple[Finding, ...]:
    """Run every check; a check that fails never stops the next."""
    root, project, findings = _project(question)
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _python,
        _zones,
        lambda: _engine(question, project, engine),
        lambda: _policies(question, root, project),
        lambda: _folder(Layout(root)),
        lambda: check_credentials(project, question.environ, clock.utcnow()),
    )
    return (*findings, *(finding for check in checks for finding in check()))


def _project(question: Question) -> tuple[Path, Project, tuple[Finding, ...]]:
    try:
        root, project = load_project(question.folder)
    except MulticloudError as error:
        bad = Finding(name="project", health=Health.BAD, text=_told(error))
        return question.folder, Project(), (bad,)
    text = f"{project.file or 'no project file'}, target {project.target}"
    return root, project, (Finding(name="project", health=Health.OK, text=text),)


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding(name="python", health=Health.OK, text=version)


def _zones() -> Iterator[Finding]:
    try:
        load_zone("Asia/Shanghai")
    except MulticloudError as error:
        yield Finding(name="time zones", health=Health.BAD, text=error.summary, hint=error.hint)
        return
    yield Finding(name="time zones", health=Health.OK, text="IANA data found")


def _engine(question: Question, project: Project, engine: str | None) -> Iterator[Finding]:
    try:
        settings = user_settings(question.environ)
        found = choose_engine(engine, question.environ, settings, runner=SubprocessRunner())
    except MulticloudError as error:
        yield Finding(name="engine", health=Health.BAD, text=error.summary, hint=error.hint)
        return
    if is_within(found.version, REQUIRED_VERSION):
        yield Finding(name="engine", health=Health.OK, text=str(found))
    else:
        yield Finding(
            name="engine",
            health=Health.BAD,
            text=f"{found}; the modules need {REQUIRED_VERSION}",
            hint="Install a newer one, or name one with --engine.",
        )
    yield from check_providers(project, settings, question.environ)


def _policies(question: Question, root: Path, project: Project) -> Iterator[Finding]:
    try:
        policies = load_policies(question, root, project)
    except MulticloudError as error:
        yield Finding(name="policies", health=Health.BAD, text=_told(error), hint=error.hint)
        return
    for policy in policies:
        text = f"{policy.file}: {len(policy.pools)} pools valid"
        yield Finding(name="policy", health=Health.OK, text=text)


def _folder(layout: Layout) -> Iterator[Finding]:
    if not layout.home.exists():
        yield Finding(name="folder", health=Health.NOTE, text=f"{layout.home} is made when needed")
        return
    mode = stat.S_IMODE(layout.home.stat().st_mode)
    if mode & 0o077:
        yield Finding(
            name="folder",
            health=Health.BAD,
            text=f"{layout.home} can be read by others (mode {mode:o})",
            hint=f"Run: chmod 700 {layout.home}",
        )
        return
    yield Finding(name="folder", health=Health.OK, text=f"{layout.home} is private")


def _told(error: MulticloudError) -> str:
    if isinstance(error, InvalidInputsError):
        return f"{error.summary}, the first: {error.errors[0]}"
    return str(error)
