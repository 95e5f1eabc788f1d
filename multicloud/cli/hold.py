"""`multicloud hold`."""

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


@click.command("hold")
@click.argument("pool", metavar="POOL|GLOB")
@click.argument("kind", required=False, type=click.Choice(["on", "off"]), metavar="[on|off]")
@click.option("--for", "span", required=True, metavar="DURATION", help="How long: 3h, 2d, 90m.")
@policy_option
@at_option
@target_option
@format_option("json")
def command(
    *,
    pool: str,
    kind: str | None,
    span: str,
    policies: tuple[str, ...],
    at: str | None,
    target: str | None,
    format_: str,
    as_json: bool,
) -> None:
    """Freeze POOL's place and size for a while, or hold it on or off against the clock."""
    from multicloud.models.memory import OverrideKind
    from multicloud.policy.scalars import ScalarError, parse_duration
    from multicloud.report.holds import holds_document, holds_text
    from multicloud.run.holds import hold
    from multicloud.run.records import load_records

    try:
        duration = parse_duration(span)
    except ScalarError as error:
        raise InvalidInputError(
            f"--for: {error.summary}", detail=error.expected, hint=error.hint
        ) from error
    if not duration:
        raise InvalidInputError(
            "--for: a hold of no time", hint="To end one: multicloud release POOL"
        )
    asked = question(policies, (pool,), at, target=target)
    held = hold(load_records(asked), OverrideKind(kind or "hold"), duration)
    if as_json or format_ == "json":
        print_json(holds_document(held))
    else:
        click.echo(holds_text(held, policies=policies, at=at))
