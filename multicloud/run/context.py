"""Everything that carrying out a run needs, opened once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.engine.alive import identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicloud.models.change import StackKey
    from multicloud.models.run import StepKind, StepOutcome
    from multicloud.run.inventories import Inventories
    from multicloud.run.session import Session
    from multicloud.run.ticking import Ticking
    from multicloud.store.locks import Locks
    from multicloud.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """One run's means. `allow_replace` names pools whose groups may be replaced."""

    run: str
    store: Store
    locks: Locks
    session: Session
    inventories: Inventories
    clock: Ticking
    on_progress: Callable[[StackKey, str], None] | None = None
    allow_replace: frozenset[str] = frozenset()

    def begin(self, key: StackKey, kind: StepKind, **detail: object) -> int:
        """Write a step down before it is done; none is begun once the policies' locks are lost."""
        self.locks.ensure()
        return self.store.begin_step(self.run, key, kind, detail, at=self.clock.now())

    def note_engine(self, step: int, pid: int) -> None:
        """Write down which process does a step, so that a later run can tell whether it lives."""
        self.store.note_engine(step, pid=pid, pid_started=identity(pid))

    def end(self, step: int, outcome: StepOutcome, note: str = "") -> None:
        """Write down how a step ended."""
        self.store.end_step(step, outcome, self.clock.now(), note=note)

    def tell(self, key: StackKey, text: str) -> None:
        """Show progress, where somebody looks."""
        if self.on_progress is not None:
            self.on_progress(key, text)
