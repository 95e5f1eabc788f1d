"""`multicloud sandbox`: look at the simulated clouds, and let things go wrong in them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from multicloud.cli.options import at_option, format_option, print_json
from multicloud.errors import GuardrailError

CLOUDS = click.Choice(["aws", "gcp", "azure", "tencent", "alibaba", "oracle"])
CAPACITY = click.Choice(["on_demand", "spot"])


@click.group("sandbox")
def command() -> None:
    """Look at the sandbox's simulated clouds, and let things go wrong in them."""


@command.command("status")
@at_option
@format_option("json")
def status(*, at: str | None, format_: str, as_json: bool) -> None:
    """Show nodes, stock marks and what else is set up to go wrong."""
    from multicloud.report.simulated import simulated_document, simulated_text
    from multicloud.run.simulated import look

    seen = look(Path.cwd(), at)
    if as_json or format_ == "json":
        print_json(simulated_document(seen))
    else:
        click.echo(simulated_text(seen))


@command.command("evict")
@click.argument("pool")
@click.option("--count", type=click.IntRange(1), help="How many nodes; all by default.")
@click.option("--any", "any_capacity", is_flag=True, help="On-demand nodes too.")
@click.option("--no-refill", is_flag=True, help="The group stays short until it is applied.")
@at_option
def evict(
    *, pool: str, count: int | None, any_capacity: bool, no_refill: bool, at: str | None
) -> None:
    """Take nodes of POOL back, as a cloud does with spot nodes."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.faults import evict as take_back

    with simulated(Path.cwd(), at) as (db, now):
        gone = take_back(
            db, now, pool=pool, count=count, any_capacity=any_capacity, refill=not no_refill
        )
    click.echo(f"evicted {', '.join(gone)}")


@command.command("unavailable")
@click.argument("cloud", type=CLOUDS)
@click.argument("region", default="*")
@click.option("--zone", default="*", help="A zone id; any by default.")
@click.option("--type", "type_", default="*", help="An instance type or glob.")
@click.option("--capacity", type=CAPACITY, help="Only this capacity type.")
@click.option("--quota", is_flag=True, help="As a quota of the account, not a lack of stock.")
@click.option("--remaining", type=click.IntRange(0), default=0, help="So many can still be had.")
@at_option
def unavailable(
    *,
    cloud: str,
    region: str,
    zone: str,
    type_: str,
    capacity: str | None,
    quota: bool,
    remaining: int,
    at: str | None,
) -> None:
    """Let CLOUD have no such nodes until `available`."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.stock import ANY, Pattern, StockReason, mark

    pattern = Pattern(cloud, region, zone, type_, capacity or ANY)
    reason = StockReason.QUOTA if quota else StockReason.CAPACITY
    with simulated(Path.cwd(), at) as (db, now):
        mark(db, pattern, at=now, reason=reason, remaining=remaining)
    click.echo(f"unavailable: {' '.join(pattern)}")


@command.command("available")
@click.argument("cloud", type=CLOUDS)
@click.argument("region", default="*")
@click.option("--zone", default="*", help="A zone id; any by default.")
@click.option("--type", "type_", default="*", help="An instance type or glob.")
@click.option("--capacity", type=CAPACITY, help="Only this capacity type.")
@at_option
def available(
    *, cloud: str, region: str, zone: str, type_: str, capacity: str | None, at: str | None
) -> None:
    """Take back every `unavailable` that lies within what is named."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.stock import ANY, Pattern, unmark

    with simulated(Path.cwd(), at) as (db, _):
        gone = unmark(db, Pattern(cloud, region, zone, type_, capacity or ANY))
    click.echo(f"{len(gone)} marks removed")


@command.command("throttle")
@click.argument("cloud", type=CLOUDS)
@click.option("--times", type=click.IntRange(1), default=1, show_default=True)
@at_option
def throttle(*, cloud: str, times: int, at: str | None) -> None:
    """Let the next calls of CLOUD's API be refused as too many."""
    from multicloud.models.offer import Cloud
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.faults import throttle as refuse

    with simulated(Path.cwd(), at) as (db, _):
        refuse(db, Cloud(cloud), times)
    click.echo(f"the next {times} calls of {cloud} are refused")


@command.command("script")
@click.argument("file", type=click.Path(path_type=Path))
@at_option
def script(*, file: Path, at: str | None) -> None:
    """Schedule a fault plan: a YAML list of {at: INSTANT, do: evict|unavailable|..., ...}."""
    from multicloud.run.files import read_text
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.events import add_plan, read_plan

    events = read_plan(read_text(file, what="fault plan"), file=str(file))
    with simulated(Path.cwd(), at) as (db, now):
        added = add_plan(db, events, now)
    click.echo(f"{added} of {len(events)} entries scheduled")


@command.command("reset")
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(*, yes: bool) -> None:
    """Empty the simulated clouds: nodes, resources, marks and faults."""
    from multicloud.run.simulated import reset as empty

    if not yes:
        if not sys.stdin.isatty():
            raise GuardrailError("nobody can be asked: this is no terminal", hint="Add --yes.")
        if not click.confirm("Empty the simulated clouds?", err=True):
            raise GuardrailError("not approved; nothing was changed")
    left = empty(Path.cwd())
    click.echo("the simulated clouds are empty")
    if left:
        click.echo(f"note: {left} states still name what was there: multicloud destroy", err=True)
