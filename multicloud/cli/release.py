"""`multicloud release`."""

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
from multicloud.errors import InvalidInputError


@click.command("release")
@click.argument("pools", nargs=-1, metavar="[POOL|GLOB]...")
@click.option("--all", "everything", is_flag=True, help="Every pool there is.")
@policy_option
@at_option
@target_option
@format_option("json")
def command(
    *,
    pools: tuple[str, ...],
    everything: bool,
    policies: tuple[str, ...],
    at: str | None,
    target: str | None,
    format_: str,
    as_json: bool,
) -> None:
    """Give pools back to their rules: the next run acts on them again."""
    from multicloud.report.holds import holds_document, holds_text
    from multicloud.run.holds import release
    from multicloud.run.records import load_records

    if bool(pools) == everything:
        raise InvalidInputError(
            "name pools, or say --all", detail="Expected names or globs, or --all alone."
        )
    asked = question(policies, pools, at, target=target)
    held = release(load_records(asked))
    if as_json or format_ == "json":
        print_json(holds_document(held))
    else:
        click.echo(holds_text(held, policies=policies, at=at) or "nothing to release")
