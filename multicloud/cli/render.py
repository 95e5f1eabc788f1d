"""`multicloud render`."""

from __future__ import annotations

from pathlib import Path

import click

from multicloud.cli.options import question, question_options


@click.command("render")
@question_options
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="A new or empty folder; each stack becomes a Terraform root that stands alone.",
)
def command(
    *,
    policies: tuple[str, ...],
    pools: tuple[str, ...],
    at: str | None,
    prices: str | None,
    target: str | None,
    out: Path,
) -> None:
    """Write the Terraform of the present decision into a folder; start no engine."""
    from multicloud.run.export import export_stacks

    exported = export_stacks(question(policies, pools, at, prices, target), out)
    for folder in exported.folders:
        click.echo(f"wrote {folder}")
    for pool in exported.idle:
        click.echo(f"{pool}, nothing to render")
    if exported.folders:
        click.echo(f"Next: terraform -chdir={exported.folders[0]} init")
