"""`multicloud doctor`."""

from __future__ import annotations

import click

from multicloud.cli.options import format_option, policy_option, print_json, question
from multicloud.errors import ExitCode


@click.command("doctor")
@policy_option
@click.option("--engine", metavar="PATH", help="Check this terraform or tofu binary.")
@format_option("json")
def command(*, policies: tuple[str, ...], engine: str | None, format_: str, as_json: bool) -> int:
    """Check engine, time zones, credentials and files; exit 1 when something is bad."""
    from multicloud.run.doctor import examine
    from multicloud.run.finding import Health

    findings = examine(question(policies), engine)
    is_bad = any(finding.health is Health.BAD for finding in findings)
    code = ExitCode.FAILED if is_bad else ExitCode.OK
    if as_json or format_ == "json":
        from multicloud.report.findings import findings_document

        print_json(findings_document(findings, exit_code=code))
    else:
        from multicloud.report.findings import findings_text

        click.echo(findings_text(findings))
    return code
