"""Capacity that is reserved: a tier of its own, inside its dates, never a price of 0 that wins."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.explain import explain
from multicloud.models.decision import Action, Reject
from multicloud.models.memory import Actual, Memory
from multicloud.models.offer import CapacityType
from multicloud.models.quote import PriceState
from tests.decide.scene import MORNING, Scene, gpu_offer, policy_of

if TYPE_CHECKING:
    from multicloud.models.decision import Decision
    from multicloud.models.offer import Offer

KIND = "p5e.48xlarge"
BLOCK = "{id: cr-1, kind: capacity_block, from: 2026-01-15 11:00 UTC, until: 2026-01-15 13:00 UTC}"
TEXT = """
p:
  need: {instance_type: p5e.48xlarge, nodes: 2}
  rules:
    - name: always
      if_none: next
      place:
        - {in: aws/us-east-1, capacity: reserved, reservation: %s}
        - {in: aws/us-west-2, capacity: on_demand}
  otherwise: off
"""
ELSEWHERE = gpu_offer("50.00", "us-west-2", capacity=CapacityType.ON_DEMAND, kind=KIND)


def only_reserved(price: str | None = None) -> Offer:
    offer = gpu_offer(price or "1.00", capacity=CapacityType.ON_DEMAND, kind=KIND)
    quotes = offer.quotes if price else ()
    return replace(offer, quotes=quotes, reservation_only=True)


def decided(reservation: str, *offers: Offer, hours: float = 0) -> Decision:
    scene = Scene(policy_of(TEXT % reservation), offers)
    return scene.one(MORNING + timedelta(hours=hours))


def test_b58_without_an_id_it_is_no_candidate() -> None:
    text = "p: {need: {instance_type: p5e.48xlarge, nodes: 2}, place: {in: aws}}"
    decision = Scene(policy_of(text), (only_reserved(),)).one()
    assert decision.after == ()
    assert decision.unmet is not None
    assert decision.rejections[Reject.NEEDS_RESERVATION] == 1


def test_b58_with_an_id_it_is_prepaid_and_says_so() -> None:
    decision = decided("{id: cr-1}", only_reserved(), ELSEWHERE)
    (placement,) = decision.after
    assert placement.slot.capacity_type is CapacityType.RESERVED
    assert placement.reservation is not None
    assert placement.reservation.id == "cr-1"
    assert placement.price.state is PriceState.PREPAID
    assert decision.usd_per_hour_after == Decimal(0)


def test_a_reservation_kept_on_demand_costs_its_list_price() -> None:
    decision = decided("{id: cr-1}", only_reserved("40.00"), ELSEWHERE)
    assert decision.after[0].slot.capacity_type is CapacityType.RESERVED
    assert decision.usd_per_hour_after == Decimal(80)


def test_b58_prepaid_never_wins_by_its_price() -> None:
    """A tier above it is taken although the reservation would cost nothing more."""
    text = TEXT.replace("        - {in: aws/us-west-2, capacity: on_demand}\n", "").replace(
        "      place:\n", "      place:\n        - {in: aws/us-west-2, capacity: on_demand}\n"
    )
    decision = Scene(policy_of(text % "{id: cr-1}"), (only_reserved(), ELSEWHERE)).one()
    assert decision.after[0].slot.region == "us-west-2"


@pytest.mark.parametrize(
    ("hours", "region"), [(0, "us-west-2"), (1, "us-east-1"), (3, "us-west-2")]
)
def test_b58_b107_it_is_there_inside_its_dates_only(hours: int, region: str) -> None:
    decision = decided(BLOCK, only_reserved(), ELSEWHERE, hours=hours)
    assert decision.after[0].slot.region == region
    assert (Reject.OUT_OF_DATES in decision.rejections) == (region == "us-west-2")


def test_its_dates_are_changes_that_are_foreseen() -> None:
    scene = Scene(policy_of(TEXT % BLOCK), (only_reserved(), ELSEWHERE))
    assert scene.run(MORNING).next_change_at == MORNING + timedelta(hours=1)
    inside = scene.run(MORNING + timedelta(hours=1))
    assert inside.action is Action.MOVE
    assert inside.next_change_at == MORNING + timedelta(hours=3)


def test_what_runs_in_it_leaves_when_it_ends() -> None:
    scene = Scene(policy_of(TEXT % BLOCK), (only_reserved(), ELSEWHERE))
    scene.run(MORNING + timedelta(hours=1))
    assert scene.run(MORNING + timedelta(hours=2)).action is Action.NO_OP
    moved = scene.run(MORNING + timedelta(hours=3))
    assert moved.action is Action.MOVE
    assert moved.after[0].slot.region == "us-west-2"


def test_b107_what_is_paid_for_stays_so_while_it_runs() -> None:
    """A block costs nothing more, whether or not its type has a list price."""
    scene = Scene(policy_of(TEXT % BLOCK), (only_reserved("30.00"), ELSEWHERE))
    for hours in (1, 2):
        decision = scene.run(MORNING + timedelta(hours=hours))
        (placement,) = decision.after
        assert (placement.price.usd, placement.price.state) == (Decimal(0), PriceState.PREPAID)
    (before,) = scene.run(MORNING + timedelta(hours=2)).before
    assert before.price.usd == 0


@pytest.mark.parametrize(("hours", "fits"), [(0, 0), (1, 1), (3, 0)])
def test_explain_offers_nothing_outside_its_dates(hours: int, fits: int) -> None:
    scene = Scene(policy_of(TEXT % BLOCK), (only_reserved(), ELSEWHERE))
    snapshot = Snapshot(offers=(only_reserved(), ELSEWHERE), source="test")
    at = MORNING + timedelta(hours=hours)
    told = explain(scene.policy, "p", at, snapshot, Actual(), Memory())
    tier = told.tiers[0]
    assert len(tier.candidates) == fits
    gone = [one for one in tier.rejections if one.reason is Reject.OUT_OF_DATES]
    assert len(gone) == 1 - fits
