"""What decisions mean to stacks: which to fill, resize, empty or remove."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud.engine.modules import module_files
from multicloud.errors import InvalidInputError
from multicloud.models.need import Need
from multicloud.models.pool import Pool
from multicloud.models.run import Purpose
from multicloud.render.stack import render_stack
from multicloud.run.observe import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.models.decision import Decision
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.models.project import Project
    from multicloud.models.run import RecordedStack
    from multicloud.render.stack import RenderedStack


@dataclass(frozen=True, slots=True, kw_only=True)
class StackJob:
    """One stack, rendered, and what shall become of it."""

    stack: RenderedStack
    purpose: Purpose

    @property
    def is_up(self) -> bool:
        """Whether it brings nodes up or keeps them (phase 1); else it takes them down."""
        return self.purpose in (Purpose.FILL, Purpose.RESIZE)


class Renderer:
    """Renders placements of one policy for one project."""

    def __init__(
        self,
        policy: Policy,
        project: Project,
        recorded: Sequence[RecordedStack],
        *,
        local_state: str | None = None,
    ) -> None:
        self._policy = policy
        self._project = project
        self._local_state = local_state
        self._pools = {pool.name: pool for pool in policy.pools}
        renamed = [stack.key for stack in recorded if stack.key.renamed]
        self._made_as = {(key.owner, key.digest): key.pool for key in renamed}
        self._owners = {(key.pool, key.digest): key.owner for key in renamed}

    def job(
        self, placement: Placement, pool: str, purpose: Purpose, *, size: int | None = None
    ) -> StackJob:
        """A stack with its purpose; a pool that left the policy is rendered with defaults.

        With a `size` the group is brought to it, though somebody else is to decide it.

        Raises:
            InvalidInputError: a renamed pool has a stack there that bears this pool's name.
        """
        digest = placement.slot.digest
        owner = self._owners.get((pool, digest), pool)
        if owner != pool:
            raise InvalidInputError(
                f'a stack named {pool} stands there as the pool "{owner}", which was renamed.',
                hint=f"Give the new pool another name until {owner} has moved.",
            )
        stack = render_stack(
            placement,
            policy=self._policy,
            pool=self._pools.get(pool) or departed_pool(pool),
            project=self._project,
            target=str(self._project.target),
            modules=module_files(placement.slot.cloud, placement.slot.instance_type),
            made_as=self._made_as.get((pool, digest)),
            local_state=self._local_state,
            size=size,
        )
        return StackJob(stack=stack, purpose=purpose)


def jobs_of(
    decision: Decision, renderer: Renderer, recorded: Sequence[RecordedStack], *, is_gone: bool
) -> tuple[StackJob, ...]:
    """A decision's jobs: places after, in their order, then those that the pool leaves.

    Phase 1 first. Places left with nodes go by a move or, when the pool `is_gone` from the
    policy, for good; else the stack stays at size 0. Stacks that stand empty from an earlier
    `off` go as soon as the pool runs elsewhere, half-made ones at once.

    Where somebody else is to decide the size, a group that is filled is brought to its least
    first: not every cloud's group has bounds, and one that was empty stays so.
    """
    pool = decision.pool
    own = [stack for stack in recorded if stack.key.owner == pool]
    finished = {s.key.digest for s in own if s.status not in UNFINISHED}
    after = {placement.slot.digest for placement in decision.after}
    before = {placement.slot.digest for placement in decision.before}
    jobs = []
    for placement in decision.after:
        digest = placement.slot.digest
        is_there = digest in before and digest in finished
        purpose = Purpose.RESIZE if is_there else Purpose.FILL
        size = None
        if purpose is Purpose.FILL:
            size = first_size(placement, decision.seen.get(digest, 0))
        jobs.append(renderer.job(placement, pool, purpose, size=size))
    is_leaving = bool(after) or is_gone
    for placement in decision.before:
        if placement.slot.digest in after:
            continue
        purpose = Purpose.REMOVE if is_leaving else Purpose.EMPTY
        left = replace(placement, nodes=0) if purpose is Purpose.EMPTY else placement
        jobs.append(renderer.job(left, pool, purpose))
    jobs += [
        renderer.job(stack.placement, pool, Purpose.REMOVE)
        for stack in own
        if stack.key.digest not in after | before and (is_leaving or stack.status in UNFINISHED)
    ]
    return tuple(jobs)


def first_size(placement: Placement, alive: int) -> int | None:
    """The size to bring a group to before it is left to somebody else; None: leave it at once."""
    if placement.least is None or placement.is_right(alive):
        return None
    return placement.nearest(alive)


def departed_pool(name: str) -> Pool:
    """A pool that left its policy, with default settings: enough to take it down."""
    return Pool(name=name, need=Need(wishes=()), rules=(), otherwise=None)
