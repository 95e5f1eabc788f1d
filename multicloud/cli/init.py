"""`multicloud init`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("init")
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
def command(*, folder: Path) -> None:
    """Write a project file and a first policy into FOLDER (the current one by default)."""
    from multicloud.run.starter import write_starter

    for path in write_starter(folder):
        click.echo(f"wrote {path}")
    change = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"Next: {change}multicloud plan")
