"""Where Terraform keeps the state of a stack: one backend block, with the stack's own key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.change import StackKey
    from multicloud.models.project import Backend
    from multicloud.render.tfjson import Value

# `.multicloud/work/<4 parts of the key>/` is where the engine runs, and a relative path keeps
# the text the same in every checkout.
_UP_TO_PROJECT_FOLDER = "../" * 5


def local_state_path(key: StackKey) -> str:
    """Path of a stack's state file as seen from its work folder: `.multicloud/state/<key>`."""
    return f"{_UP_TO_PROJECT_FOLDER}state/{key}.tfstate"


def backend_block(
    backend: Backend, key: StackKey, *, local_state: str | None = None
) -> Mapping[str, Value]:
    """The `backend` argument of the `terraform` block.

    Settings are passed on as they are, but for `prefix`, which goes before the stack's key in
    every kind. `local_state` overrides where the local backend writes.
    Raises: InvalidInputError for a kind that we do not know and for settings that would put
    two stacks into one state.
    """
    if backend.kind not in _KEYS:
        known = ", ".join(sorted(_KEYS))
        raise InvalidInputError(
            f"unknown backend {backend.kind!r}.", detail=f"Known are {known}.", hint=_HINT
        )
    taken = {"path", "key", "workspace_dir"} & backend.settings.keys()
    if taken:
        raise InvalidInputError(
            f"the {backend.kind} backend's {' and '.join(sorted(taken))} cannot be set:",
            detail="each stack has a state of its own.",
            hint="Say `prefix:` to put all of them under one folder.",
        )
    settings: dict[str, str] = dict(backend.settings)
    prefix = settings.pop("prefix", "").strip("/")
    if backend.kind == "local":
        path = local_state if local_state is not None else local_state_path(key)
        return {"local": {**settings, "path": path}}
    name = f"{prefix}/{key}" if prefix else str(key)
    return {backend.kind: {**settings, **_KEYS[backend.kind](name, settings)}}


_HINT = "Write it under `backend:` of multicloud.yaml."


def _whole_key(name: str, _settings: Mapping[str, str]) -> Mapping[str, str]:
    return {"key": f"{name}.tfstate"}


def _folder(name: str, _settings: Mapping[str, str]) -> Mapping[str, str]:
    return {"prefix": name}


def _folder_and_file(name: str, _settings: Mapping[str, str]) -> Mapping[str, str]:
    folder, _, file = name.rpartition("/")
    return {"prefix": folder, "key": f"{file}.tfstate"}


def _addresses(name: str, settings: Mapping[str, str]) -> Mapping[str, str]:
    # State servers take one path segment; no part of a key has two dots in a row.
    flat = name.replace("/", ".")
    names = ("address", "lock_address", "unlock_address")
    if "address" not in settings:
        raise InvalidInputError("the http backend has no address.", hint=_HINT)
    return {
        part: _join(settings[part], flat, locking=part != "address")
        for part in names
        if part in settings
    }


def _join(base: str, name: str, *, locking: bool) -> str:
    base = base.rstrip("/")
    if locking and base.endswith("/lock"):
        return f"{base.removesuffix('/lock')}/{name}/lock"
    return f"{base}/{name}"


_KEYS: Mapping[str, Callable[[str, Mapping[str, str]], Mapping[str, str]]] = {
    "local": _whole_key,
    "s3": _whole_key,
    "azurerm": _whole_key,
    "gcs": _folder,
    "cos": _folder_and_file,
    "oss": _folder_and_file,
    "http": _addresses,
}
