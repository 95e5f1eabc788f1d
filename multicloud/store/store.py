"""The store: what runs remember, record and journal, each write in one transaction.

A store speaks for one target: what was learnt in the sandbox is never taken for the clouds'.
Its methods may be called from several threads; the lock of a policy (`store.lock`) is what
keeps two runs apart.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, Self, overload

from multicloud.models.run import RunStatus, StepKind, StepOutcome, Usage
from multicloud.store import journal, memory, renames, runs, stacks, usage
from multicloud.store.location import locate
from multicloud.store.market import MarketStore
from multicloud.store.opening import open_to_read, open_to_write
from multicloud.store.told import told

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from decimal import Decimal
    from types import TracebackType

    from sqlalchemy import Connection, Engine

    from multicloud.models.change import StackKey
    from multicloud.models.memory import Memory, Override, PoolMemory, SetAside
    from multicloud.models.placement import Placement
    from multicloud.models.project import Target
    from multicloud.models.run import (
        DecisionRecord,
        JournalStep,
        RecordedStack,
        RunKind,
        RunRecord,
    )
    from multicloud.store.location import Location


class Store:
    """An open store of one target; made by `open`, to be closed or used in a `with` block.

    Every method that reaches the database raises StoreError when it cannot be used. Instants
    are aware and come back in UTC. Writing a stack or step of another target is a ValueError.
    """

    def __init__(self, location: Location, target: str, engine: Engine) -> None:
        self.location = location
        self.target = target
        self._engine = engine
        self._writer = engine.execution_options(writes=True)

    @overload
    @classmethod
    def open(
        cls,
        where: Location | str | os.PathLike[str],
        *,
        target: Target | str,
        create: Literal[True] = True,
    ) -> Store: ...
    @overload
    @classmethod
    def open(
        cls, where: Location | str | os.PathLike[str], *, target: Target | str, create: bool
    ) -> Store | None: ...
    @classmethod
    def open(
        cls, where: Location | str | os.PathLike[str], *, target: Target | str, create: bool = True
    ) -> Store | None:
        """Open the store at a path or URL: to write, or with `create=False` to read.

        A store to write is made (a file 0600, its folder 0700) or brought to the newest
        revision if need be, a file after a copy beside it. A store to read is never made,
        changed or upgraded: None when there is none, and every write to it fails.

        Raises: InvalidInputError for a URL of another kind; GuardrailError (exit 4) when a
            newer program made the store; StoreError when it is damaged or no store.
        """
        location = locate(where)
        engine = open_to_write(location) if create else open_to_read(location)
        return None if engine is None else cls(location, str(target), engine)

    def close(self) -> None:
        """Close all connections; a second time does nothing."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def market(self) -> MarketStore:
        """Prices, stock and quotas, which belong to no policy."""
        return MarketStore(self.target, reading=self._reading, writing=self._writing)

    # Memory.

    def load_memory(self, policy: str, now: datetime) -> Memory:
        """What is remembered of a policy; set-asides and overrides as they hold at `now`."""
        with self._reading() as connection:
            return memory.load(connection, self.target, policy, now)

    def save_pool_memory(self, policy: str, pool: str, remembered: PoolMemory) -> None:
        """Replace a pool's memory, but for its override: that has its own methods."""
        with self._writing() as connection:
            memory.save_pool(connection, self.target, policy, pool, remembered)

    def add_set_aside(self, policy: str, mark: SetAside) -> SetAside:
        """Set a place aside; one that is so already keeps its mark, which is given back."""
        with self._writing() as connection:
            return memory.add_set_aside(connection, self.target, policy, mark)

    def set_override(self, policy: str, pool: str, override: Override) -> None:
        """Record what a person wants against the rules, in place of an earlier wish."""
        with self._writing() as connection:
            memory.set_override(connection, self.target, policy, pool, override)

    def clear_override(self, policy: str, pool: str) -> bool:
        """Take a pool's override back; tells whether there was one."""
        with self._writing() as connection:
            return memory.clear_override(connection, self.target, policy, pool)

    def rename_pool(self, policy: str, old: str, new: str) -> None:
        """Let all that is kept for a pool be kept under its new name; stacks keep their keys."""
        with self._reading() as connection:
            if not renames.is_known(connection, self.target, policy, old):
                return
        with self._writing() as connection:
            renames.rename(connection, self.target, policy, old, new)

    # Stacks.

    def policies(self) -> tuple[str, ...]:
        """Names of the policies that have recorded stacks, sorted."""
        with self._reading() as connection:
            return stacks.policies(connection, self.target)

    def stacks(self, policy: str) -> tuple[RecordedStack, ...]:
        """A policy's recorded stacks, in the order of their keys."""
        with self._reading() as connection:
            return stacks.of_policy(connection, self.target, policy)

    def upsert_stack(self, stack: RecordedStack) -> None:
        """Put a stack's record in place of its earlier one."""
        self._check_target(stack.key)
        with self._writing() as connection:
            stacks.upsert(connection, stack)

    def forget_stack(self, key: StackKey) -> bool:
        """Delete a stack's record; tells whether there was one."""
        self._check_target(key)
        with self._writing() as connection:
            return stacks.forget(connection, key)

    # Runs and decisions.

    def begin_run(self, run: RunRecord) -> None:
        """Record a run of one policy before it does anything; the same id again replaces it."""
        with self._writing() as connection:
            runs.begin(connection, self.target, run)

    def finish_run(
        self, run: str, policy: str, *, status: RunStatus, exit_code: int, at: datetime
    ) -> None:
        """Record how a run ended. LookupError when it was never begun."""
        key = {"target": self.target, "policy": policy, "id": run}
        with self._writing() as connection:
            if not runs.finish(connection, key, status=status, exit_code=exit_code, at=at):
                raise LookupError(f"no run {run} of {policy}")

    def last_run(self, policy: str, *kinds: RunKind) -> RunRecord | None:
        """The newest run of a policy, of `kinds` when given; None when there was none."""
        with self._reading() as connection:
            return runs.last(connection, self.target, policy, kinds)

    def record_decisions(self, decisions: Iterable[DecisionRecord]) -> None:
        """Record what a run (begun before) decided, all pools or none."""
        with self._writing() as connection:
            runs.record_decisions(connection, self.target, decisions)

    def decisions(self, run: str, policy: str) -> tuple[DecisionRecord, ...]:
        """What a run decided for a policy, by name of pool."""
        with self._reading() as connection:
            return runs.decisions(connection, self.target, policy, run)

    # Journal.

    def begin_step(
        self,
        run: str,
        stack: StackKey,
        kind: StepKind,
        detail: Mapping[str, object],
        *,
        at: datetime,
        pid: int | None = None,
        pid_started: str = "",
    ) -> int:
        """Write down a step of a run (begun before) that is about to be done; gives its id.

        It is on the disk when this returns. `detail` holds what JSON can.
        """
        self._check_target(stack)
        with self._writing() as connection:
            return journal.begin(
                connection,
                run=run,
                stack=stack,
                kind=kind,
                detail=detail,
                at=at,
                pid=pid,
                pid_started=pid_started,
            )

    def note_engine(self, step: int, *, pid: int, pid_started: str) -> None:
        """Write which process does a step, as soon as it is started."""
        with self._writing() as connection:
            journal.note_engine(connection, step, pid=pid, pid_started=pid_started)

    def end_step(self, step: int, outcome: StepOutcome, at: datetime, *, note: str = "") -> None:
        """Close a step; `note` says more for people. LookupError for an unknown id."""
        with self._writing() as connection:
            journal.end(connection, step, outcome=outcome, at=at, note=note)

    def open_steps(self, policy: str) -> tuple[JournalStep, ...]:
        """Steps of any run that were begun and never closed, oldest first."""
        with self._reading() as connection:
            return journal.open_steps(connection, self.target, policy)

    def steps(self, run: str, policy: str) -> tuple[JournalStep, ...]:
        """All steps of a run, oldest first."""
        with self._reading() as connection:
            return journal.of_run(connection, self.target, policy, run)

    # Usage.

    def open_usage(
        self,
        policy: str,
        pool: str,
        placement: Placement,
        *,
        nodes: int,
        usd_per_node_hour: Decimal | None,
        at: datetime,
    ) -> None:
        """From `at` on `nodes` nodes are paid for at this place, in place of an earlier number.

        The same again changes nothing, so a resumed run may say it twice. `usd_per_node_hour`
        None is a price that nobody knows.
        """
        row = Usage(
            policy=policy,
            pool=pool,
            placement=placement,
            nodes=nodes,
            usd_per_node_hour=usd_per_node_hour,
            start=at,
        )
        with self._writing() as connection:
            usage.begin(connection, self.target, row)

    def close_usage(self, policy: str, pool: str, placement: Placement, at: datetime) -> None:
        """From `at` on nothing is paid for at the placement's place; twice is as once."""
        with self._writing() as connection:
            usage.end(connection, self.target, policy, pool, placement, at)

    def usage(self, policy: str, start: datetime, end: datetime) -> tuple[Usage, ...]:
        """What was paid for at any time within `[start, end)`, by start, unclipped."""
        with self._reading() as connection:
            return usage.between(connection, self.target, policy, start, end)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with told(self.location), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with told(self.location), self._writer.begin() as connection:
            yield connection

    def _check_target(self, key: StackKey) -> None:
        if key.target != self.target:
            raise ValueError(f"{key} does not belong to the target {self.target}")
