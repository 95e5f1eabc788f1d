"""Tells a monitor that runs happen: silence is what it raises the alarm about."""

from __future__ import annotations

import urllib.request
from typing import TYPE_CHECKING

from multicloud.errors import MulticloudError
from multicloud.run.inputs import load_project

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 5.0


def beat(folder: Path, *, is_good: bool) -> str:
    """Fetch the `heartbeat` address of a folder's project, with `/fail` behind it after a bad run.

    Returns a sentence when that failed, "" else: no run fails for its monitor's sake. A project
    that cannot be read has been told of already: no run begins without it.
    """
    try:
        _, project = load_project(folder)
    except MulticloudError:
        return ""
    if not project.heartbeat:
        return ""
    url = project.heartbeat if is_good else f"{project.heartbeat.rstrip('/')}/fail"
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S):  # noqa: S310 - http and https only, see the project file
            return ""
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        return f"the heartbeat could not be sent: {why}"
