"""`multicloud nodes`."""

from __future__ import annotations

import click

from multicloud.cli.options import (
    at_option,
    format_option,
    policy_option,
    print_json,
    question,
    target_option,
)
from multicloud.errors import ExitCode


@click.command("nodes")
@click.argument("pool", metavar="POOL|GLOB")
@policy_option
@at_option
@target_option
@format_option("json")
def command(
    *,
    pool: str,
    policies: tuple[str, ...],
    at: str | None,
    target: str | None,
    format_: str,
    as_json: bool,
) -> int:
    """List the nodes of POOL as the clouds tell them; exit 5 where one could not be asked."""
    from multicloud.report.nodes import node_body, reading_body
    from multicloud.report.scalars import SCHEMA_VERSION
    from multicloud.report.status import nodes_text
    from multicloud.run.status import read_status

    status = read_status(question(policies, (pool,), at, target=target))
    code = ExitCode.PARTIAL if status.blind else ExitCode.OK
    if as_json or format_ == "json":
        print_json(
            {
                "schema_version": SCHEMA_VERSION,
                "nodes": [node_body(node) for node in status.nodes],
                "unreadable": [reading_body(reading) for reading in status.blind],
                "exit_code": int(code),
            }
        )
    else:
        click.echo(nodes_text(status))
    return code
