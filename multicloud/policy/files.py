"""Files that a policy names: what a node runs at its start, and who may log in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError
from multicloud.policy import kinds as k

if TYPE_CHECKING:
    from multicloud.policy.reader import Reader

ReadFile = Callable[[str, str], str]
"""Contents of a file, from the policy's own path and the path written in it."""

_VARIABLE = re.compile(r"\$\{env:([^}\s]*)\}")
_PUBLIC_KEY = re.compile(r"(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+( [^\n]*)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """How files are read and which variables may enter them.

    `read` is None where there is nothing to read from; then naming a file is a fault. `allowed`
    are the names in the project file's `env:`.
    """

    file: str
    read: ReadFile | None
    allowed: frozenset[str]
    environ: Mapping[str, str]


def read_startup(node: Reader, files: Files) -> tuple[str | None, tuple[str, ...]]:
    """The startup script with its variables filled in, and the values that were filled in."""
    text = _read(node, "startup", files)
    if text is None:
        return None, ()
    values: dict[str, str] = {}
    for name in dict.fromkeys(_VARIABLE.findall(text)):
        if name not in files.allowed:
            node.fault(
                "startup",
                f'uses ${{env:{name}}}, which the project file does not list under "env".',
                hint=f"Add {name} to env: in multicloud.yaml, if it may leave this machine.",
            )
        elif name not in files.environ:
            node.fault(
                "startup",
                f"uses ${{env:{name}}}, which is not set in the environment.",
                hint=f"Set {name} and run again.",
            )
        else:
            values[name] = files.environ[name]
    filled = _VARIABLE.sub(lambda match: values.get(match[1], ""), text)
    return filled, tuple(sorted({value for value in values.values() if value}))


def read_ssh_key(node: Reader, files: Files) -> str | None:
    """The public key that may log in."""
    text = _read(node, "ssh_key", files)
    if text is None:
        return None
    if not _PUBLIC_KEY.fullmatch(text.strip()):
        secret = "PRIVATE KEY" in text
        node.fault(
            "ssh_key",
            "holds a private key." if secret else "holds no public key.",
            detail="Expected one line as in id_ed25519.pub.",
        )
    return text.strip()


def _read(node: Reader, key: str, files: Files) -> str | None:
    path = node.value(key, k.FILE)
    if path is None:
        return None
    if files.read is None:
        node.fault(key, f'"{path}" cannot be read here.', detail="Files need a project folder.")
        return None
    try:
        return files.read(files.file, path)
    except InvalidInputError as error:
        node.fault(key, error.summary, detail=error.detail, hint=error.hint)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        node.fault(key, f'"{path}" cannot be read: {reason}.')
    return None
