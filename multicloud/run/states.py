"""Looks at local state files before and after an engine touched them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from multicloud.errors import EngineError, GuardrailError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.models.change import StackKey


def check_owner(state: Path, key: StackKey) -> None:
    """Make sure that a state holds the asked pool's resources and nobody else's.

    Raises:
        GuardrailError: a resource in it is tagged as another pool's or place's.
    """
    for tags in _tags(_read(state)):
        found = (tags.get("policy"), tags.get("pool"), tags.get("place"))
        if found != key.tags:
            told = "/".join(str(part) for part in found)
            raise GuardrailError(
                f"{state} belongs to {told}, not to {'/'.join(key.tags)}.",
                detail="Nothing was changed.",
                hint="Put the right state back, or ask a colleague who moved it.",
            )


def keep_if_sound(state: Path, before: bytes | None) -> None:
    """After an apply: the new state must be a successor of the one before.

    An empty, broken, older or foreign one is kept aside and the old one put back.

    Raises:
        EngineError: it was not.
    """
    if before is None:
        return
    fault = _fault(state, before)
    if fault is None:
        return
    aside = state.with_name(f"{state.name}.rejected")
    if state.exists():
        state.replace(aside)
    state.touch(mode=0o600)
    state.write_bytes(before)
    raise EngineError(
        f"the engine left a state that {fault}; the one before was put back.",
        detail=f"What it left is kept as {aside}.",
        hint="Compare the two before anything else runs on this stack.",
    )


def _fault(state: Path, before: bytes) -> str | None:
    if not state.exists() or not state.stat().st_size:
        return "is empty"
    old, new = _parse(before), _read(state)
    if not new:
        return "cannot be read"
    if old and old.get("lineage") != new.get("lineage"):
        return "has another lineage"
    if old and int(new.get("serial", 0)) < int(old.get("serial", 0)):
        return "is older than the one before"
    return None


def _read(state: Path) -> dict[str, Any]:
    try:
        return _parse(state.read_bytes())
    except OSError:
        return {}


def _parse(contents: bytes) -> dict[str, Any]:
    try:
        found = json.loads(contents)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _tags(state: dict[str, Any]) -> Iterator[dict[str, str]]:
    for resource in state.get("resources", []):
        for instance in resource.get("instances", []):
            tags = instance.get("attributes", {}).get("tags")
            if isinstance(tags, dict) and tags.get("managed-by") == "multicloud":
                yield tags
