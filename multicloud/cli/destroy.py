"""`multicloud destroy`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from multicloud.cli.options import (
    acting_options,
    acting_request,
    at_option,
    format_option,
    policy_option,
    print_json,
    question,
    show_report,
    target_option,
)
from multicloud.errors import GuardrailError, InvalidInputError

if TYPE_CHECKING:
    from multicloud.run.records import Records


@click.command("destroy")
@click.argument("pools", nargs=-1, metavar="[POOL|GLOB]...")
@policy_option
@at_option
@target_option
@acting_options
@click.option("--all", "everything", is_flag=True, help="Every pool there is.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where no terminal can answer.")
@format_option("json")
def command(
    *,
    pools: tuple[str, ...],
    policies: tuple[str, ...],
    at: str | None,
    target: str | None,
    engine: str | None,
    parallelism: int,
    allow_replace: tuple[str, ...],
    adopt: bool,
    switch_engine: bool,
    everything: bool,
    yes: bool,
    format_: str,
    as_json: bool,
) -> int:
    """Take pools down with all they have; they stay off until `release`."""
    from multicloud.cli.progress import stack_progress
    from multicloud.models.run import RunKind
    from multicloud.run.destroy import destroy
    from multicloud.run.records import load_records

    if not pools and not everything:
        raise InvalidInputError(
            "no pool named", detail="Expected names or globs.", hint="For every pool: --all"
        )
    if pools and everything:
        raise InvalidInputError("pools and --all exclude each other")
    for given in pools:
        # What is left of "$PREFIX*" when the variable is not set.
        if given and not given.strip("*?"):
            raise InvalidInputError(f'"{given}" matches every pool', hint="If that is meant: --all")
    asked = question(policies, pools, at, target=target)
    records = load_records(asked)
    is_json = as_json or format_ == "json"
    if not records.stacks:
        return _nothing(is_json=is_json)
    _ask(records, yes=yes)
    with stack_progress() as on_progress:
        report = destroy(
            records,
            acting_request(
                RunKind.DESTROY,
                engine=engine,
                parallelism=parallelism,
                allow_replace=allow_replace,
                adopt=adopt,
                switch_engine=switch_engine,
                on_progress=on_progress,
            ),
            asked.environ,
        )
    return show_report(report, as_json=is_json)


def _nothing(*, is_json: bool) -> int:
    from multicloud.report.scalars import SCHEMA_VERSION

    if is_json:
        print_json({"schema_version": SCHEMA_VERSION, "outcomes": [], "exit_code": 0})
    else:
        click.echo("nothing to do: no stack is recorded")
    return 0


def _ask(records: Records, *, yes: bool) -> None:
    """Show what goes, on stderr, then ask.

    Raises:
        GuardrailError: nobody can be asked, or the answer is no.
    """
    from multicloud.decide.text import plural

    for stack in records.stacks:
        click.echo(f"  - {stack.key}  {plural(stack.placement.nodes, 'node')}", err=True)
    names = sorted({stack.key.owner for stack in records.stacks})
    stacks, pools = plural(len(records.stacks), "stack"), plural(len(names), "pool")
    count = f"{stacks} of {pools} ({', '.join(names)})"
    click.echo(f"To destroy: {count}", err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise GuardrailError("nobody can be asked: this is no terminal", hint="Add --yes.")
    if not click.confirm("Destroy them?", err=True):
        raise GuardrailError("not approved; nothing was changed")
