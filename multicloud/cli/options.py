"""Options that several verbs share, and the question they add up to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicloud.models.change import StackKey
    from multicloud.models.run import RunKind
    from multicloud.run.execute import ExecuteRequest, RunReport
    from multicloud.run.inputs import Question

Command = Any  # click's decorators are untyped over the function they wrap

policy_option = click.option(
    "-p",
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="Policy file; repeatable. Default: the project's, else policies/*.yaml.",
)
pool_option = click.option(
    "--pool", "pools", multiple=True, metavar="NAME|GLOB", help="Only these pools; repeatable."
)
at_option = click.option(
    "--at", metavar="TIME", help="Decide for this instant, in the policy's zone or with an offset."
)
prices_option = click.option(
    "--prices", metavar="FILE", help="Use these prices (CSV, Parquet) instead of all others."
)
target_option = click.option(
    "--target",
    type=click.Choice(["sandbox", "live"]),
    help="What to act on. Default: the project file's, else the sandbox.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
engine_option = click.option("--engine", metavar="PATH", help="This terraform or tofu binary.")
every_stack_option = click.option(
    "--every-stack",
    is_flag=True,
    help="Ask the engine about every stack, also where nothing of ours changed.",
)


def parallelism_option(text: str) -> Callable[[Command], Command]:
    """`--parallelism`, described by `text`."""
    return click.option(
        "--parallelism",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        help=text,
    )


def format_option(*formats: str) -> Callable[[Command], Command]:
    """`--format` with `human` as default, and `--json` beside it when JSON is among `formats`."""

    def wrap(function: Command) -> Command:
        choice = click.option(
            "--format",
            "format_",
            type=click.Choice(["human", *formats]),
            default="human",
            show_default=True,
            help="How to print the result.",
        )
        return choice(json_option(function) if "json" in formats else function)

    return wrap


def question_options(function: Command) -> Command:
    """The options that say what a decision is made on."""
    for option in (target_option, prices_option, at_option, pool_option, policy_option):
        function = option(function)
    return function


def acting_options(function: Command) -> Command:
    """The options of verbs that let an engine change something."""
    for option in (
        click.option(
            "--allow-replace",
            multiple=True,
            metavar="POOL",
            help="Let this pool's group be replaced, nodes and all; repeatable.",
        ),
        click.option(
            "--adopt",
            is_flag=True,
            help="Go on although nodes run that no record knows (live).",
        ),
        click.option(
            "--switch-engine",
            is_flag=True,
            help="Let this engine take over stacks that another one applied.",
        ),
        parallelism_option("Stacks worked on at the same time."),
        engine_option,
    ):
        function = option(function)
    return function


def acting_request(
    kind: RunKind,
    *,
    engine: str | None,
    parallelism: int,
    allow_replace: tuple[str, ...],
    adopt: bool,
    switch_engine: bool,
    on_progress: Callable[[StackKey, str], None] | None,
    every_stack: bool = False,
) -> ExecuteRequest:
    """The acting options as one value."""
    from multicloud.run.execute import ExecuteRequest

    return ExecuteRequest(
        kind=kind,
        engine=engine,
        parallelism=parallelism,
        allow_replace=frozenset(allow_replace),
        adopt=adopt,
        switch_engine=switch_engine,
        on_progress=on_progress,
        every_stack=every_stack,
    )


def show_report(report: RunReport, *, as_json: bool) -> int:
    """Print what a run came to, notes on stderr; returns its exit code."""
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
    if as_json:
        from multicloud.report.run_report import report_document

        print_json(report_document(report))
    else:
        from multicloud.report.run_report import report_text

        click.echo(report_text(report))
    return int(report.exit_code)


def question(
    policies: tuple[str, ...],
    pools: tuple[str, ...] = (),
    at: str | None = None,
    prices: str | None = None,
    target: str | None = None,
) -> Question:
    """The options as one value, with the current folder and environment."""
    from multicloud.run.inputs import Question

    return Question(
        policies=policies,
        pools=pools,
        at=at,
        prices=prices,
        target=target,
        folder=Path.cwd(),
        environ=dict(os.environ),
    )


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
