"""What holds in any small world."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from multicloud.decide.situation import sizes
from multicloud.models.decision import Action
from tests.decide.scene import Scene, policy_of
from tests.decide.worlds import OFFERS, a_scene

if TYPE_CHECKING:
    from multicloud.models.offer import Offer

MANY = settings(max_examples=2000, deadline=None)


@MANY
@given(a_scene(), st.randoms(use_true_random=False))
def test_the_order_of_offers_and_marks_does_not_matter(scene: Scene, random: object) -> None:
    first = repr(scene.decide())
    offers = list(scene.offers)
    random.shuffle(offers)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    scene.offers = tuple(offers)
    assert repr(scene.decide()) == first


@MANY
@given(a_scene())
def test_deciding_again_on_what_was_carried_out_changes_nothing(scene: Scene) -> None:
    first = scene.decide()
    scene.carry_out(first)
    for name, again in scene.decide().items():
        assert again.action in (Action.NO_OP, Action.HOLD), (first[name], again)
        assert sizes(again.after) == sizes(again.before)


@MANY
@given(a_scene())
def test_what_is_chosen_was_offered_or_runs(scene: Scene) -> None:
    offered = {(o.region, o.shape.instance_type, o.capacity_type) for o in scene.offers if o.quotes}
    decision = scene.one()
    running = {p.slot for actual in scene.actual.pools.values() for p in actual.placements}
    for placement in (*decision.after, *decision.fallbacks):
        slot = placement.slot
        is_known = (slot.region, slot.instance_type, slot.capacity_type) in offered
        assert slot in running or is_known
        assert placement.nodes > 0
        assert slot in running or placement.price.usd is not None


@MANY
@given(a_scene())
def test_a_decision_is_consistent_in_itself(scene: Scene) -> None:
    decision = scene.one()
    changed = sizes(decision.before) != sizes(decision.after)
    assert changed == (decision.action not in (Action.NO_OP, Action.HOLD))
    assert changed <= (decision.cause is not None)
    assert len(decision.fallbacks) < 5
    assert not {p.slot for p in decision.fallbacks} & {p.slot for p in decision.after}
    for at in (decision.next_change_at, decision.next_check_at):
        assert at is None or at > decision.at
    assert bool(decision.next_change) == (decision.next_change_at is not None)
    assert decision.memory is not None


@MANY
@given(OFFERS, st.integers(1, 12), st.integers(0, 12))
def test_raising_a_cap_never_makes_a_pool_unmet(
    offers: tuple[Offer, ...], cap: int, more: int
) -> None:
    def placed(quarters: int) -> bool:
        price = Decimal(quarters) / 4
        place = f"{{in: aws, capacity: [spot, on_demand], max_price: {price}/gpu-h}}"
        return bool(Scene(policy_of(f"p: {{need: A100:4, place: {place}}}"), offers).one().after)

    assert placed(cap) <= placed(cap + more)
