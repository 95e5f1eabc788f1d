"""Which stacks need no engine: nothing about them can have changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from multicloud.models.run import Purpose, StackStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import PurePosixPath

    from multicloud.run.jobs import StackJob
    from multicloud.run.observe import Observed


def text_digest(files: Mapping[PurePosixPath, str]) -> str:
    """SHA-256 over a stack's rendered files."""
    whole = json.dumps({str(path): text for path, text in files.items()}, sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()


def is_unchanged(job: StackJob, observed: Observed, *, open_steps: Sequence[str] = ()) -> bool:
    """Whether the stack stands as its last completed apply left it.

    Its text is the same, no step on it is open, and the inventory shows exactly the nodes
    wanted (or any number within the bounds of somebody else's size); where the region could
    not be read, nobody knows, and the engine is asked.
    """
    key = job.stack.key
    if job.purpose is Purpose.REMOVE or str(key) in open_steps:
        return False
    record = next((stack for stack in observed.stacks if stack.key == key), None)
    if record is None or record.status not in (StackStatus.APPLIED, StackStatus.EMPTY):
        return False
    if record.text_digest != text_digest(job.stack.files):
        return False
    slot = job.stack.placement.slot
    reading = next(
        (r for r in observed.readings if (r.cloud, r.region) == (slot.cloud, slot.region)), None
    )
    if reading is None or reading.error:
        return False
    alive = sum(node.tags == key.tags for node in reading.nodes)
    return job.stack.placement.is_right(alive)
