"""The CLI configuration that the engine gets in place of the user's: where providers come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSources:
    """Where providers may be installed from.

    `mirrors` are `https://` addresses of network mirrors or folders of file system mirrors; when
    there are any, nothing else is asked. `direct` allows the registry where there are none.
    `plugin_cache` is a folder that all stacks share, or None.
    """

    mirrors: tuple[str, ...] = ()
    direct: bool = True
    plugin_cache: str | None = None


def sandbox_sources(empty_folder: str) -> ProviderSources:
    """Nothing can be installed: a provider that is not served in process is an error."""
    return ProviderSources(mirrors=(empty_folder,), direct=False)


def cli_config(sources: ProviderSources) -> str:
    """The text of the file.

    Raises: InvalidInputError for a path that the file's grammar cannot hold.
    """
    lines = ["disable_checkpoint = true"]
    if sources.plugin_cache is not None:
        lines.append(f"plugin_cache_dir = {_quoted(sources.plugin_cache)}")
    lines.append("provider_installation {")
    lines += _methods(sources)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _methods(sources: ProviderSources) -> Sequence[str]:
    if not sources.mirrors and sources.direct:
        return ["  direct {}"]
    methods = []
    for mirror in sources.mirrors:
        if mirror.startswith("http://"):
            raise InvalidInputError(
                f"the mirror {mirror} is not https.",
                hint="Providers run as you; fetch them over https or from a folder.",
            )
        if mirror.startswith("https://"):
            address = mirror if mirror.endswith("/") else f"{mirror}/"
            methods.append(f"  network_mirror {{\n    url = {_quoted(address)}\n  }}")
        else:
            methods.append(f"  filesystem_mirror {{\n    path = {_quoted(mirror)}\n  }}")
    return methods


def _quoted(text: str) -> str:
    """A string of HCL 1, whose `${` cannot be escaped."""
    if "${" in text or not text.isprintable():
        raise InvalidInputError(
            f"the path {text!r} cannot be written into Terraform's CLI configuration.",
            hint="Use a path without control characters and without `${`.",
        )
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
