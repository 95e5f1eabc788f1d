"""Everything a run starts from: project, policies, prices and the instant."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.snapshot import Snapshot, bundled_snapshot
from multicloud.decide.availability import looking_back
from multicloud.errors import InvalidInputError, InvalidInputsError
from multicloud.models.project import Project, Target
from multicloud.policy.compile import Source, compile_policies
from multicloud.policy.instants import parse_at
from multicloud.policy.lint import calendar_doubts
from multicloud.policy.project import compile_project
from multicloud.run.files import find_project_file, policy_files, read_beside, read_text
from multicloud.run.prices import read_price_file, stored_snapshot
from multicloud.run.reachable import check_reachable
from multicloud.run.recall import Recalled, recall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from multicloud.errors import MulticloudError
    from multicloud.models.pool import Policy
    from multicloud.models.run import RecordedStack


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user typed that decides about inputs; paths as given."""

    policies: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    at: str | None = None
    prices: str | None = None
    target: str | None = None
    folder: Path = field(default_factory=Path.cwd)
    environ: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Compiled inputs. `root` is the folder of the project file, else the current one.

    `warnings` are sentences about the inputs themselves. `is_at_given` tells a run made for
    another instant than the present one.
    """

    root: Path
    project: Project
    policies: tuple[Policy, ...]
    snapshot: Snapshot
    now: datetime
    is_at_given: bool
    recalled: Mapping[str, Recalled]
    environ: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    @property
    def stacks(self) -> tuple[RecordedStack, ...]:
        """Every recorded stack of the policies."""
        return tuple(s for recalled in self.recalled.values() for s in recalled.observed.stacks)


def running_pools(inputs: Inputs) -> tuple[str, ...]:
    """Pools that have recorded stacks, whether or not a policy still asks for them."""
    return tuple(sorted({stack.key.owner for stack in inputs.stacks}))


def load_inputs(question: Question, *, with_memory: bool = True) -> Inputs:
    """Read and compile everything; raises InvalidInputsError with all faults of all files.

    Without memory `recalled` is empty: for runs that read it under their lock.
    """
    root, project = load_project(question.folder)
    if question.target:
        project = replace(project, target=Target(question.target))
    policies = load_policies(question, root, project)
    now = _instant(question.at, policies)
    snapshot, warnings = load_snapshot(
        question.prices, project, root=root, now=now, policies=policies
    )
    doubts = [doubt for policy in policies for doubt in calendar_doubts(policy, now)]
    return Inputs(
        root=root,
        project=project,
        policies=policies,
        snapshot=snapshot,
        now=now,
        is_at_given=question.at is not None,
        recalled=(recall(policies, project, root, now=now) if with_memory else {}),
        environ=question.environ,
        warnings=(*warnings, *doubts),
    )


def load_project(folder: Path) -> tuple[Path, Project]:
    """The project's folder and file; without a file the current folder and the sandbox."""
    path = find_project_file(folder)
    if path is None:
        return folder, Project()
    text = read_text(path, what="project file")
    return path.parent, compile_project(Source(file=_shown(path, folder), text=text))


def load_policies(question: Question, root: Path, project: Project) -> tuple[Policy, ...]:
    """Compile the policies asked for, in the order given (or of their file names)."""
    paths = (
        tuple(question.folder / Path(given) for given in question.policies)
        if question.policies
        else policy_files(root, project.policies)
    )
    sources: list[Source] = []
    faults: list[MulticloudError] = []
    for path in _distinct(paths):
        shown = _shown(path, question.folder)
        try:
            sources.append(Source(file=shown, text=read_text(path, what="policy", shown=shown)))
        except InvalidInputError as fault:
            faults.append(fault)
    policies: tuple[Policy, ...] = ()
    try:
        policies = compile_policies(
            sources,
            project=project,
            read_file=partial(read_beside, root=root),
            environ=question.environ,
        )
        check_reachable(policies)
    except InvalidInputsError as found:
        faults.extend(found.errors)
    if faults:
        raise InvalidInputsError(faults)
    return policies


def load_snapshot(
    prices: str | None,
    project: Project,
    *,
    root: Path,
    now: datetime,
    policies: Iterable[Policy] = (),
) -> tuple[Snapshot, tuple[str, ...]]:
    """The bundled catalogue under what the store knows by `now`; with warnings.

    `--prices FILE` stands instead of both, so that a run can be repeated. Looks at stock go as
    far back as the policies' conditions ask.
    """
    sites = {cloud: project.site(cloud) for cloud in CLOUDS}
    if prices is not None:
        snapshot, warnings = read_price_file(Path(prices))
        return snapshot.for_sites(sites), warnings
    stored = stored_snapshot(project, root, now=now, looking_back=looking_back(policies))
    layers = bundled_snapshot() if stored is None else bundled_snapshot().merged(stored)
    return layers.for_sites(sites), ()


def _instant(text: str | None, policies: Sequence[Policy]) -> datetime:
    if text is None:
        return clock.utcnow()
    zones = {policy.timezone for policy in policies}
    if len(zones) == 1:
        return parse_at(text, zones.pop() or None)
    try:
        return parse_at(text, None)
    except InvalidInputError as error:
        raise InvalidInputError(
            f'--at "{text}" needs an offset: the policies are in several time zones '
            f"({', '.join(sorted(zone or 'none' for zone in zones))})",
            hint="Write it like 2026-12-01T10:12+08:00.",
        ) from error


def _distinct(paths: Sequence[Path]) -> list[Path]:
    # realpath, unlike resolve, lets a loop of links be; reading it then says what is wrong.
    return list({os.path.realpath(path): path for path in paths}.values())


def _shown(path: Path, folder: Path) -> str:
    try:
        return str(path.relative_to(folder))
    except ValueError:
        return str(path)
