"""`multicloud status`."""

from __future__ import annotations

import click

from multicloud.cli.options import format_option, print_json, question, question_options
from multicloud.errors import ExitCode


@click.command("status")
@question_options
@format_option("json")
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    format_: str,
    as_json: bool,
) -> int:
    """Show policy, records and clouds side by side; exit 2 when something needs a look."""
    from multicloud.report.status import status_document, status_text
    from multicloud.run.status import read_status

    status = read_status(question(policies, pools, at, prices, target))
    code = ExitCode.CHANGES if status.found_something else ExitCode.OK
    if as_json or format_ == "json":
        print_json(status_document(status, exit_code=int(code)))
    else:
        click.echo(status_text(status))
    return code
