"""`multicloud cost`."""

from __future__ import annotations

from pathlib import Path

import click

from multicloud.cli.options import format_option, print_json, question, question_options
from multicloud.errors import InvalidInputError


@click.command("cost")
@question_options
@click.option(
    "--by",
    multiple=True,
    metavar="NAME",
    help="pool (default), policy, cloud, month or label:KEY; repeatable.",
)
@click.option("--month", metavar="YYYY-MM", help="A calendar month; the present one by default.")
@click.option("--from", "start", metavar="TIME|DATE", help="Or from then on,")
@click.option("--to", "end", metavar="TIME|DATE", help="until then (now by default).")
@click.option("--csv", metavar="FILE", help="Write what was paid as FOCUS CSV; - for stdout.")
@format_option("json")
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    by: tuple[str, ...],
    month: str | None,
    start: str | None,
    end: str | None,
    csv: str | None,
    format_: str,
    as_json: bool,
) -> None:
    """Show what pools cost: paid by the records, planned by the clock, and without a policy."""
    from multicloud.report.cost import costs_document, costs_text
    from multicloud.report.focus import focus_csv
    from multicloud.run.cost import CostRequest, read_costs

    costs = read_costs(
        CostRequest(
            question=question(policies, pools, at, prices, target),
            by=by or ("pool",),
            month=month,
            start=start,
            end=end,
        )
    )
    if csv is not None:
        text = focus_csv(charge for part in costs.policies for charge in part.paid)
        if csv == "-":
            click.echo(text, nl=False)
            return
        try:
            Path(csv).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InvalidInputError(f"{csv} cannot be written: {error.strerror}.") from error
        click.echo(f"{len(text.splitlines()) - 1} charges written to {csv}", err=True)
        return
    if as_json or format_ == "json":
        print_json(costs_document(costs))
    else:
        click.echo(costs_text(costs))
