"""`multicloud rebalance`."""

from __future__ import annotations

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
from multicloud.errors import ExitCode, MulticloudError

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.run.plan import PlanRequest


@click.command("rebalance")
@question_options
@acting_options
@every_stack_option
@click.option("--dry-run", is_flag=True, help="Plan and show; change and remember nothing.")
@format_option("json")
def command(
    *,
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
    dry_run: bool,
    format_: str,
    as_json: bool,
) -> int:
    """Bring every pool to its decision without asking, under the policies' limits; for cron."""
    from multicloud.cli.progress import stack_progress
    from multicloud.models.run import RunKind
    from multicloud.run.apply import rebalance
    from multicloud.run.plan import PlanRequest

    asked = question(policies, pools, at, prices, target)
    is_json = as_json or format_ == "json"
    if dry_run:
        request = PlanRequest(
            question=asked, engine=engine, parallelism=parallelism, every_stack=every_stack
        )
        return _dry(request, is_json=is_json)
    try:
        with stack_progress() as on_progress:
            report = rebalance(
                asked,
                acting_request(
                    RunKind.REBALANCE,
                    engine=engine,
                    parallelism=parallelism,
                    allow_replace=allow_replace,
                    adopt=adopt,
                    switch_engine=switch_engine,
                    every_stack=every_stack,
                    on_progress=on_progress,
                ),
            )
    except MulticloudError:
        _beat(asked.folder, is_good=False)
        raise
    _beat(asked.folder, is_good=report.exit_code is ExitCode.OK)
    return show_report(report, as_json=is_json)


def _dry(request: PlanRequest, *, is_json: bool) -> int:
    from multicloud.cli.plan import show
    from multicloud.run.plan import make_plan

    result = make_plan(request)
    code = int(result.exit_code())
    show(result, "json" if is_json else "human", code)
    return code


def _beat(folder: Path, *, is_good: bool) -> None:
    from multicloud.run.heartbeat import beat

    note = beat(folder, is_good=is_good)
    if note:
        click.echo(f"note: {note}", err=True)
