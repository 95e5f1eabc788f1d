"""`multicloud watch`."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

import click

from multicloud.cli.options import (
    acting_options,
    acting_request,
    policy_option,
    pool_option,
    question,
    target_option,
)
from multicloud.errors import InterruptedRunError, InvalidInputError

if TYPE_CHECKING:
    from datetime import timedelta

    from multicloud.run.watch import Round


@click.command("watch")
@policy_option
@pool_option
@target_option
@acting_options
@click.option("--interval", metavar="TIME", help="At least so often; the project's, else 5m.")
@click.option("--look-every", metavar="TIME", help="How often nodes are counted; 10s.")
@click.option("--refresh", metavar="TIME", help="Refresh prices that often; never by default.")
@click.option("--listen", metavar="HOST:PORT", help="Serve /healthz and /metrics there.")
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    target: str | None,
    engine: str | None,
    parallelism: int,
    allow_replace: tuple[str, ...],
    adopt: bool,
    switch_engine: bool,
    interval: str | None,
    look_every: str | None,
    refresh: str | None,
    listen: str | None,
) -> int:
    """Rebalance at each instant that matters, and when nodes are lost, until told to stop."""
    from multicloud import clock
    from multicloud.models.run import RunKind
    from multicloud.report.run_report import report_text
    from multicloud.run.health import serve
    from multicloud.run.inputs import load_inputs, load_project
    from multicloud.run.rounds import Rounds
    from multicloud.run.watch import INTERVAL, Watch

    asked = question(policies, pools, None, None, target)
    stop = threading.Event()
    # A policy that is wrong now is told at once; one that goes wrong later is waited out.
    load_inputs(asked)
    _, project = load_project(asked.folder)
    rounds = Rounds(
        question=asked,
        request=acting_request(
            RunKind.REBALANCE,
            engine=engine,
            parallelism=parallelism,
            allow_replace=allow_replace,
            adopt=adopt,
            switch_engine=switch_engine,
            on_progress=None,
        ),
        refresh_every=_span(refresh, "--refresh"),
        on_report=lambda report: click.echo(report_text(report)),
        on_note=lambda note: click.echo(f"note: {note}", err=True),
    )
    watch = Watch(
        act=rounds.act,
        look=rounds.look,
        now=clock.utcnow,
        wait=time.sleep,
        interval=_span(interval, "--interval") or project.interval or INTERVAL,
        look_every=_span(look_every, "--look-every") or Watch.look_every,
        on_round=_tell,
        is_stopped=stop.is_set,
    )

    def told(*_: object) -> None:
        stop.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, told)
    signal.signal(signal.SIGINT, told)
    with serve(watch, listen) if listen else nullcontext() as address:
        if address:
            click.echo(f"note: /healthz and /metrics on http://{address}", err=True)
        with suppress(KeyboardInterrupt, InterruptedRunError):
            watch.run()
        click.echo("note: stopped; nothing is left half-done", err=True)
    return 0


def _tell(done: Round) -> None:
    if done.text:
        click.echo(f"error: {done.text}", err=True)


def _span(text: str | None, option: str) -> timedelta | None:
    from multicloud.policy.scalars import ScalarError, parse_duration

    if text is None:
        return None
    try:
        found = parse_duration(text)
    except ScalarError as error:
        raise InvalidInputError(f"{option}: {error.summary}", detail=error.expected) from error
    if not found:
        raise InvalidInputError(f"{option} must be longer than nothing.")
    return found
