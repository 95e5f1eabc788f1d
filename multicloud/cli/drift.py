"""`multicloud drift`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from multicloud.cli.options import (
    engine_option,
    format_option,
    parallelism_option,
    print_json,
    question,
    question_options,
    show_report,
)
from multicloud.errors import GuardrailError, InvalidInputError

if TYPE_CHECKING:
    from multicloud.run.drift import Drift
    from multicloud.run.execute import ExecuteRequest


@click.command("drift")
@question_options
@click.option("--orphans", is_flag=True, help="Only nodes of ours that stand in no record.")
@click.option("--delete", is_flag=True, help="With --orphans: take them down by their state.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where no terminal can answer.")
@click.option("--no-engine", is_flag=True, help="Look at nodes only; read no state.")
@engine_option
@parallelism_option("Stacks worked on at the same time.")
@format_option("json")
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    orphans: bool,
    delete: bool,
    yes: bool,
    no_engine: bool,
    engine: str | None,
    parallelism: int,
    format_: str,
    as_json: bool,
) -> int:
    """Tell what somebody changed by hand from what clouds do; exit 2 when there is any."""
    from multicloud.cli.progress import stack_progress
    from multicloud.models.run import RunKind
    from multicloud.report.drift import drift_document, drift_text
    from multicloud.run.drift import DriftRequest, read_drift
    from multicloud.run.execute import ExecuteRequest

    if delete and not orphans:
        raise InvalidInputError("--delete goes with --orphans: nothing else is deleted by drift")
    with stack_progress() as on_progress:
        drift = read_drift(
            DriftRequest(
                question=question(policies, pools, at, prices, target),
                use_engine=not (no_engine or orphans),
                engine=engine,
                parallelism=parallelism,
                on_progress=on_progress,
            )
        )
    is_json = as_json or format_ == "json"
    if delete:
        request = ExecuteRequest(kind=RunKind.DESTROY, engine=engine, parallelism=parallelism)
        return _delete(drift, request, is_at_given=at is not None, yes=yes, is_json=is_json)
    shown = drift.of_orphans() if orphans else drift
    if is_json:
        print_json(drift_document(shown))
    else:
        click.echo(drift_text(shown))
    return int(shown.exit_code)


def _delete(
    drift: Drift, request: ExecuteRequest, *, is_at_given: bool, yes: bool, is_json: bool
) -> int:
    from multicloud.models.project import Target
    from multicloud.report.drift import drift_document
    from multicloud.report.nodes import orphan_lines
    from multicloud.run.orphans import delete_orphans, orphans_of

    if is_at_given and drift.status.inputs.project.target is Target.LIVE:
        raise GuardrailError("--at is for the sandbox: live nodes are deleted at no other time.")
    orphans = orphans_of(drift.status.strangers)
    click.echo("\n".join(orphan_lines(drift.status)), err=True)
    known = [orphan for orphan in orphans if orphan.placement is not None]
    if not known:
        if is_json:
            print_json(drift_document(drift.of_orphans()))
        else:
            click.echo("nothing that could be deleted")
        return int(drift.of_orphans().exit_code)
    if not yes:
        if not sys.stdin.isatty():
            raise GuardrailError("nobody can be asked: this is no terminal", hint="Add --yes.")
        if not click.confirm("Delete them?", err=True):
            raise GuardrailError("not approved; nothing was changed")
    return show_report(delete_orphans(known, drift.status, request), as_json=is_json)
