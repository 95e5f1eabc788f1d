"""Whether a process is the one that it was: ids are used again, ids with a start time are not."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

_PS_S = 5.0


def identity(pid: int) -> str:
    """Host and start time of a running process, as opaque text; "" for one that has ended.

    From /proc where there is one, else by `ps`.
    """
    started = _started(pid)
    return f"{socket.gethostname()} {started}" if started else ""


def is_alive(pid: int, known: str) -> bool:
    """Whether the very process that had this identity still runs on this host."""
    return bool(known) and identity(pid) == known


def _started(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return "" if Path("/proc/self/stat").exists() else _by_ps(pid)
    except OSError:
        return ""
    # The name, in brackets, may hold blanks and brackets: what counts comes after the last one.
    fields = text.rpartition(")")[2].split()
    # proc(5): state is the third field, the start time in ticks since boot the 22nd.
    state, started = fields[0], fields[19]
    return "" if state in "ZX" else started


def _by_ps(pid: int) -> str:
    if os.name != "posix":
        return ""
    command = ("ps", "-o", "lstart=", "-p", str(pid))
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PS_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
