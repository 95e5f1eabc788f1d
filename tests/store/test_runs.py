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


def test_there_is_no_last_run_at_first(store: Store) -> None:
    assert store.last_run("daynight") is None


def test_a_run_begins_and_ends(store: Store) -> None:
    run = a_run()
    store.begin_run(run)
    assert store.last_run("daynight") == run
    end = NOON + HOUR
    store.finish_run(run.id, "daynight", status=RunStatus.PARTIAL, exit_code=5, at=end)
    assert store.last_run("daynight") == replace(
        run, status=RunStatus.PARTIAL, exit_code=5, finished_at=end
    )


def test_the_last_run_is_the_newest_of_its_kind_and_policy(store: Store) -> None:
    early = replace(a_run("1"), kind=RunKind.DESTROY)
    late = a_run("2", at=NOON + HOUR)
    for run in (late, early, a_run("3", policy="other", at=NOON + 2 * HOUR)):
        store.begin_run(run)
    assert store.last_run("daynight") == late
    assert store.last_run("daynight", RunKind.DESTROY, RunKind.REBALANCE) == early
    assert store.last_run("daynight", RunKind.PLAN) is None


def test_of_two_runs_at_one_instant_the_later_id_is_last(store: Store) -> None:
    for name in ("b", "c", "a"):
        store.begin_run(a_run(name))
    last = store.last_run("daynight")
    assert last is not None
    assert last.id == "c"


def test_a_plan_that_is_applied_keeps_its_decisions(store: Store) -> None:
    store.begin_run(replace(a_run(), kind=RunKind.PLAN))
    store.record_decisions([a_decision()])
    store.begin_run(a_run())
    last = store.last_run("daynight")
    assert last is not None
    assert last.kind is RunKind.APPLY
    assert store.decisions(a_run().id, "daynight") == (a_decision(),)


def test_one_run_over_two_policies_has_a_record_for_each(store: Store) -> None:
    store.begin_run(a_run(policy="daynight"))
    store.begin_run(a_run(policy="other"))
    store.finish_run(a_run().id, "other", status=RunStatus.DONE, exit_code=0, at=NOON)
    daynight, other = store.last_run("daynight"), store.last_run("other")
    assert daynight is not None
    assert other is not None
    assert (daynight.status, other.status) == (RunStatus.RUNNING, RunStatus.DONE)


def test_a_run_that_never_began_cannot_end(store: Store) -> None:
    with pytest.raises(LookupError, match="no run x of daynight"):
        store.finish_run("x", "daynight", status=RunStatus.DONE, exit_code=0, at=NOON)


def test_decisions_come_back_by_pool(store: Store) -> None:
    store.begin_run(a_run())
    idle = replace(a_decision("idle"), cause=None, action=Action.NO_OP)
    store.record_decisions([a_decision("training"), idle])
    assert store.decisions(a_run().id, "daynight") == (idle, a_decision("training"))


def test_decisions_need_their_run(store: Store) -> None:
    with pytest.raises(IntegrityError):
        store.record_decisions([a_decision(run="never begun")])


def test_decisions_are_recorded_all_or_none(store: Store) -> None:
    store.begin_run(a_run())

    def broken() -> Iterator[DecisionRecord]:
        yield a_decision("first")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.record_decisions(broken())
    assert store.decisions(a_run().id, "daynight") == ()
