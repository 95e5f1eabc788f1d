from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from multicloud.models.run import JournalStep, StepKind, StepOutcome
from tests.builders import NOON
from tests.store.samples import MINUTE, a_key, a_run

if TYPE_CHECKING:
    from multicloud.store.store import Store

DETAIL = {"nodes": 2, "plan": "plan.bin", "attempt": {"of": 5, "usd": 7.245}}


def begun(any_store: Store, *, pool: str = "training", run: str | None = None) -> int:
    """The id of a step that has just begun."""
    any_store.begin_run(a_run(run or a_run().id))
    key = a_key(pool=pool)
    return any_store.begin_step(run or a_run().id, key, StepKind.APPLY_UP, DETAIL, at=NOON)


def test_a_step_is_open_until_it_is_ended(any_store: Store) -> None:
    step = begun(any_store)
    expected = JournalStep(
        id=step,
        run=a_run().id,
        stack=a_key(),
        kind=StepKind.APPLY_UP,
        detail=DETAIL,
        begun_at=NOON,
    )
    assert any_store.open_steps("daynight") == (expected,)
    any_store.end_step(step, StepOutcome.FAILED, NOON + MINUTE, note="no capacity")
    assert any_store.open_steps("daynight") == ()
    (closed,) = any_store.steps(a_run().id, "daynight")
    assert (closed.outcome, closed.ended_at) == (StepOutcome.FAILED, NOON + MINUTE)
    assert closed.note == "no capacity"


def test_a_note_with_a_byte_that_no_database_need_take_is_kept(any_store: Store) -> None:
    step = begun(any_store)
    any_store.end_step(step, StepOutcome.FAILED, NOON, note="engine said: \0 broken")
    (closed,) = any_store.steps(a_run().id, "daynight")
    assert closed.note == "engine said: \ufffd broken"


def test_the_engine_is_noted_when_it_is_started(any_store: Store) -> None:
    step = begun(any_store)
    any_store.note_engine(step, pid=4242, pid_started="123456")
    (found,) = any_store.open_steps("daynight")
    assert (found.pid, found.pid_started) == (4242, "123456")


def test_open_steps_of_all_runs_are_told_oldest_first(any_store: Store) -> None:
    ids = [
        begun(any_store, run="2", pool="b"),
        begun(any_store, run="1", pool="a"),
        begun(any_store, run="2"),
    ]
    any_store.end_step(ids[1], StepOutcome.DONE, NOON)
    assert [step.id for step in any_store.open_steps("daynight")] == [ids[0], ids[2]]
    assert [step.id for step in any_store.steps("1", "daynight")] == [ids[1]]
    assert any_store.open_steps("other") == ()


def test_a_step_needs_its_run(any_store: Store) -> None:
    with pytest.raises(IntegrityError):
        any_store.begin_step("never begun", a_key(), StepKind.DESTROY, {}, at=NOON)
    assert any_store.open_steps("daynight") == ()


def test_a_step_of_another_target_is_refused(any_store: Store) -> None:
    any_store.begin_run(a_run())
    with pytest.raises(ValueError, match="does not belong"):
        any_store.begin_step(a_run().id, a_key(target="live"), StepKind.DESTROY, {}, at=NOON)


def test_an_unknown_step_cannot_be_ended(any_store: Store) -> None:
    with pytest.raises(LookupError, match="no step 7"):
        any_store.end_step(7, StepOutcome.DONE, NOON)
    with pytest.raises(LookupError, match="no step 7"):
        any_store.note_engine(7, pid=1, pid_started="")
