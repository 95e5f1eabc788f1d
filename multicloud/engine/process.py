"""Runs a child process: an argv list without a shell, no input, both pipes drained, one SIGINT.

A child gets a session of its own, so that Ctrl-C in the terminal reaches us alone; we pass on one
SIGINT and wait, because Terraform takes a second one for an order to stop at once and then loses
track of what it was making.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from multicloud import clock
from multicloud.engine.drain import Drain
from multicloud.errors import EngineError, EngineFailedError, InterruptedRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import IO

GRACE_S = 60.0
"""How long a child may take to end after SIGINT; then it and its children are killed."""

_POLL_S = 0.1
_LEFTOVER_S = 1.0  # for the last output of a child that has ended
_PRIVATE = 0o077  # what the engine writes (states, plans) is for its user alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How a child ended, with the last 64 KiB of each of its outputs.

    A negative `exit_code` is the signal that ended it. Bytes that are not UTF-8 are replaced.
    """

    exit_code: int
    stdout_tail: str
    stderr_tail: str


class Runner(Protocol):
    """Runs child processes; tests put a scripted one in its place."""

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
        """Run a command to its end; `on_line` gets each line of stdout without its end.

        `on_start` gets the process's id as soon as there is one.

        Raises:
            EngineError: the command cannot be started.
            EngineFailedError: it did not end within `timeout_s` and was stopped.
            InterruptedRunError: `interrupt` was called before or while it ran.
        """

    def interrupt(self) -> None:
        """Pass one SIGINT to every running child, whose `run` waits on, and start no other."""


class SubprocessRunner:
    """The real runner; safe to use from several threads at once."""

    def __init__(self, *, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        self._lock = threading.Lock()
        self._running: set[_Child] = set()
        self._interrupted = False

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
        """Run a command to its end: see `Runner.run`."""
        child = self._start(argv, cwd, env, on_line)
        try:
            if on_start is not None:
                on_start(child.pid)
            in_time = child.wait(timeout_s, self._grace_s)
        finally:
            with self._lock:
                self._running.discard(child)
                interrupted = self._interrupted
            child.close()
        if interrupted:
            raise InterruptedRunError("interrupted; the engine was told and has ended.")
        if not in_time:
            raise EngineFailedError(
                f"the engine did not end within {timeout_s:g} s and was stopped.",
                exit_code_of_engine=child.exit_code,
            )
        return child.completed()

    def interrupt(self) -> None:
        """Pass one SIGINT to every running child and start no other: see `Runner.interrupt`."""
        with self._lock:
            self._interrupted = True
            children = tuple(self._running)
        for child in children:
            child.interrupt()

    def _start(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        on_line: Callable[[str], None] | None,
    ) -> _Child:
        with self._lock:  # held while starting, so that `interrupt` misses no child
            if self._interrupted:
                raise InterruptedRunError("interrupted before the engine was started.")
            try:
                child = _Child(argv, cwd, env, on_line)
            except OSError as error:
                raise EngineError(
                    f"cannot start {argv[0]}: {error.strerror or error}.",
                    hint="See `multicloud doctor`.",
                ) from error
            self._running.add(child)
            return child


class _Child:
    """One started process; the first interrupt counts, further ones do nothing."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        on_line: Callable[[str], None] | None,
    ) -> None:
        posix = os.name == "posix"
        self._process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=posix,
            umask=_PRIVATE if posix else -1,
        )
        self._once = threading.Lock()
        self._told_at: float | None = None
        self._stdout = Drain(_pipe(self._process.stdout), on_line)
        self._stderr = Drain(_pipe(self._process.stderr), None)
        self._stdout.start()
        self._stderr.start()

    @property
    def pid(self) -> int:
        """The child's id."""
        return self._process.pid

    @property
    def exit_code(self) -> int:
        """The code of a child that has ended."""
        return self._process.wait()

    def completed(self) -> Completed:
        """What became of a child that has ended. Raises: what `on_line` raised."""
        if self._stdout.error is not None:
            raise self._stdout.error
        return Completed(
            exit_code=self.exit_code,
            stdout_tail=self._stdout.tail.text(),
            stderr_tail=self._stderr.tail.text(),
        )

    def interrupt(self) -> None:
        """Send SIGINT, the first time that this is called."""
        if self._once.acquire(blocking=False):
            self._told_at = clock.monotonic()
            self._process.send_signal(signal.SIGINT)

    def wait(self, timeout_s: float, grace_s: float) -> bool:
        """Wait for the end; whether it came within `timeout_s`.

        A child that is late, or was interrupted, has `grace_s` from then on; what outlives that
        is killed. Ctrl-C is passed on once, waited for and raised again: an impatient second
        one must not make the engine lose track of what it is making.
        """
        late_at = clock.monotonic() + timeout_s
        in_time, ctrl_c = True, False
        while True:
            try:
                if self._has_ended():
                    break
            except KeyboardInterrupt:
                ctrl_c = True
                self.interrupt()
            if self._told_at is not None:
                if clock.monotonic() > self._told_at + grace_s:
                    self._kill()
            elif clock.monotonic() > late_at:
                in_time = False
                self.interrupt()
        if ctrl_c:
            raise KeyboardInterrupt
        return in_time

    def close(self) -> None:
        """Collect what is left in the pipes; a grandchild that keeps them open is killed."""
        for attempt in (self._kill, None):
            for drain in (self._stdout, self._stderr):
                drain.join(_LEFTOVER_S)
            if attempt is None or not (self._stdout.is_alive() or self._stderr.is_alive()):
                break
            attempt()
        for drain in (self._stdout, self._stderr):
            if not drain.is_alive():
                drain.close()

    def _has_ended(self) -> bool:
        """Sleep a little; the end of the outputs, which nearly always is the end, wakes us."""
        for drain in (self._stdout, self._stderr):
            if drain.is_alive():
                drain.join(_POLL_S)
                return self._process.poll() is not None
        try:
            self._process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _kill(self) -> None:
        """Kill the child's whole session."""
        if os.name != "posix":
            self._process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise AssertionError("a child is always started with pipes")
    return pipe
