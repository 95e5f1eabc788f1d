"""`multicloud prices`: the clouds' prices in the project's store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multicloud.cli.options import (
    Command,
    at_option,
    format_option,
    json_option,
    print_json,
    target_option,
)

if TYPE_CHECKING:
    from multicloud.run.price_store import Asked

CAPACITY = click.Choice(["on_demand", "spot", "reserved"])


def _offer_options(function: Command) -> Command:
    """Which offers are meant."""
    for option in (
        at_option,
        target_option,
        click.option(
            "--capacity", multiple=True, type=click.Choice(["on_demand", "spot", "reserved"])
        ),
        click.option(
            "--type", "types", multiple=True, metavar="TYPE", help="Only this instance type."
        ),
        click.option(
            "--in", "places", multiple=True, metavar="PLACE", help="Only here; repeatable."
        ),
    ):
        function = option(function)
    return function


def _asked(
    at: str | None,
    target: str | None,
    places: tuple[str, ...] = (),
    types: tuple[str, ...] = (),
    capacity: tuple[str, ...] = (),
) -> Asked:
    from multicloud.run.price_store import asked, place_of

    found = tuple(place_of(text) for text in places)
    return asked(Path.cwd(), at=at, target=target, places=found, types=types, capacity=capacity)


@click.group("prices")
def command() -> None:
    """Read the clouds' prices into the store; show, accept, import and export them."""


@command.command("refresh")
@click.option(
    "--cloud", "clouds", metavar="CLOUDS", help="Only these, such as aws,tencent. Default: all."
)
@click.option("--region", "regions", multiple=True, metavar="REGION", help="Only here; repeatable.")
@click.option("--again", is_flag=True, help="Also what was read within the last 10 minutes.")
@click.option(
    "--timeout", type=click.FloatRange(1), default=600, show_default=True, help="Seconds in all."
)
@target_option
@at_option
@format_option("json")
def refresh(
    *,
    clouds: str | None,
    regions: tuple[str, ...],
    again: bool,
    timeout: float,
    target: str | None,
    at: str | None,
    format_: str,
    as_json: bool,
) -> int:
    """Read prices, stock and rates from the clouds; goes on where a killed one stopped."""
    from multicloud.cli.progress import part_progress
    from multicloud.report.prices import refreshed_document, refreshed_text
    from multicloud.run.price_store import clouds_of, refresh_prices

    wanted = _asked(at, target)
    with part_progress() as show:
        done = refresh_prices(
            wanted,
            clouds_of(clouds),
            regions,
            again=again,
            timeout_s=timeout,
            on_progress=show,
        )
    if as_json or format_ == "json":
        print_json(refreshed_document(done))
    else:
        click.echo(refreshed_text(done))
    return int(done.exit_code)


@command.command("show")
@_offer_options
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@format_option("json")
def show(
    *,
    places: tuple[str, ...],
    types: tuple[str, ...],
    capacity: tuple[str, ...],
    target: str | None,
    at: str | None,
    limit: int,
    format_: str,
    as_json: bool,
) -> None:
    """Show the price that counts now of every offer, its age and what it may decide."""
    from multicloud.report.prices import shown_document, shown_text
    from multicloud.run.price_store import show_prices

    wanted = _asked(at, target, places, types, capacity)
    found = show_prices(wanted)
    if as_json or format_ == "json":
        print_json(shown_document(found, wanted.now, limit=limit))
    else:
        click.echo(shown_text(found, wanted.now, limit=limit))


@command.command("history")
@_offer_options
@click.option("--days", type=click.IntRange(1), default=30, show_default=True)
@format_option("json")
def history(
    *,
    places: tuple[str, ...],
    types: tuple[str, ...],
    capacity: tuple[str, ...],
    target: str | None,
    at: str | None,
    days: int,
    format_: str,
    as_json: bool,
) -> None:
    """List every change of price in the store, by offer and time."""
    from multicloud.report.prices import history_document, history_text
    from multicloud.run.price_store import price_history

    wanted = _asked(at, target, places, types, capacity)
    start = wanted.now - timedelta(days=days)
    found = tuple(price_history(wanted, start, wanted.now))
    if as_json or format_ == "json":
        print_json(history_document(found, start, wanted.now))
    else:
        click.echo(history_text(found, start, wanted.now))


@command.command("accept")
@_offer_options
@json_option
def accept(
    *,
    places: tuple[str, ...],
    types: tuple[str, ...],
    capacity: tuple[str, ...],
    target: str | None,
    at: str | None,
    as_json: bool,
) -> None:
    """Believe prices that are in quarantine because they jumped."""
    from multicloud.errors import InvalidInputError
    from multicloud.report.prices import accepted_document, accepted_text
    from multicloud.run.price_store import accept_prices

    if not (places or types):
        raise InvalidInputError(
            "nothing says which prices to accept.", hint="Add --in PLACE or --type TYPE."
        )
    done = accept_prices(_asked(at, target, places, types, capacity))
    if as_json:
        print_json(accepted_document(done))
    else:
        click.echo(accepted_text(done))


@command.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_offer_options
@click.option("--days", type=click.IntRange(1), default=365, show_default=True)
def export(
    *,
    file: Path,
    places: tuple[str, ...],
    types: tuple[str, ...],
    capacity: tuple[str, ...],
    target: str | None,
    at: str | None,
    days: int,
) -> None:
    """Write the stored history to FILE (.csv or .parquet), as `--prices` and `import` read it."""
    from multicloud.run.price_files import export_prices

    wanted = _asked(at, target, places, types, capacity)
    count = export_prices(wanted, file, wanted.now - timedelta(days=days))
    click.echo(f"{count:,} prices written to {file}.")


@command.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--trace-of", metavar="CLOUD/REGION/ZONE/TYPE", help="What a trace is about.")
@click.option("--trace-start", metavar="TIME", help="When a trace without times starts.")
@target_option
@json_option
def import_(
    *,
    files: tuple[Path, ...],
    trace_of: str | None,
    trace_start: str | None,
    target: str | None,
    as_json: bool,
) -> int:
    """Read price files into the store: our CSV and Parquet, SpotLake's, and traces."""
    from multicloud.report.prices import imported_document, imported_text
    from multicloud.run.price_files import import_files

    done = import_files(_asked(None, target), files, trace_of=trace_of, trace_start=trace_start)
    if as_json:
        print_json(imported_document(done))
    else:
        click.echo(imported_text(done))
    return int(done.exit_code)
