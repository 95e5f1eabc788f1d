"""The committed provider locks: `multicloud.lock/<cloud>.hcl` beside the project file.

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
    """The locks by cloud; empty without any."""
    return {
        path.stem: path.read_text(encoding="utf-8") for path in sorted(root.glob(f"{FOLDER}/*.hcl"))
    }


def keep_lock(root: Path, cloud: str, text: str | None) -> str | None:
    """Keep what an engine locked for a cloud that has no lock yet; a sentence when it did."""
    path = root / FOLDER / f"{cloud}.hcl"
    if text is None or path.exists():
        return None
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return f"wrote {FOLDER}/{cloud}.hcl: commit it, so that every run uses the same providers"
