"""Pools as the store knows them, with or without a policy file that still asks for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.errors import GuardrailError
from multicloud.models.pool import Limits, Policy, shared_timezone
from multicloud.models.project import Project, Target
from multicloud.policy.instants import parse_at
from multicloud.run.inputs import load_policies, load_project
from multicloud.run.renames import renamed_stacks, renames_of
from multicloud.run.select import select_pools
from multicloud.run.stored import open_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from multicloud.models.run import RecordedStack
    from multicloud.run.inputs import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """A project's policies, those in files and those that only the store knows.

    `written` are names of policies that come from files. `stacks` are the recorded stacks of
    the selected pools.
    """

    root: Path
    project: Project
    now: datetime
    policies: tuple[Policy, ...]
    written: frozenset[str]
    stacks: tuple[RecordedStack, ...]
    pools: frozenset[str]


def load_records(question: Question) -> Records:
    """The same as `read_records`, for verbs that write.

    Raises:
        InvalidInputError: a policy is invalid, or a selector matches no pool.
        GuardrailError: an instant is given for live records.
    """
    records = read_records(question)
    if question.at is not None and records.project.target is Target.LIVE:
        raise GuardrailError(
            "--at is for the sandbox and for looking ahead: live records get the time as it is.",
            hint="Leave --at out.",
        )
    return records


def read_records(question: Question) -> Records:
    """Read policies and the store; no file is made.

    Without `--policy` and without any policy file the store alone says what there is.

    Raises:
        InvalidInputError: a policy is invalid, or a selector matches no pool.
    """
    root, project = load_project(question.folder)
    if question.target:
        project = replace(project, target=Target(question.target))
    policies = _policies(question, root, project)
    recorded = _recorded(policies, project, root)
    known = {policy.name for policy in policies}
    departed = sorted({stack.key.policy for stack in recorded} - known)
    if question.policies:
        recorded = tuple(stack for stack in recorded if stack.key.policy in known)
        departed = []
    everything = (*policies, *(departed_policy(name) for name in departed))
    running = sorted({stack.key.owner for stack in recorded})
    pools = select_pools(everything, question.pools, running)
    return Records(
        root=root,
        project=project,
        now=_instant(question, policies),
        policies=everything,
        written=frozenset(known),
        stacks=tuple(stack for stack in recorded if stack.key.owner in pools),
        pools=pools,
    )


def departed_policy(name: str) -> Policy:
    """A policy of which only records are left: enough to take down what it has."""
    return Policy(
        name=name,
        file="",
        hash="",
        text="",
        timezone="",
        calendar=None,
        currency="USD",
        fx={},
        discounts=(),
        commitments=(),
        limits=Limits(),
        redact=(),
        pools=(),
    )


def _policies(question: Question, root: Path, project: Project) -> tuple[Policy, ...]:
    has_files = any(root.glob("policies/*.y*ml")) or project.policies
    if not question.policies and not has_files:
        return ()
    return load_policies(question, root, project)


def _recorded(
    policies: Sequence[Policy], project: Project, root: Path
) -> tuple[RecordedStack, ...]:
    with open_to_read(project, root) as store:
        if store is None:
            return ()
        renames = {policy.name: renames_of(policy) for policy in policies}
        return tuple(
            stack
            for name in store.policies()
            for stack in renamed_stacks(store.stacks(name), renames.get(name, {}))
        )


def _instant(question: Question, policies: tuple[Policy, ...]) -> datetime:
    if question.at is None:
        return clock.utcnow()
    return parse_at(question.at, shared_timezone(policies))
