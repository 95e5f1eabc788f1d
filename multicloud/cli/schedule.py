"""`multicloud schedule`."""

from __future__ import annotations

import click

from multicloud.cli.options import format_option, print_json, question, question_options


@click.command("schedule")
@question_options
@click.option("--days", type=click.IntRange(1, 400), help="How far ahead. Default: 7 days.")
@click.option("--month", metavar="YYYY-MM", help="A calendar month in the policy's zone instead.")
@format_option("json")
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    days: int | None,
    month: str | None,
    format_: str,
    as_json: bool,
) -> None:
    """List every change the clock will make, in UTC and local time, with place and cost."""
    from multicloud.run.agenda import make_agenda

    if days is not None and month is not None:
        raise click.UsageError("--days and --month exclude each other")
    if at is not None and month is not None:
        raise click.UsageError("--at and --month exclude each other: a month has its own start")
    agenda = make_agenda(question(policies, pools, at, prices, target), days=days, month=month)
    if as_json or format_ == "json":
        from multicloud.report.agenda import agenda_document

        print_json(agenda_document(agenda))
    else:
        from multicloud.report.agenda import agenda_text

        click.echo(agenda_text(agenda))
