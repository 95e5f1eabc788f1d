"""Whether the providers that a live run needs can be had, told before a run needs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multicloud.engine.plan_all import live_sources
from multicloud.engine.providers import builds_in, fitting, this_platform
from multicloud.models.project import Target
from multicloud.render.stack import ALL_MODULES
from multicloud.run.finding import Finding, Health

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.engine.cli_config import ProviderSources
    from multicloud.models.project import EngineSettings, Project
    from multicloud.render.contract import Plugin


def check_providers(
    project: Project, settings: EngineSettings, environ: Mapping[str, str]
) -> Iterator[Finding]:
    """One finding per mirror that cannot be read, and per provider of the project's clouds.

    The sandbox serves its own, so nothing is looked for there. No network is asked.
    """
    if project.target is not Target.LIVE:
        return
    sources = live_sources(settings, environ)
    folders = [Path(m).expanduser() for m in sources.mirrors if not _is_network(m)]
    for folder in folders:
        try:
            list(folder.iterdir())
        except OSError as error:
            yield Finding(
                name="mirror",
                health=Health.BAD,
                text=f"{folder}: {error.strerror}",
                hint="Make it by `terraform providers mirror`, or take it out of the settings.",
            )
    for module in ALL_MODULES:
        if module.cloud in project.clouds or not project.clouds:
            yield _provider(module.plugin, sources, folders)


def _provider(plugin: Plugin, sources: ProviderSources, folders: list[Path]) -> Finding:
    name = f"provider {plugin.name}"
    seen: list[str] = []
    cache = [Path(sources.plugin_cache).expanduser()] if sources.plugin_cache else []
    # With mirrors nothing else is asked, so what lies in the cache alone is not enough.
    for folder in folders if sources.mirrors else cache:
        try:
            builds = builds_in(folder, plugin.source, this_platform())
        except OSError:
            continue  # told apart; a cache is made when it is first used
        version = fitting(plugin, builds)
        if version is not None:
            return Finding(name=name, health=Health.OK, text=f"{version} in {folder}")
        seen += builds
    if any(_is_network(mirror) for mirror in sources.mirrors):
        return Finding(name=name, health=Health.NOTE, text="to be asked of the network mirror")
    if not sources.mirrors:
        return Finding(name=name, health=Health.NOTE, text="to be fetched from the registry")
    has = f", only {', '.join(seen)}" if seen else ""
    return Finding(
        name=name,
        health=Health.BAD,
        text=f"no {plugin.source} {plugin.versions} for {this_platform()} in the mirrors{has}",
        hint="Fetch it by `terraform providers mirror FOLDER` in a rendered root.",
    )


def _is_network(mirror: str) -> bool:
    return mirror.startswith("https://")
