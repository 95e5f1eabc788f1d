"""`multicloud plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from multicloud.cli.options import (
    engine_option,
    every_stack_option,
    format_option,
    parallelism_option,
    print_json,
    question,
    question_options,
)

if TYPE_CHECKING:
    from multicloud.run.result import PlanResult


@click.command("plan")
@question_options
@click.option(
    "--no-engine", is_flag=True, help="Stop after rendering; start no Terraform and no OpenTofu."
)
@engine_option
@parallelism_option("Stacks planned at the same time.")
@every_stack_option
@click.option(
    "--detailed-exitcode", is_flag=True, help="Exit 2 when the plan has changes, 0 when not."
)
@format_option("json", "markdown")
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    no_engine: bool,
    engine: str | None,
    parallelism: int,
    every_stack: bool,
    detailed_exitcode: bool,
    format_: str,
    as_json: bool,
) -> int:
    """Decide what should run now, render it and plan it; nothing is changed."""
    from multicloud.cli.progress import stack_progress
    from multicloud.run.plan import PlanRequest, make_plan

    with stack_progress() as on_progress:
        result = make_plan(
            PlanRequest(
                question=question(policies, pools, at, prices, target),
                use_engine=not no_engine,
                engine=engine,
                parallelism=parallelism,
                every_stack=every_stack,
                on_progress=on_progress,
            )
        )
    for note in result.notes:
        click.echo(f"note: {note}", err=True)
    code = result.exit_code(detailed=detailed_exitcode)
    show(result, "json" if as_json else format_, int(code))
    return int(code)


def show(result: PlanResult, format_: str, exit_code: int) -> None:
    """Print a plan in the format asked for."""
    if format_ == "json":
        from multicloud.report.plan_json import plan_document

        print_json(plan_document(result, exit_code=exit_code))
    elif format_ == "markdown":
        from multicloud.report.plan_markdown import plan_markdown

        click.echo(plan_markdown(result))
    else:
        from multicloud.report.plan_human import plan_text

        click.echo(plan_text(result))
