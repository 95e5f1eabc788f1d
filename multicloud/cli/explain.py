"""`multicloud explain`."""

from __future__ import annotations

import click

from multicloud.cli.options import (
    at_option,
    format_option,
    policy_option,
    prices_option,
    print_json,
    question,
    target_option,
)


@click.command("explain")
@click.argument("pool", metavar="POOL")
@policy_option
@at_option
@prices_option
@target_option
@format_option("json")
def command(
    *,
    pool: str,
    policies: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    format_: str,
    as_json: bool,
) -> None:
    """Say why POOL is where it is: rule by rule, tier by tier, offer by offer."""
    from multicloud.run.explain import explain_pool

    explained = explain_pool(question(policies, (pool,), at, prices, target))
    if as_json or format_ == "json":
        from multicloud.report.explain import explain_document

        print_json(explain_document(explained))
    else:
        from multicloud.report.explain import explain_text

        click.echo(explain_text(explained))
