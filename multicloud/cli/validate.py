"""`multicloud validate`."""

from __future__ import annotations

import click

from multicloud.cli.options import (
    format_option,
    policy_option,
    prices_option,
    print_json,
    question,
)
from multicloud.errors import ExitCode


@click.command("validate")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@policy_option
@prices_option
@click.option("--schema", is_flag=True, help="Print the JSON Schema of policies and end.")
@click.option("--expand", is_flag=True, help="Print each policy with every default written out.")
@click.option("--strict", is_flag=True, help="Exit 3 when there are warnings.")
@format_option("json")
def command(
    *,
    files: tuple[str, ...],
    policies: tuple[str, ...],
    prices: str | None,
    schema: bool,
    expand: bool,
    strict: bool,
    format_: str,
    as_json: bool,
) -> int:
    """Check policies: all errors at once with their places, then what looks odd."""
    if schema:
        from multicloud.policy.schema import json_schema

        print_json(json_schema())
        return ExitCode.OK
    from multicloud.run.check import check_policies

    checked = check_policies(question((*policies, *files), prices=prices))
    if expand:
        from multicloud.policy.expand import expand as expanded

        click.echo("---\n".join(expanded(policy) for policy in checked.policies), nl=False)
        return ExitCode.OK
    code = ExitCode.INVALID if strict and checked.warnings else ExitCode.OK
    if as_json or format_ == "json":
        from multicloud.report.checks import checks_document

        print_json(checks_document(checked, exit_code=code))
    else:
        from multicloud.report.checks import checks_text

        click.echo(checks_text(checked))
    return code
