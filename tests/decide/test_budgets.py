"""What is decided once a budget is spent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.schedule import schedule
from multicloud.models.decision import Action, Cause
from multicloud.models.memory import Override, OverrideKind, Spent
from tests.decide.scene import MORNING, Scene, gpu_offer, policy_of

UNTIL = MORNING + timedelta(days=16)
EAST = gpu_offer("10.00")


def scene(usd: str | None, when_spent: str = "hold", *, whose: str = "p", size: int = 2) -> Scene:
    text = f"budget: {{max: 1000/month, when_spent: {when_spent}}}"
    pool = f"p: {{need: {size} x A100:8, place: {{in: aws, capacity: spot}}"
    pool += ", max_price_age: {spot: 30d}"
    policy = policy_of(pool + "}", head=text) if not whose else policy_of(f"{pool}, {text}}}")
    found = Scene(policy, (EAST,))
    return spend(found, usd, whose)


def spend(found: Scene, usd: str | None, whose: str = "p", *, at_least: str = "0") -> Scene:
    paid = None if usd is None else Decimal(usd)
    spent = Spent(
        usd=paid,
        since=MORNING - timedelta(days=14),
        until=UNTIL,
        at_least=Decimal(at_least),
    )
    found.memory = replace(found.memory, spent={whose: spent})
    return found


@pytest.mark.parametrize("whose", ["p", ""])
def test_nothing_grows_once_it_is_spent(whose: str) -> None:
    decision = scene("1000", whose=whose).one()
    assert (decision.action, decision.blocked_by) == (Action.HOLD, "budget")
    name = "pool" if whose else "policy"
    assert f"The budget of the {name}, 1000/month, is spent (1,000.00 USD)." in decision.reasons[-1]
    assert decision.next_check_at == UNTIL


def test_what_is_left_is_left() -> None:
    decision = scene("999.99").one()
    assert (decision.action, decision.blocked_by) == (Action.CREATE, "")
    assert any("100% spent" in warning for warning in decision.warnings)
    assert scene("799").one().warnings == scene("0").one().warnings == ()
    assert any("80% spent" in warning for warning in scene("800").one().warnings)


def test_a_price_paid_that_nobody_knows_counts_as_over_it() -> None:
    decision = scene(None).one()
    assert decision.blocked_by == "budget"
    assert "a price paid is unknown" in decision.reasons[-1]


def test_a_price_paid_that_nobody_knows_takes_nothing_down() -> None:
    at = scene("0", "off")
    at.run(MORNING)
    assert spend(at, None).one().action is Action.NO_OP
    at.actual = replace(at.actual, pools={})
    assert at.one().blocked_by == "budget"


def test_what_is_known_of_the_prices_paid_may_be_too_much() -> None:
    at = scene("0", "off")
    at.run(MORNING)
    spend(at, None, at_least="999")
    assert at.one().action is Action.NO_OP
    spend(at, None, at_least="1000")
    assert at.one().action is Action.DESTROY
    assert "is spent (at least 1,000.00 USD)" in " ".join(at.one().reasons)


def test_a_held_pool_may_still_shrink_and_go() -> None:
    at = scene("0")
    at.run(MORNING)
    spend(at, "2000")
    assert at.one().action is Action.NO_OP
    at.policy = scene("0", size=1).policy
    assert at.one().action is Action.SCALE
    at.policy = scene("0", size=3).policy
    assert at.one().blocked_by == "budget"


def test_off_takes_the_pool_down_until_the_period_ends() -> None:
    at = scene("0", "off")
    at.run(MORNING)
    spend(at, "1000")
    decision = at.one()
    assert (decision.action, decision.cause) == (Action.DESTROY, Cause.OVERRIDE)
    assert decision.next_check_at == UNTIL
    assert any("is spent (1,000.00 USD). The pool is off until" in r for r in decision.reasons)
    # What was spent in a period that is over says nothing of this one.
    at.actual = replace(at.actual, pools={})
    assert at.one(UNTIL).action is Action.CREATE


def test_the_forecast_comes_back_with_the_next_period() -> None:
    at = scene("1000", "off")
    snapshot = Snapshot(offers=(EAST,), source="test")
    end = MORNING + timedelta(days=20)
    stretches = schedule(at.policy, MORNING, end, snapshot, at.actual, at.memory)
    assert [(s.start, bool(s.placements)) for s in stretches] == [(MORNING, False), (UNTIL, True)]


def test_a_persons_word_stands_above_the_budget() -> None:
    at = scene("1000", "off")
    at.run(MORNING)
    on = Override(kind=OverrideKind.ON, since=MORNING, until=None, by="ann@laptop")
    at.remember(override=on)
    decision = at.one()
    # The budget still says that nothing may grow.
    assert (decision.action, decision.blocked_by) == (Action.HOLD, "budget")


def test_a_budget_in_another_currency_is_held_against_dollars() -> None:
    text = "p: {need: A100:8, place: {in: aws, capacity: spot}, budget: {max: 900 EUR/month}}"
    at = Scene(policy_of(text, head="fx: {EUR: 0.9}"), (EAST,))
    assert spend(at, "999").one().blocked_by == ""
    assert spend(at, "1000").one().blocked_by == "budget"


def test_nothing_recorded_holds_nothing() -> None:
    at = Scene(scene("0").policy, (EAST,))
    assert at.one().action is Action.CREATE
