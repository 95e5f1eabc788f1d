from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from multicloud.models.decision import Action, Cause
from multicloud.models.run import DecisionRecord, RunKind, RunStatus
from tests.builders import NOON
from tests.store.samples import HOUR, a_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.store.store import Store


def a_decision(pool: str = "training", *, run: str | None = None) -> DecisionRecord:
    """A pool that is made."""
    return DecisionRecord(
        run=run or a_run().id,
        policy="daynight",
        pool=pool,
        at=NOON,
        action=Action.CREATE,
        cause=Cause.CLOCK,
        body={"usd_per_hour_after": 14.49, "reasons": ["begins"], "unmet": None},
    )


def test_there_is_no_last_run_at_first(any_store: Store) -> None:
    assert any_store.last_run("daynight") is None


def test_a_run_begins_and_ends(any_store: Store) -> None:
    run = a_run()
    any_store.begin_run(run)
    assert any_store.last_run("daynight") == run
    end = NOON + HOUR
    any_store.finish_run(run.id, "daynight", status=RunStatus.PARTIAL, exit_code=5, at=end)
    assert any_store.last_run("daynight") == replace(
        run, status=RunStatus.PARTIAL, exit_code=5, finished_at=end
    )


def test_the_last_run_is_the_newest_of_its_kind_and_policy(any_store: Store) -> None:
    early = replace(a_run("1"), kind=RunKind.DESTROY)
    late = a_run("2", at=NOON + HOUR)
    for run in (late, early, a_run("3", policy="other", at=NOON + 2 * HOUR)):
        any_store.begin_run(run)
    assert any_store.last_run("daynight") == late
    assert any_store.last_run("daynight", RunKind.DESTROY, RunKind.REBALANCE) == early
    assert any_store.last_run("daynight", RunKind.PLAN) is None


def test_of_two_runs_at_one_instant_the_later_id_is_last(any_store: Store) -> None:
    for name in ("b", "c", "a"):
        any_store.begin_run(a_run(name))
    last = any_store.last_run("daynight")
    assert last is not None
    assert last.id == "c"


def test_a_plan_that_is_applied_keeps_its_decisions(any_store: Store) -> None:
    any_store.begin_run(replace(a_run(), kind=RunKind.PLAN))
    any_store.record_decisions([a_decision()])
    any_store.begin_run(a_run())
    last = any_store.last_run("daynight")
    assert last is not None
    assert last.kind is RunKind.APPLY
    assert any_store.decisions(a_run().id, "daynight") == (a_decision(),)


def test_one_run_over_two_policies_has_a_record_for_each(any_store: Store) -> None:
    any_store.begin_run(a_run(policy="daynight"))
    any_store.begin_run(a_run(policy="other"))
    any_store.finish_run(a_run().id, "other", status=RunStatus.DONE, exit_code=0, at=NOON)
    daynight, other = any_store.last_run("daynight"), any_store.last_run("other")
    assert daynight is not None
    assert other is not None
    assert (daynight.status, other.status) == (RunStatus.RUNNING, RunStatus.DONE)


def test_a_run_that_never_began_cannot_end(any_store: Store) -> None:
    with pytest.raises(LookupError, match="no run x of daynight"):
        any_store.finish_run("x", "daynight", status=RunStatus.DONE, exit_code=0, at=NOON)


def test_decisions_come_back_by_pool(any_store: Store) -> None:
    any_store.begin_run(a_run())
    idle = replace(a_decision("idle"), cause=None, action=Action.NO_OP)
    any_store.record_decisions([a_decision("training"), idle])
    assert any_store.decisions(a_run().id, "daynight") == (idle, a_decision("training"))


def test_decisions_need_their_run(any_store: Store) -> None:
    with pytest.raises(IntegrityError):
        any_store.record_decisions([a_decision(run="never begun")])


def test_decisions_are_recorded_all_or_none(any_store: Store) -> None:
    any_store.begin_run(a_run())

    def broken() -> Iterator[DecisionRecord]:
        yield a_decision("first")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        any_store.record_decisions(broken())
    assert any_store.decisions(a_run().id, "daynight") == ()
