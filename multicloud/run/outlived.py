"""Engines that outlived the run that started them: nobody works beside one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.engine.alive import is_alive
from multicloud.errors import GuardrailError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicloud.models.run import JournalStep

GRACE_S = 60.0
"""How long an engine without its run may take to end before another run gives up."""
_LOOK_EVERY_S = 0.5


def await_engines(steps: Sequence[JournalStep]) -> None:
    """Wait until no engine of these open steps is at work on this host.

    An engine on another host cannot be seen from here; the state's own lock stands against it.

    Raises:
        GuardrailError: one still is after `GRACE_S`.
    """
    end = clock.monotonic() + GRACE_S
    for step in steps:
        while step.pid is not None and is_alive(step.pid, step.pid_started):
            if clock.monotonic() >= end:
                raise GuardrailError(
                    f"the engine of run {step.run} still works on {step.stack} "
                    f"(process {step.pid}), though the run itself has ended.",
                    hint="Wait for it, or end that process: kill -INT, once.",
                )
            time.sleep(_LOOK_EVERY_S)
