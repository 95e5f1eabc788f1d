"""The command group: verbs are imported when called, and every error becomes one exit code."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING

import click

from multicloud.cli.failures import report_failure
from multicloud.errors import (
    ExitCode,
    InterruptedRunError,
    InvalidInputError,
    MulticloudError,
    Where,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# verb -> one line for `--help`; the command is `multicloud.cli.<verb>.command`.
VERBS = {
    "init": "Write a first policy (and project file) into a folder.",
    "validate": "Check policies: all errors at once, then what looks odd.",
    "offers": "List what meets a need anywhere, cheapest first.",
    "plan": "Decide, render and plan; change nothing.",
    "apply": "Carry out a saved plan exactly, or plan, ask and carry out.",
    "rebalance": "Bring every pool to its decision without asking; for cron.",
    "watch": "Rebalance at each instant that matters, and when nodes are lost.",
    "destroy": "Take pools down with all they have; they stay off until released.",
    "status": "Show policy, records and clouds side by side.",
    "drift": "Tell what somebody changed by hand from what clouds do; find orphans.",
    "nodes": "List a pool's nodes as the clouds tell them.",
    "hold": "Freeze a pool for a while, or hold it on or off.",
    "release": "Give pools back to their rules.",
    "explain": "Say why a pool is where it is, offer by offer.",
    "schedule": "List every change the clock will make, with place and cost.",
    "render": "Write the Terraform of the present decision into a folder.",
    "cost": "Show what pools cost: paid, planned, and had there been no policy.",
    "prices": "Read the clouds' prices into the store; show, import and export them.",
    "sandbox": "Look at the simulated clouds, and let things go wrong in them.",
    "doctor": "Check engine, time zones, credentials and files.",
}


class Verbs(click.Group):
    """A group that knows its verbs by name and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Verbs in the order in which a newcomer meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a verb; None for an unknown one, which click reports."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"multicloud.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 failed, 2 changes pending, 3 invalid, 4 blocked, 5 partial, "
    "130 interrupted.",
)
@click.version_option(package_name="multicloud", message="multicloud %(version)s")
def root() -> None:
    """Run GPU pools over several clouds, by the clock and by price, through Terraform."""


def _interrupt(*_: object) -> None:
    """A SIGTERM is a Ctrl-C: the engines are told once and waited for."""
    raise KeyboardInterrupt


def _system_error(error: OSError) -> MulticloudError:
    """A file that cannot be read or written, a full disk: the system's own words and the place."""
    where = Where(file=str(error.filename)) if error.filename else None
    return MulticloudError(f"{error.strerror or error}", where=where)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; never raises, never prints a traceback.

    Set MULTICLOUD_DEBUG=1 to see the traceback of an unexpected error.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        outcome = root.main(args=list(arguments), prog_name="multicloud", standalone_mode=False)
        code = int(outcome) if isinstance(outcome, int) else ExitCode.OK
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except (click.Abort, KeyboardInterrupt):
        return report_failure(InterruptedRunError("interrupted"), arguments)
    except click.ClickException as error:
        usage = error.ctx if isinstance(error, click.UsageError) else None
        hint = f"Run: {usage.command_path} --help" if usage else ""
        return report_failure(InvalidInputError(error.format_message(), hint=hint), arguments)
    except MulticloudError as error:
        return report_failure(error, arguments)
    except BrokenPipeError:
        # The reader went away (`| head`): not an error, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except OSError as error:
        return report_failure(_system_error(error), arguments)
    except Exception as error:
        if os.environ.get("MULTICLOUD_DEBUG"):
            raise
        unexpected = MulticloudError(
            f"internal error: {type(error).__name__}: {error}",
            hint="This is a fault in multicloud. Run again with MULTICLOUD_DEBUG=1 for details.",
        )
        return report_failure(unexpected, arguments)
    return code
