"""`multicloud sandbox`: look at the simulated clouds, and let things go wrong in them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multicloud.cli.options import Command, at_option, format_option, json_option, print_json
from multicloud.errors import GuardrailError, InvalidInputError

if TYPE_CHECKING:
    from datetime import datetime

    from multicloud.sandbox.stock import Pattern

CLOUDS = click.Choice(["aws", "gcp", "azure", "tencent", "alibaba", "oracle"])
OPERATIONS = click.Choice(["create", "update", "delete", "read", "change", "*"])
CAPACITY = click.Choice(["on_demand", "spot", "reserved"])


def _place_options(function: Command) -> Command:
    """Which nodes a mark on stock is about."""
    for option in (
        json_option,
        at_option,
        click.option("--capacity", type=CAPACITY, help="Only this capacity type."),
        click.option("--type", "type_", default="*", help="An instance type or glob."),
        click.option("--zone", default="*", help="A zone's id or name, or a glob of ids."),
        click.argument("region", default="*"),
        click.argument("cloud", type=CLOUDS),
    ):
        function = option(function)
    return function


def _pattern(cloud: str, region: str, zone: str, type_: str, capacity: str | None) -> Pattern:
    from multicloud.sandbox.places import pattern_of

    said = {"cloud": cloud, "region": region, "zone": zone, "type": type_}
    return pattern_of({**said, "capacity": capacity} if capacity else said)


def _tell(said: str, as_json: bool, now: datetime, /, **facts: object) -> None:  # noqa: FBT001 - click's
    if as_json:
        from multicloud.report.simulated import deed_document

        print_json(deed_document(now, **facts))
    else:
        click.echo(said)


@click.group("sandbox")
def command() -> None:
    """Look at the sandbox's simulated clouds, and let things go wrong in them."""


@command.command("status")
@at_option
@format_option("json")
def status(*, at: str | None, format_: str, as_json: bool) -> None:
    """Show nodes, what groups are short of, and what is set up to go wrong."""
    from multicloud.report.simulated import simulated_document, simulated_text
    from multicloud.run.simulated import look

    seen = look(Path.cwd(), at)
    if as_json or format_ == "json":
        print_json(simulated_document(seen))
    else:
        click.echo(simulated_text(seen))


@command.command("evict")
@click.argument("target", metavar="POOL|PLACE|NODE")
@click.option("--count", type=click.IntRange(1), help="How many nodes; all by default.")
@click.option("--any", "any_capacity", is_flag=True, help="On-demand nodes too.")
@click.option("--no-refill", is_flag=True, help="The group stays short until it is applied.")
@at_option
@json_option
def evict(
    *,
    target: str,
    count: int | None,
    any_capacity: bool,
    no_refill: bool,
    at: str | None,
    as_json: bool,
) -> None:
    """Take nodes back, the oldest first, as a cloud does with spot nodes."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.faults import evict as take_back

    with simulated(Path.cwd(), at) as (db, now):
        gone = take_back(
            db, now, target=target, count=count, any_capacity=any_capacity, refill=not no_refill
        )
    _tell(f"evicted {', '.join(gone)}", as_json, now, evicted=list(gone))


@command.command("unavailable")
@click.option("--quota", is_flag=True, help="As a quota of the account, not a lack of stock.")
@click.option("--remaining", type=click.IntRange(0), default=0, help="So many can still be had.")
@_place_options
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
    as_json: bool,
) -> None:
    """Let CLOUD have no such nodes until `available`."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.stock import StockReason, mark

    pattern = _pattern(cloud, region, zone, type_, capacity)
    reason = StockReason.QUOTA if quota else StockReason.CAPACITY
    with simulated(Path.cwd(), at) as (db, now):
        mark(db, pattern, at=now, reason=reason, remaining=remaining)
    text = f"unavailable: {' '.join(pattern)}"
    facts = {"reason": reason.value, "remaining": remaining}
    _tell(text, as_json, now, unavailable=[{"pattern": list(pattern), **facts}])


@command.command("available")
@_place_options
def available(
    *,
    cloud: str,
    region: str,
    zone: str,
    type_: str,
    capacity: str | None,
    at: str | None,
    as_json: bool,
) -> None:
    """Take back every `unavailable` that lies within what is named."""
    from multicloud.report.simulated import mark_body
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.stock import unmark

    pattern = _pattern(cloud, region, zone, type_, capacity)
    with simulated(Path.cwd(), at) as (db, now):
        gone = unmark(db, pattern)
        if not gone:
            raise InvalidInputError(
                f"no mark lies within {' '.join(pattern)}; nothing was changed.",
                hint="Run: multicloud sandbox status",
            )
    bodies = [mark_body(mark) for mark in gone]
    _tell(f"{len(gone)} marks removed", as_json, now, removed=bodies)


@command.command("throttle")
@click.argument("cloud", type=CLOUDS)
@click.option("--times", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--operation",
    type=OPERATIONS,
    default="change",
    show_default=True,
    help="Which calls: `read` are looks, `*` is any.",
)
@at_option
@json_option
def throttle(*, cloud: str, times: int, operation: str, at: str | None, as_json: bool) -> None:
    """Let the next calls of CLOUD's API be refused as too many."""
    from multicloud.models.offer import Cloud
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.faults import throttle as refuse

    with simulated(Path.cwd(), at) as (db, now):
        refuse(db, Cloud(cloud), times, operation=operation)
    text = f"the next {times} calls of {cloud} are refused ({operation})"
    _tell(text, as_json, now, cloud=cloud, times=times, operation=operation)


@command.command("fail")
@click.argument("type_", metavar="TYPE")
@click.argument("operation", type=OPERATIONS)
@click.option(
    "--error",
    type=click.Choice(["throttled", "quota", "capacity", "internal"]),
    default="internal",
    show_default=True,
    help="What to fail with, in the cloud's own words.",
)
@click.option("--text", default="", help="Other words to fail with.")
@click.option("--times", type=click.IntRange(1), default=1, show_default=True)
@click.option("--cloud", type=CLOUDS, help="Of `inventory`, only looks at this cloud.")
@click.option("--region", default="", help="Only calls in this region.")
@at_option
@json_option
def fail(
    *,
    type_: str,
    operation: str,
    error: str,
    text: str,
    times: int,
    cloud: str | None,
    region: str,
    at: str | None,
    as_json: bool,
) -> None:
    """Let the next calls on resources of TYPE fail; `inventory` are multicloud's own looks."""
    from multicloud.models.offer import Cloud
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.faults import ApiError
    from multicloud.sandbox.faults import fail as let_fail

    with simulated(Path.cwd(), at) as (db, now):
        told = let_fail(
            db,
            type_,
            operation,
            error=ApiError(error),
            text=text,
            times=times,
            cloud=Cloud(cloud) if cloud else None,
            region=region,
        )
    said = f"the next {times} calls to {operation} {type_} fail: {told}"
    _tell(said, as_json, now, type=type_, operation=operation, times=times, text=told)


@command.command("scale")
@click.argument("target", metavar="POOL|PLACE")
@click.argument("count", type=click.IntRange(0))
@at_option
@json_option
def scale(*, target: str, count: int, at: str | None, as_json: bool) -> None:
    """Let a group have COUNT nodes, as an autoscaler that is not ours would."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.nodes import scale as set_size

    with simulated(Path.cwd(), at) as (db, now):
        groups = set_size(db, target, count)
    _tell(f"{count} nodes for {', '.join(groups)}", as_json, now, groups=list(groups), count=count)


@command.command("price")
@click.argument("cloud", type=CLOUDS)
@click.argument("region")
@click.argument("type_", metavar="TYPE")
@click.argument("capacity", type=CAPACITY)
@click.argument("amount", metavar="AMOUNT|list")
@click.option("--zone", default="", help="Of a zone, where prices are told by zone.")
@at_option
@json_option
def price(
    *,
    cloud: str,
    region: str,
    type_: str,
    capacity: str,
    amount: str,
    zone: str,
    at: str | None,
    as_json: bool,
) -> None:
    """Let a node cost AMOUNT an hour in what the cloud bills, or its list price again."""
    from multicloud.models.offer import CapacityType, Cloud, OfferKey
    from multicloud.policy.scalars import ScalarError, parse_positive
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.feed import set_price

    try:
        exact = None if amount == "list" else parse_positive(amount)
    except ScalarError as error:
        raise InvalidInputError(f"AMOUNT: {error.summary}", detail=error.expected) from error
    key = OfferKey(Cloud(cloud), region, zone, type_, CapacityType(capacity))
    with simulated(Path.cwd(), at) as (db, now):
        set_price(db, key, exact)
    text = f"{type_} {capacity} in {cloud}/{region} costs {amount}; run: multicloud prices refresh"
    _tell(text, as_json, now, offer=list(key), amount=amount)


@command.command("boot")
@click.argument("seconds", type=float)
@at_option
@json_option
def boot(*, seconds: float, at: str | None, as_json: bool) -> None:
    """Let nodes that are launched from now on boot for SECONDS."""
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.nodes import set_boot_s

    with simulated(Path.cwd(), at) as (db, now):
        set_boot_s(db, seconds)
    _tell(f"a node boots in {seconds:g} s", as_json, now, boot_s=seconds)


@command.command("script")
@click.argument("file", type=click.Path(path_type=Path))
@at_option
@json_option
def script(*, file: Path, at: str | None, as_json: bool) -> None:
    """Schedule a fault plan: a YAML list of {at: INSTANT, do: evict|unavailable|..., ...}."""
    from multicloud.run.files import read_text
    from multicloud.run.simulated import simulated
    from multicloud.sandbox.events import add_plan, read_plan

    events = read_plan(read_text(file, what="fault plan"), file=str(file))
    with simulated(Path.cwd(), at) as (db, now):
        added = add_plan(db, events, now)
    text = f"{added} of {len(events)} entries scheduled"
    _tell(text, as_json, now, scheduled=added, entries=len(events))


@command.command("reset")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def reset(*, yes: bool, as_json: bool) -> None:
    """Empty the simulated clouds: nodes, resources, marks and faults."""
    from multicloud import clock
    from multicloud.run.simulated import reset as empty

    if not yes:
        if not sys.stdin.isatty():
            raise GuardrailError("nobody can be asked: this is no terminal.", hint="Add --yes.")
        if not click.confirm("Empty the simulated clouds?", err=True):
            raise GuardrailError("not approved; nothing was changed.")
    left = empty(Path.cwd())
    _tell("the simulated clouds are empty", as_json, clock.utcnow(), states_left=list(left))
    if left:
        click.echo(
            f"note: {len(left)} states still name what was there: {', '.join(left)}. "
            "Run: multicloud destroy",
            err=True,
        )
