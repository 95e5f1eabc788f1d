"""`multicloud apply`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from multicloud.cli.options import (
    acting_options,
    acting_request,
    every_stack_option,
    format_option,
    question,
    question_options,
    show_report,
)
from multicloud.errors import GuardrailError

if TYPE_CHECKING:
    from multicloud.run.execute import ExecuteRequest
    from multicloud.run.inputs import Question


@click.command("apply")
@click.argument("run", required=False, metavar="[RUN]")
@question_options
@acting_options
@every_stack_option
@click.option("--yes", is_flag=True, help="Do not ask; needed where no terminal can answer.")
@format_option("json")
def command(
    *,
    run: str | None,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    engine: str | None,
    parallelism: int,
    allow_replace: tuple[str, ...],
    adopt: bool,
    switch_engine: bool,
    every_stack: bool,
    yes: bool,
    format_: str,
    as_json: bool,
) -> int:
    """Carry out RUN exactly as planned; without RUN plan first, show it, and ask."""
    from multicloud.cli.progress import stack_progress
    from multicloud.models.run import RunKind
    from multicloud.run.apply import apply_saved

    asked = question(policies, pools, at, prices, target)
    is_json = as_json or format_ == "json"
    with stack_progress() as on_progress:
        request = acting_request(
            RunKind.APPLY,
            engine=engine,
            parallelism=parallelism,
            allow_replace=allow_replace,
            adopt=adopt,
            switch_engine=switch_engine,
            every_stack=every_stack,
            on_progress=on_progress,
        )
        if run is None:
            run = _planned(asked, request, yes=yes, quiet=is_json)
        report = apply_saved(run, asked, request)
    return show_report(report, as_json=is_json)


def _planned(asked: Question, request: ExecuteRequest, *, yes: bool, quiet: bool) -> str:
    """Plan, show, ask; returns the saved run's id."""
    from multicloud.report.plan_human import plan_text
    from multicloud.run.plan import PlanRequest, make_plan

    result = make_plan(
        PlanRequest(
            question=asked,
            engine=request.engine,
            parallelism=request.parallelism,
            allow_replace=request.allow_replace,
            every_stack=request.every_stack,
            on_progress=request.on_progress,
        )
    )
    for note in result.notes:
        click.echo(f"note: {note}", err=True)
    if not quiet:
        click.echo(plan_text(result))
    if not result.run:
        raise GuardrailError("the plan could not be saved, so it cannot be applied")
    if yes or not result.changes:
        return result.run
    if not sys.stdin.isatty():
        raise GuardrailError(
            "nobody can be asked: this is no terminal",
            hint=f"Add --yes, or run: multicloud apply {result.run}",
        )
    if not click.confirm("Apply this?", err=True):
        raise GuardrailError("not approved; nothing was changed")
    return result.run
