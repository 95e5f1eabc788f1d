"""Stand-ins for what tests must not start: scripted, recording, and strict."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from multicloud.engine.process import Completed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a scripted command answers: exit code, lines on stdout, text on stderr."""

    exit_code: int = 0
    lines: tuple[str, ...] = ()
    stderr: str = ""
    raises: BaseException | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """A command as the runner was asked to run it."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    timeout_s: float


@dataclass(slots=True)
class FakeRunner:
    """Answers commands in order with scripted replies; one that is not scripted fails.

    `always`, by the engine's subcommand, answers any number of times, before `replies`.
    """

    replies: deque[Reply] = field(default_factory=deque)
    always: Mapping[str, Reply] = field(default_factory=dict)
    calls: list[RecordedCall] = field(default_factory=list)
    interrupts: int = 0

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
        on_start: Callable[[int], None] | None = None,
    ) -> Completed:
        """Play the next reply."""
        del on_start
        self.calls.append(RecordedCall(argv=tuple(argv), cwd=cwd, env=env, timeout_s=timeout_s))
        reply = next((r for name, r in self.always.items() if name in argv), None)
        if reply is None:
            if not self.replies:
                raise AssertionError(f"no reply was scripted for {list(argv)}")
            reply = self.replies.popleft()
        if reply.raises is not None:
            raise reply.raises
        for line in reply.lines if on_line else ():
            assert on_line is not None
            on_line(line)
        return Completed(
            exit_code=reply.exit_code, stdout_tail="\n".join(reply.lines), stderr_tail=reply.stderr
        )

    def interrupt(self) -> None:
        """Count the call."""
        self.interrupts += 1


def write_program(path: Path, body: str) -> Path:
    """An executable Python script at `path`, for a fake engine that a real runner starts."""
    path.write_text(f"#!{os.path.realpath(sys.executable)} -S\n{body}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
