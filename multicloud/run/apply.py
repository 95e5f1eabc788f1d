"""Applying: a saved run exactly, or (`rebalance`) a plan made and carried out in one go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.errors import GuardrailError
from multicloud.models.project import Target
from multicloud.run.desk import open_desk, refreshed
from multicloud.run.execute import ExecuteRequest, RunReport, execute
from multicloud.run.fits import check_fits
from multicloud.run.inputs import Question, load_inputs, load_project
from multicloud.run.layout import Layout
from multicloud.run.plan import PlanRequest, plan_inputs
from multicloud.run.saved import load_run

if TYPE_CHECKING:
    from multicloud.models.run import SavedRun


def apply_saved(run: str, question: Question, request: ExecuteRequest) -> RunReport:
    """Do exactly what a run planned.

    Raises:
        InvalidInputError: there is no such run.
        GuardrailError: it no longer fits (changed, too late, other inputs, price, lock held).
    """
    root, _project = load_project(question.folder)
    loaded = load_run(Layout(root), run)
    saved = loaded.saved
    pools = {decision.pool for policy in saved.policies for decision in policy.decisions}
    foreign = sorted(set(question.pools) - pools)
    if foreign:
        raise GuardrailError(
            f"run {run} belongs to {', '.join(sorted(pools))}, not to {', '.join(foreign)}.",
            hint="Plan that pool first: multicloud plan --pool NAME",
        )
    if Target(saved.target) is Target.LIVE and saved.is_at_given:
        raise GuardrailError(
            f"run {run} was planned with --at and is never applied live.",
            hint="Plan again without --at.",
        )
    asked = _question_of(saved, question)
    inputs = load_inputs(asked, with_memory=False)
    names = [policy.name for policy in saved.policies]
    with open_desk(inputs.root, inputs.project, names, run=run, now=inputs.now) as desk:
        inputs = refreshed(inputs, desk)
        check_fits(loaded, inputs)
        return execute(request, loaded, inputs, desk)


def _question_of(saved: SavedRun, question: Question) -> Question:
    """The inputs of a saved run; in the sandbox its instant too."""
    is_sandbox = Target(saved.target) is Target.SANDBOX
    return replace(
        question,
        policies=question.policies or tuple(policy.file for policy in saved.policies),
        pools=(),
        at=question.at or (saved.at.isoformat() if is_sandbox else None),
        prices=question.prices or saved.prices or None,
        target=saved.target,
    )


def rebalance(question: Question, request: ExecuteRequest) -> RunReport:
    """Plan and carry out in one go, under the locks; what cron calls.

    Raises:
        GuardrailError: another run holds a lock, or an instant is given for a live run.
    """
    inputs = load_inputs(question, with_memory=False)
    if inputs.is_at_given and inputs.project.target is Target.LIVE:
        raise GuardrailError(
            "--at is for the sandbox and for looking ahead: a live run acts at the present time.",
            hint="Leave --at out, or only look: multicloud plan --at TIME",
        )
    names = [policy.name for policy in inputs.policies]
    with open_desk(
        inputs.root,
        inputs.project,
        names,
        run="rebalance",
        now=inputs.now,
    ) as desk:
        inputs = refreshed(inputs, desk)
        planned, loaded = plan_inputs(
            PlanRequest(
                question=question,
                engine=request.engine,
                parallelism=request.parallelism,
                on_progress=request.on_progress,
                allow_replace=request.allow_replace,
                with_outlook=False,
                every_stack=request.every_stack,
            ),
            inputs,
        )
        report = execute(request, loaded, inputs, desk)
        return replace(report, notes=(*planned.notes, *report.notes))
