"""One lock per policy, held by the process: it ends with its holder, and nothing is stolen.

The lock is `flock` on `<policy>.lock` beside the store. The file's text only says who holds it:
it is never what locks, and the file is never removed, since another process may be about to
lock the very one that is removed.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.errors import GuardrailError, MulticloudError
from multicloud.store.location import FILE_MODE, FOLDER_MODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LOOKS = 10
"""How often a busy lock's text is read before a holder that has not signed yet is let be."""
LOOK_EVERY_S = 0.05

_held: dict[str, int] = {}
"""Lock files held by this process, by real path, with their descriptors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who says to hold a policy's lock: run, since when, by whom, and the process's id."""

    run: str
    since: datetime
    who: str
    pid: int


@contextmanager
def policy_lock(beside: Path, policy: str, *, run: str, at: datetime, who: str) -> Iterator[None]:
    """Hold the lock of `policy` while the block runs; never waits.

    `beside` is the folder of the store's file, which is made (0700) when missing. `run`, `at` and
    `who` are what a second runner is told. A child process does not inherit the lock.

    Raises: GuardrailError (exit 4) naming the holder when another process has it;
        MulticloudError when the lock file cannot be used, a link for example;
        RuntimeError when this very process has it already.
    """
    path = _lock_file(beside, policy)
    if str(path) in _held:
        raise RuntimeError(f"this process holds the lock of {policy!r} already")
    owner = os.getpid()
    descriptor = _open(path)
    try:
        if not _try_lock(descriptor, path):
            raise busy(policy, _signed(path))
        _held[str(path)] = descriptor
        _sign(descriptor, Holder(run=run, since=at, who=who, pid=owner))
        yield
    finally:
        if os.getpid() == owner:
            if _held.pop(str(path), None) is not None:
                os.ftruncate(descriptor, 0)
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


@contextmanager
def policy_locks(
    beside: Path, policies: Iterable[str], *, run: str, at: datetime, who: str
) -> Iterator[None]:
    """Hold the locks of all `policies`, taken in the order of their names, or of none.

    Raises: as `policy_lock`; what was taken before the failure is let go.
    """
    with ExitStack() as stack:
        for policy in sorted(set(policies)):
            stack.enter_context(policy_lock(beside, policy, run=run, at=at, who=who))
        yield


@contextmanager
def opening_lock(path: Path, *, wait_s: float) -> Iterator[None]:
    """Keep others from making or changing the store at `path` at the same time.

    Waits for at most `wait_s` seconds. The lock is on `<path>.lock`; a policy's name has no
    dot, so no policy's lock is ever that file.

    Raises: GuardrailError when the wait was in vain; MulticloudError as `policy_lock`.
    """
    lock = path.with_name(f"{path.name}.lock")
    descriptor = _open(lock)
    deadline = clock.monotonic() + wait_s
    try:
        while not _try_lock(descriptor, lock):
            if clock.monotonic() > deadline:
                raise GuardrailError(
                    f"another run has been preparing the store {path} for {wait_s:.0f} s.",
                    hint="Nothing was changed. Try again when that run has ended.",
                )
            time.sleep(LOOK_EVERY_S)
        yield
    finally:
        os.close(descriptor)


def holder(beside: Path, policy: str) -> Holder | None:
    """Who holds the lock of `policy` by the lock file's text, without touching the lock.

    None when nobody signed, or when the process that did is gone.
    """
    said = _read(_lock_file(beside, policy))
    return said if said is not None and _is_alive(said.pid) else None


def _lock_file(beside: Path, policy: str) -> Path:
    if not policy or not set(policy).isdisjoint("./\\\0"):
        raise ValueError(f"not a policy's name: {policy!r}")
    return Path(os.path.realpath(beside)) / f"{policy}.lock"


def _open(path: Path) -> int:
    """A descriptor that children do not inherit (PEP 446), on a plain file of mode 0600."""
    try:
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise MulticloudError(
            f"cannot use the lock file {path}: {reason}.",
            hint="It must be a plain file that this user may write.",
        ) from error


def _try_lock(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise MulticloudError(
            f"cannot lock {path}: {error.strerror}.",
            hint="Keep the store on a file system that knows flock.",
        ) from error
    return True


def _sign(descriptor: int, said: Holder) -> None:
    text = json.dumps(asdict(said) | {"since": said.since.isoformat()})
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def _read(path: Path) -> Holder | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        said = json.loads(os.read(descriptor, 1 << 16))
        return Holder(
            run=str(said["run"]),
            since=datetime.fromisoformat(said["since"]),
            who=str(said["who"]),
            pid=int(said["pid"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    finally:
        os.close(descriptor)


def _signed(path: Path) -> Holder | None:
    """Who has the lock; a text whose process is gone is of an earlier holder, so look again."""
    said = None
    for _ in range(LOOKS):
        said = _read(path)
        if said is not None and _is_alive(said.pid):
            break
        time.sleep(LOOK_EVERY_S)
    return said


def busy(policy: str, said: Holder | None) -> GuardrailError:
    """The refusal of a lock that somebody has."""
    if said is None:
        summary = f"policy {policy!r} is busy: another run has just taken its lock."
    else:
        since = said.since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        summary = (
            f"policy {policy!r} is busy, run {said.run} since {since} by {said.who} "
            f"(process {said.pid})."
        )
    return GuardrailError(summary, hint="Nothing was changed. Try again when that run has ended.")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _let_go_in_child() -> None:
    """A fork without exec shares the lock; closing our copy leaves it to the parent alone."""
    for descriptor in _held.values():
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)
