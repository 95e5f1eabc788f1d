"""Plans as run folders, and back: everything that `apply RUN` does stands in the folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from multicloud.engine.commands import PLAN_FILE
from multicloud.errors import GuardrailError
from multicloud.models.memory import Actual
from multicloud.models.run import SavedJob, SavedPolicy, SavedRun
from multicloud.render.stack import RenderedStack
from multicloud.run.jobs import StackJob
from multicloud.run.record import read_run, write_run
from multicloud.store import codec
from multicloud.store.failures import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from multicloud.models.change import StackKey
    from multicloud.models.memory import PoolActual
    from multicloud.run.inputs import Inputs
    from multicloud.run.layout import Layout
    from multicloud.run.recall import Recalled
    from multicloud.run.result import PlanResult

SAVED = "saved.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRun:
    """A saved run with its stacks and the engine's saved plans, as they were written."""

    saved: SavedRun
    digest: str
    jobs: tuple[StackJob, ...]
    plan_files: Mapping[StackKey, bytes]

    @property
    def unchanged(self) -> frozenset[StackKey]:
        """Stacks to be left as they stand; a run read back has no files of theirs."""
        return frozenset(job.key for job in self.saved.jobs if job.unchanged)


def saved_run(
    result: PlanResult,
    inputs: Inputs,
    jobs: Sequence[StackJob],
    prices: str,
) -> SavedRun:
    """What a plan decided and on what; `prices` is the price file given, or ""."""
    unchanged = {stack.key for stack in result.stacks if stack.skipped}
    return SavedRun(
        id=result.run,
        target=str(result.target),
        at=result.at,
        is_at_given=inputs.is_at_given,
        valid_until=result.valid_until,
        engine=result.engine,
        prices=prices,
        policies=tuple(
            SavedPolicy(
                name=plan.policy.name,
                file=plan.policy.file,
                hash=plan.policy.hash,
                base=base_digest(inputs.recalled[plan.policy.name]),
                decisions=plan.decisions,
            )
            for plan in result.policies
        ),
        jobs=tuple(
            SavedJob(
                key=job.stack.key,
                purpose=job.purpose,
                placement=job.stack.placement,
                unchanged=job.stack.key in unchanged,
            )
            for job in jobs
        ),
    )


def save_plan(
    layout: Layout,
    saved: SavedRun,
    result: PlanResult,
    jobs: Sequence[StackJob],
    plan_files: Mapping[StackKey, bytes],
) -> str:
    """Write the run's folder; returns its digest.

    Raises:
        OSError: the folder cannot be written.
    """
    files = {SAVED: codec.dumps(saved).encode()}
    for plan in result.policies:
        files[f"policies/{plan.policy.name}.yaml"] = plan.policy.text.encode()
    unchanged = {job.key for job in saved.jobs if job.unchanged}
    for job in jobs:
        if job.stack.key in unchanged:
            continue
        folder = f"stacks/{job.stack.key}"
        for path, text in job.stack.files.items():
            files[f"{folder}/{path}"] = text.encode()
        if job.stack.key in plan_files:
            files[f"{folder}/{PLAN_FILE}"] = plan_files[job.stack.key]
    return write_run(layout, result.run, files)


def load_run(layout: Layout, run: str) -> LoadedRun:
    """Read a run back.

    Raises:
        InvalidInputError: there is no such run.
        GuardrailError: it was changed, or was written by a program of another version.
    """
    files, digest = read_run(layout, run)
    try:
        saved = codec.loads(SavedRun, files[SAVED].decode())
    except (KeyError, UnreadableError, UnicodeDecodeError) as error:
        raise GuardrailError(
            f"run {run} cannot be read by this version.", hint="Plan again: multicloud plan"
        ) from error
    jobs, plan_files = [], {}
    for job in saved.jobs:
        folder = f"stacks/{job.key}/"
        own = {
            PurePosixPath(path.removeprefix(folder)): contents
            for path, contents in files.items()
            if path.startswith(folder)
        }
        plan = own.pop(PurePosixPath(PLAN_FILE), None)
        if plan is not None:
            plan_files[job.key] = plan
        stack = RenderedStack(
            key=job.key,
            placement=job.placement,
            files={path: contents.decode() for path, contents in own.items()},
            plugins=(),
        )
        jobs.append(StackJob(stack=stack, purpose=job.purpose))
    return LoadedRun(saved=saved, digest=digest, jobs=tuple(jobs), plan_files=plan_files)


def base_digest(recalled: Recalled) -> str:
    """What a policy has and how it was left: when this differs, a plan no longer fits.

    How many nodes somebody else let run within the bounds is no difference.
    """
    observed = recalled.observed
    actual = Actual(
        pools={name: replace(p, running=_running(p)) for name, p in observed.actual.pools.items()}
    )
    whole = codec.dumps(actual) + "".join(codec.dumps(s) for s in observed.stacks)
    return hashlib.sha256(whole.encode()).hexdigest()


def _running(pool: PoolActual) -> Mapping[str, int]:
    seen = pool.sized_by_others
    right = {
        p.slot.digest: p.nodes
        for p in pool.placements
        if p.slot.digest in seen and p.is_right(seen[p.slot.digest])
    }
    return {**pool.running, **right}
