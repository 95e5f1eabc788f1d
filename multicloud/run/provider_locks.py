"""The committed provider locks: `multicloud.lock/<name>.hcl` beside the project file.

A lock is named after its cloud, or after the provider of a module that is not the cloud's main one.

They pin which provider builds a live run may use. The sandbox has none: its stand-in must never
be taken for a real provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "multicloud.lock"


def read_locks(root: Path) -> Mapping[str, str]:
    """The locks by name; empty without any."""
    return {
        path.stem: path.read_text(encoding="utf-8") for path in sorted(root.glob(f"{FOLDER}/*.hcl"))
    }


def keep_lock(root: Path, name: str, text: str | None) -> str | None:
    """Keep what an engine locked where there is no lock of the name yet; a sentence when it did."""
    path = root / FOLDER / f"{name}.hcl"
    if text is None or path.exists():
        return None
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return f"wrote {FOLDER}/{name}.hcl: commit it, so that every run uses the same providers"
