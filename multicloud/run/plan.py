"""Planning: inputs read, decided, rendered, given to the engine; nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.catalog.market import build_market
from multicloud.decide.book import Book
from multicloud.decide.compare import always_on, outside_rules
from multicloud.decide.decide import decide
from multicloud.decide.schedule import schedule, totals
from multicloud.models.decision import Action
from multicloud.run.engines import plan_jobs
from multicloud.run.inputs import Question, load_inputs, running_pools
from multicloud.run.jobs import Renderer, jobs_of
from multicloud.run.layout import Layout, new_run_id
from multicloud.run.result import Outlook, PlanResult, PolicyPlan
from multicloud.run.saved import LoadedRun, save_plan, saved_run
from multicloud.run.select import select_pools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from multicloud.models.change import StackKey
    from multicloud.models.pool import Policy, PriceTrust
    from multicloud.models.project import Project
    from multicloud.models.run import RecordedStack
    from multicloud.run.inputs import Inputs
    from multicloud.run.jobs import StackJob

HORIZON = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What `plan` was asked: inputs, and how to use the engine.

    Without the outlook nothing is computed that only a reader needs. With `every_stack` the
    engine is asked also where nothing of ours changed: somebody else may have done something.
    """

    question: Question
    use_engine: bool = True
    engine: str | None = None
    parallelism: int = 4
    allow_replace: frozenset[str] = frozenset()
    with_outlook: bool = True
    every_stack: bool = False
    on_progress: Callable[[StackKey, str], None] | None = None


def make_plan(request: PlanRequest) -> PlanResult:
    """Plan everything the question is about and save it as a run.

    Raises:
        InvalidInputError: the inputs are bad; nothing was written.
        EngineError: no engine could be started at all. A stack that fails is in the result.
    """
    return plan_inputs(request, load_inputs(request.question))[0]


def plan_inputs(request: PlanRequest, inputs: Inputs) -> tuple[PlanResult, LoadedRun]:
    """The same from inputs that were loaded already, with the run as `apply` would read it."""
    question = request.question
    selected = select_pools(inputs.policies, question.pools, running_pools(inputs))
    plan_one = plan_policy if request.with_outlook else decide_policy
    plans = tuple(plan_one(policy, inputs, selected) for policy in inputs.policies)
    plans = tuple(plan for plan in plans if plan.decisions)
    jobs = tuple(
        job
        for plan in plans
        for job in render_plan(plan, inputs.project, _recorded(inputs, plan.policy))
    )
    planned = plan_jobs(jobs, request, inputs)
    result = PlanResult(
        run=new_run_id(inputs.now),
        at=inputs.now,
        target=inputs.project.target,
        policies=plans,
        stacks=planned.stacks,
        engine=planned.engine,
        price_source=inputs.snapshot.source,
        valid_until=_valid_until(plans, inputs.now),
        warnings=(*inputs.warnings, *(text for plan in plans for text in _forgotten(plan))),
        notes=planned.notes,
    )
    saved = saved_run(result, inputs, jobs, question.prices or "")
    try:
        digest = save_plan(Layout(inputs.root), saved, result, jobs, planned.files)
    except OSError as error:
        told = f"this plan could not be saved: {error.strerror or error}"
        result, digest = replace(result, run="", notes=(*result.notes, told)), ""
    return result, LoadedRun(saved=saved, digest=digest, jobs=jobs, plan_files=planned.files)


def _forgotten(plan: PolicyPlan) -> Iterator[str]:
    """Pools that come up where one goes that the policy no longer has: renamed, perhaps."""
    known = {pool.name for pool in plan.policy.pools}
    gone = [d for d in plan.decisions if d.pool not in known]
    for decision in plan.decisions:
        if decision.pool in known and decision.action is Action.CREATE:
            places = {placement.slot for placement in decision.after}
            for old in gone:
                if places & {placement.slot for placement in old.before}:
                    yield (
                        f"{decision.pool} comes up where {old.pool} goes, which the policy no "
                        f"longer has. If it is the same pool, say so in it: was: {old.pool}"
                    )


def render_plan(
    plan: PolicyPlan,
    project: Project,
    recorded: Sequence[RecordedStack],
    *,
    local_state: str | None = None,
) -> tuple[StackJob, ...]:
    """The stacks that a policy's decisions fill, change or leave."""
    renderer = Renderer(plan.policy, project, recorded, local_state=local_state)
    known = {pool.name for pool in plan.policy.pools}
    return tuple(
        job
        for decision in plan.decisions
        for job in jobs_of(decision, renderer, recorded, is_gone=decision.pool not in known)
    )


def decide_policy(policy: Policy, inputs: Inputs, selected: frozenset[str]) -> PolicyPlan:
    """Decide a whole policy (its limits hold over all pools) and keep the selected pools."""
    recalled = inputs.recalled[policy.name]
    actual, memory = recalled.observed.actual, recalled.memory
    decisions = decide(policy, inputs.now, inputs.snapshot, actual, memory)
    return PolicyPlan(
        policy=policy,
        decisions=tuple(d for d in decisions if d.pool in selected),
        stretches=(),
        outlooks=(),
        outside=(),
        is_remembered=memory.is_stored,
    )


def plan_policy(policy: Policy, inputs: Inputs, selected: frozenset[str]) -> PolicyPlan:
    """The same with its outlook: the next 30 days, and what else it could cost."""
    recalled = inputs.recalled[policy.name]
    actual, memory = recalled.observed.actual, recalled.memory
    end = inputs.now + HORIZON
    stretches = schedule(policy, inputs.now, end, inputs.snapshot, actual, memory)
    sums = totals(stretches)
    books = {trust: _book(policy, inputs, trust) for trust in {p.trust for p in policy.pools}}
    pools = [pool for pool in policy.pools if pool.name in selected]
    hints = [outside_rules(policy, pool, books[pool.trust], stretches) for pool in pools]
    return replace(
        decide_policy(policy, inputs, selected),
        stretches=tuple(s for s in stretches if s.pool in selected),
        outlooks=tuple(
            Outlook(
                pool=pool.name,
                total=sums[pool.name],
                always_on_usd=always_on(policy, pool, books[pool.trust]),
            )
            for pool in pools
        ),
        outside=tuple(hint for hint in hints if hint),
    )


def _recorded(inputs: Inputs, policy: Policy) -> tuple[RecordedStack, ...]:
    return inputs.recalled[policy.name].observed.stacks


def _book(policy: Policy, inputs: Inputs, trust: PriceTrust) -> Book:
    market = build_market(
        inputs.snapshot,
        now=inputs.now,
        fx=policy.fx,
        discounts=policy.discounts,
        trust=trust,
    )
    return Book(market)


def _valid_until(plans: Sequence[PolicyPlan], now: datetime) -> datetime:
    """The earlier of `plan_max_age` and the first instant at which a decision may change."""
    ends = [now + pool.plan_max_age for plan in plans for pool in plan.policy.pools]
    checks = [d.next_check_at for plan in plans for d in plan.decisions if d.next_check_at]
    return min([*ends, *checks], default=now)
