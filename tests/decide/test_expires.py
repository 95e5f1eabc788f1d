"""A pool that is off for good from an instant on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.schedule import schedule
from multicloud.errors import InvalidInputsError
from multicloud.models.decision import Action, Cause
from multicloud.models.memory import Override, OverrideKind
from tests.builders import at
from tests.decide.scene import MORNING, Scene, gpu_offer, policy_of

POOL = (
    "p: {need: A100:8, rules: [{when: '08:00-20:00', place: {in: aws, capacity: spot}}],"
    " otherwise: off, expires: 2026-01-15 12:00, max_price_age: {spot: 30d}}"
)
NOON = at("2026-01-15T12:00:00Z")
OFFER = gpu_offer("10.00")


def scene() -> Scene:
    return Scene(policy_of(POOL), (OFFER,))


def test_a_pool_goes_at_its_end_by_the_clock() -> None:
    found = scene()
    decision = found.run(MORNING)
    assert (decision.action, decision.next_check_at) == (Action.CREATE, NOON)
    assert decision.next_change_at == NOON
    before = found.one(NOON - timedelta(seconds=1))
    assert before.action is Action.NO_OP
    decision = found.one(NOON)
    assert (decision.action, decision.cause) == (Action.DESTROY, Cause.CLOCK)
    assert decision.reasons[0] == "The pool expired at 2026-01-15 12:00Z: off for good."


def test_it_never_comes_back() -> None:
    found = scene()
    assert found.one(NOON + timedelta(days=1)).after == ()
    assert found.one(NOON + timedelta(days=400)).next_change_at is None


def test_the_forecast_ends_with_it() -> None:
    found = scene()
    end = MORNING + timedelta(days=3)
    snapshot = Snapshot(offers=(OFFER,), source="test")
    stretches = schedule(found.policy, MORNING, end, snapshot, found.actual, found.memory)
    assert [(s.start, bool(s.placements)) for s in stretches] == [(MORNING, True), (NOON, False)]


def test_a_person_may_hold_it_on() -> None:
    found = scene()
    found.remember(override=Override(kind=OverrideKind.ON, since=NOON, until=None, by="ann@laptop"))
    assert found.one(NOON).action is Action.CREATE


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-01-15", "2026-01-16T00:00:00Z"),
        ("2026-01-15 09:30", "2026-01-15T09:30:00Z"),
        ("2026-01-15 09:30 Europe/Berlin", "2026-01-15T08:30:00Z"),
    ],
)
def test_a_day_alone_is_meant_to_its_end(text: str, instant: str) -> None:
    (pool,) = policy_of(f"p: {{need: A100:8, place: {{in: aws}}, expires: {text}}}").pools
    assert pool.expires == at(instant)


def test_an_end_that_is_no_time_is_refused() -> None:
    with pytest.raises(InvalidInputsError, match="expires"):
        policy_of("p: {need: A100:8, place: {in: aws}, expires: soon}")
