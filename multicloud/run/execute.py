"""Carries out a saved run: pools side by side, each by its own steps; records what came of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from multicloud.errors import ExitCode, MulticloudError
from multicloud.models.run import (
    DecisionRecord,
    RunKind,
    RunRecord,
    RunStatus,
)
from multicloud.run.carry import PoolWork, carry
from multicloud.run.context import RunContext
from multicloud.run.jobs import Renderer, departed_pool
from multicloud.run.outcome import Ending, PoolOutcome, exit_code
from multicloud.run.precautions import check_engine, check_strangers
from multicloud.run.session import SessionRequest, open_session
from multicloud.store import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multicloud.models.change import StackKey
    from multicloud.models.memory import PoolMemory
    from multicloud.models.pool import Policy
    from multicloud.run.desk import Desk
    from multicloud.run.inputs import Inputs
    from multicloud.run.saved import LoadedRun

WAKE_S = 0.2  # how soon Ctrl-C is seen while all threads wait for their engines
STATUSES = {
    ExitCode.OK: RunStatus.DONE,
    ExitCode.FAILED: RunStatus.FAILED,
    ExitCode.BLOCKED: RunStatus.BLOCKED,
    ExitCode.PARTIAL: RunStatus.PARTIAL,
    ExitCode.INTERRUPTED: RunStatus.INTERRUPTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteRequest:
    """How to carry a run out."""

    kind: RunKind
    engine: str | None = None
    parallelism: int = 4
    allow_replace: frozenset[str] = frozenset()
    adopt: bool = False
    switch_engine: bool = False
    every_stack: bool = False
    on_progress: Callable[[StackKey, str], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """What a run came to; `notes` are for stderr."""

    run: str
    kind: RunKind
    inputs: Inputs
    outcomes: tuple[PoolOutcome, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> ExitCode:
        """DESIGN's table."""
        return exit_code(self.outcomes)


def execute(
    request: ExecuteRequest,
    loaded: LoadedRun,
    inputs: Inputs,
    desk: Desk,
) -> RunReport:
    """Do what the run planned; the caller holds the policies' locks.

    Raises:
        EngineError: no engine could be started; then nothing was changed.
    """
    policies = {policy.name: policy for policy in inputs.policies}
    for policy in loaded.saved.policies:
        desk.store.begin_run(
            RunRecord(
                id=loaded.saved.id,
                policy=policy.name,
                kind=request.kind,
                digest=loaded.digest,
                at=desk.clock.now(),
            )
        )
    works = [work for policy in policies.values() for work in _works(loaded, inputs, policy)]
    notes: tuple[str, ...] = ()
    if all(_is_idle(work) for work in works):
        outcomes = tuple(_untouched(work) for work in works)
    else:
        try:
            outcomes, notes = _carried(request, loaded, inputs, works, desk)
        except MulticloudError as error:
            _give_up(error.exit_code, loaded, desk)
            raise
    report = RunReport(
        run=loaded.saved.id,
        kind=request.kind,
        inputs=inputs,
        outcomes=outcomes,
        notes=(*desk.notes, *notes),
    )
    _remember(report, inputs, desk)
    _pay_on(report, inputs, desk)
    return report


def _give_up(code: ExitCode, loaded: LoadedRun, desk: Desk) -> None:
    """Record that the run came to nothing."""
    status = STATUSES.get(code, RunStatus.FAILED)
    for policy in loaded.saved.policies:
        desk.store.finish_run(
            loaded.saved.id,
            policy.name,
            status=status,
            exit_code=int(code),
            at=desk.clock.now(),
        )


def _works(loaded: LoadedRun, inputs: Inputs, policy: Policy) -> list[PoolWork]:
    saved = next((p for p in loaded.saved.policies if p.name == policy.name), None)
    if saved is None:
        return []
    recorded = inputs.recalled[policy.name].observed.stacks
    renderer = Renderer(policy, inputs.project, recorded)
    pools = {pool.name: pool for pool in policy.pools}
    works = []
    for decision in saved.decisions:
        jobs = tuple(
            job
            for job in loaded.jobs
            if (job.stack.key.policy, job.stack.key.owner) == (policy.name, decision.pool)
        )
        works.append(
            PoolWork(
                decision=decision,
                policy=policy,
                pool=pools.get(decision.pool) or departed_pool(decision.pool),
                jobs=jobs,
                unchanged=loaded.unchanged,
                plan_files=loaded.plan_files,
                renderer=renderer,
            )
        )
    return works


def _is_idle(work: PoolWork) -> bool:
    return bool(work.decision.blocked_by) or all(
        job.stack.key in work.unchanged for job in work.jobs
    )


def _untouched(work: PoolWork) -> PoolOutcome:
    decision = work.decision
    if decision.blocked_by:
        text = f"by {decision.blocked_by}"
        return PoolOutcome(
            decision=decision, ending=Ending.BLOCKED, after=decision.before, text=text
        )
    ending = Ending.UNMET if decision.unmet else Ending.NOTHING
    return PoolOutcome(decision=decision, ending=ending, after=decision.after)


def _carried(
    request: ExecuteRequest,
    loaded: LoadedRun,
    inputs: Inputs,
    works: Sequence[PoolWork],
    desk: Desk,
) -> tuple[tuple[PoolOutcome, ...], tuple[str, ...]]:
    check_strangers(works, inputs, desk, adopt=request.adopt)
    asked = SessionRequest.of(inputs, request.engine, now=desk.clock.now)
    with open_session(asked) as session:
        notes = check_engine(
            inputs.stacks,
            session.engine,
            inputs.project.target,
            switch=request.switch_engine,
        )
        run = RunContext(
            run=loaded.saved.id,
            store=desk.store,
            locks=desk.locks,
            session=session,
            inventories=desk.inventories,
            clock=desk.clock,
            on_progress=request.on_progress,
            allow_replace=request.allow_replace,
        )
        with ThreadPoolExecutor(max_workers=request.parallelism) as pool:
            futures = [pool.submit(carry, run, work) for work in works]
            waiting = set(futures)
            try:
                while waiting:
                    _, waiting = wait(waiting, timeout=WAKE_S)
            except KeyboardInterrupt:
                # Told once; every carrier ends at its step, the ones not begun find it so.
                session.runner.interrupt()
                wait(futures)
        return tuple(future.result() for future in futures), notes


def _remember(report: RunReport, inputs: Inputs, desk: Desk) -> None:
    store, now, code = desk.store, desk.clock.now(), report.exit_code
    for outcome in report.outcomes:
        decision = outcome.decision
        known = inputs.recalled[decision.policy].memory.pools.get(decision.pool)
        memory = memory_of(outcome, known)
        if memory is not None:
            store.save_pool_memory(decision.policy, decision.pool, memory)
    store.record_decisions(
        DecisionRecord(
            run=report.run,
            policy=outcome.decision.policy,
            pool=outcome.decision.pool,
            at=outcome.decision.at,
            action=outcome.decision.action,
            cause=outcome.decision.cause,
            body=codec.loads_object(codec.dumps(replace(outcome.decision, memory=None))),
        )
        for outcome in report.outcomes
        if outcome.ending is not Ending.NOTHING
    )
    for policy in {outcome.decision.policy for outcome in report.outcomes}:
        store.finish_run(report.run, policy, status=STATUSES[code], exit_code=int(code), at=now)


def _pay_on(report: RunReport, inputs: Inputs, desk: Desk) -> None:
    """Record what runs, and at which price, where this run changed nothing.

    Spot prices move, nodes are lost, and somebody else may decide how many there are. Of stacks
    that this run touched, the run itself said so; a price that is unknown now stays as it was.
    """
    now = desk.clock.now()
    priced = {
        (outcome.decision.policy, outcome.decision.pool, placement.slot): placement.price
        for outcome in report.outcomes
        for placement in outcome.decision.before
    }
    for policy, recalled in inputs.recalled.items():
        observed = recalled.observed
        read = {(r.cloud, r.region) for r in observed.readings if not r.error}
        untouched = set(desk.store.stacks(policy)) & set(observed.stacks)
        for stack in observed.stacks:
            placement, key = stack.placement, stack.key
            slot = placement.slot
            is_read = (slot.cloud, slot.region) in read
            if not placement.nodes or stack not in untouched or not is_read:
                continue
            price = priced.get((policy, key.owner, slot), placement.price)
            usd = placement.price.usd if price.usd is None else price.usd
            desk.store.open_usage(
                policy,
                key.owner,
                placement,
                nodes=observed.actual.of(key.owner).alive(placement),
                usd_per_node_hour=usd,
                at=now,
            )


def memory_of(outcome: PoolOutcome, known: PoolMemory | None) -> PoolMemory | None:
    """What to remember of a pool: the decision as planned, as it fell back, or only what was seen.

    A pool that did not get there keeps its last decision and the starts of its timers.
    """
    decision = outcome.decision
    memory = decision.memory
    if memory is None or outcome.after == decision.after:
        return memory
    if outcome.ending in (Ending.DONE, Ending.UNMET) and outcome.after != decision.before:
        last = replace(memory.last, after=outcome.after) if memory.last else None
        return replace(memory, last=last, fell_back_at=decision.at)
    if known is None:
        return replace(memory, last=None, changed_at=None, fell_back_at=None)
    return replace(
        memory,
        last=known.last,
        changed_at=known.changed_at,
        price_moves=known.price_moves,
        fell_back_at=known.fell_back_at,
    )
