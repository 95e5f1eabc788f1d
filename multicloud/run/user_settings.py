"""The user's own configuration of the engine; never a file of a repository.

`$XDG_CONFIG_HOME/multicloud/config.yaml` (`~/.config` by default), with
`engine: {path: ..., mirrors: [...], plugin_cache: ...}`. A pull request must not choose which
binary runs nor where providers come from, so the project file has no such keys.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, Where
from multicloud.models.project import EngineSettings
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence, parse
from multicloud.run.files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping as Environ

KEYS = ("path", "mirrors", "plugin_cache")


def user_settings(environ: Environ[str, str]) -> EngineSettings:
    """The settings; empty ones when the user has no such file.

    Raises:
        InvalidInputError: the file is there and is not as described above.
    """
    base = environ.get("XDG_CONFIG_HOME") or f"{environ.get('HOME', '~')}/.config"
    path = Path(base).expanduser() / "multicloud" / "config.yaml"
    if not path.exists():
        return EngineSettings()
    root = parse(read_text(path, what="user configuration"), file=str(path))
    engine = _items(root, ("engine",), str(path)).get("engine")
    if engine is None:
        return EngineSettings()
    found = _items(engine, KEYS, str(path))
    mirrors = found.get("mirrors")
    if mirrors is not None and not isinstance(mirrors, Sequence):
        raise _fault(mirrors, "mirrors is no list", str(path))
    return EngineSettings(
        path=_text(found.get("path"), str(path)),
        mirrors=tuple(_text(item, str(path)) or "" for item in mirrors.items) if mirrors else (),
        plugin_cache=_text(found.get("plugin_cache"), str(path)),
    )


def _items(node: Node, known: tuple[str, ...], file: str) -> dict[str, Node]:
    if not isinstance(node, Mapping):
        raise _fault(node, f"expected a map with {', '.join(known)}", file)
    found: dict[str, Node] = {}
    for key, value in node.entries:
        if key.text not in known:
            raise _fault(key, f'unknown key "{key.text}"; expected {", ".join(known)}', file)
        found[key.text] = value
    return found


def _text(node: Node | None, file: str) -> str | None:
    if node is None:
        return None
    if not isinstance(node, Scalar) or not node.text:
        raise _fault(node, "expected a text", file)
    return node.text


def _fault(node: Node, problem: str, file: str) -> InvalidInputError:
    return InvalidInputError(
        problem, where=Where(file=file, line=node.where.line, column=node.where.column)
    )
