"""What this machine and project have, and what keeps them from working."""

from __future__ import annotations

import stat
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.engine.choose import choose_engine
from multicloud.engine.process import SubprocessRunner
from multicloud.errors import InvalidInputsError, MulticloudError
from multicloud.models.project import Project, Target
from multicloud.policy.zones import load_zone
from multicloud.run.inputs import load_policies, load_project
from multicloud.run.layout import Layout
from multicloud.run.user_settings import user_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from multicloud.run.inputs import Question


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


# Variables of which one must be set for a cloud's own SDK chain to find credentials without files.
CREDENTIALS: Mapping[str, tuple[str, ...]] = {
    "aws": ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"),
    "tencent": ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_PROFILE"),
}


def examine(question: Question, engine: str | None = None) -> tuple[Finding, ...]:
    """Run every check; a check that fails never stops the next."""
    root, project, findings = _project(question)
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _python,
        _zones,
        lambda: _engine(question, engine),
        lambda: _policies(question, root, project),
        lambda: _folder(Layout(root)),
        lambda: _credentials(question.environ, project),
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


def _engine(question: Question, engine: str | None) -> Iterator[Finding]:
    try:
        settings = user_settings(question.environ)
        found = choose_engine(engine, question.environ, settings, runner=SubprocessRunner())
    except MulticloudError as error:
        yield Finding(name="engine", health=Health.BAD, text=error.summary, hint=error.hint)
        return
    yield Finding(name="engine", health=Health.OK, text=str(found))
    for mirror in settings.mirrors:
        yield Finding(name="mirror", health=Health.OK, text=mirror)


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


def _credentials(environ: Mapping[str, str], project: Project) -> Iterator[Finding]:
    for cloud, names in CREDENTIALS.items():
        found = [name for name in names if environ.get(name)]
        if found:
            yield Finding(name=cloud, health=Health.OK, text=f"credentials by {found[0]}")
        elif project.target is Target.LIVE:
            yield Finding(
                name=cloud,
                health=Health.NOTE,
                text="no credential variable is set; the SDK's files may still have some",
                hint=f"Set {' or '.join(names)}.",
            )


def _told(error: MulticloudError) -> str:
    if isinstance(error, InvalidInputsError):
        return f"{error.summary}, the first: {error.errors[0]}"
    return str(error)
