"""The locks of policies, whichever kind of store they belong to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from multicloud.store import lock
from multicloud.store.location import SqliteFile, locate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from os import PathLike

    from multicloud.store.location import Location
    from multicloud.store.lock import Holder


class Locks(Protocol):
    """Locks that are held."""

    def ensure(self) -> None:
        """Raises: StoreError when they were lost, so that no further step may begin."""
        ...


class _FileLocks:
    """A lock on a file is the process's own: it cannot be lost before the process ends."""

    def ensure(self) -> None:
        """Nothing can have happened."""


@contextmanager
def policy_locks(
    where: Location | str | PathLike[str],
    policies: Iterable[str],
    *,
    run: str,
    at: datetime,
    who: str,
) -> Iterator[Locks]:
    """Hold the locks of all policies of a store, or of none; never waits.

    Raises: GuardrailError (exit 4) naming the holder; StoreError.
    """
    location = locate(where)
    if isinstance(location, SqliteFile):
        with lock.policy_locks(location.path.parent, policies, run=run, at=at, who=who):
            yield _FileLocks()
        return
    from multicloud.store.advisory import advisory_locks

    with advisory_locks(location, policies, run=run, at=at, who=who) as held:
        yield held


def holders(where: Location | str | PathLike[str], policies: Iterable[str]) -> Mapping[str, Holder]:
    """Who holds the locks of policies; those that nobody holds are left out."""
    location = locate(where)
    if isinstance(location, SqliteFile):
        found = {policy: lock.holder(location.path.parent, policy) for policy in policies}
        return {policy: said for policy, said in found.items() if said is not None}
    from multicloud.store.advisory import holders as advisory_holders

    return advisory_holders(location, policies)
