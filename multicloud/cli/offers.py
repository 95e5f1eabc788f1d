"""`multicloud offers`."""

from __future__ import annotations

import click

from multicloud.cli.options import at_option, format_option, prices_option, print_json


@click.command("offers")
@click.argument("need", metavar="NEED")
@click.option("--in", "places", multiple=True, metavar="PLACE", help="Only here; repeatable.")
@click.option(
    "--capacity",
    multiple=True,
    type=click.Choice(["on_demand", "spot"]),
    help="Only these; repeatable.",
)
@click.option("--fx", multiple=True, metavar="CUR=RATE", help="Units per 1 USD; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@at_option
@prices_option
@format_option("json")
def command(
    *,
    need: str,
    places: tuple[str, ...],
    capacity: tuple[str, ...],
    fx: tuple[str, ...],
    limit: int,
    at: str | None,
    prices: str | None,
    format_: str,
    as_json: bool,
) -> None:
    """List what meets NEED ("A100:8", "2 x H100:8", "4 x T4") anywhere, cheapest first."""
    from multicloud.run.offers import OffersQuestion, list_offers

    listing = list_offers(
        OffersQuestion(need=need, places=places, capacity=capacity, fx=fx, at=at, prices=prices)
    )
    if as_json or format_ == "json":
        from multicloud.report.offers import offers_document

        print_json(offers_document(listing, limit=limit))
    else:
        from multicloud.report.offers import offers_text

        click.echo(offers_text(listing, limit=limit))
