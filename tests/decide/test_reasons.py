"""Sentences for people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multicloud.catalog.snapshot import Snapshot
from multicloud.decide.decide import decide
from multicloud.models.memory import Actual, Memory
from multicloud.models.offer import Cloud
from tests.builders import a_quote
from tests.decide.scene import MORNING, ON_DEMAND, Scene, gpu_offer, minutes, policy_of
from tests.decide.test_settle import mark

CAPPED = "p: {need: A100:8, place: {in: aws, capacity: spot, max_price: 2.10/gpu-h}}"


def test_the_regions_without_a_price_are_named_while_they_are_few() -> None:
    regions = ("us-west-1", "us-west-2", "eu-west-1", "eu-central-1")
    for count in (1, 3, 4):
        offers = tuple(gpu_offer(None, region) for region in regions[:count])
        decision = Scene(policy_of(CAPPED), (gpu_offer("10.00"), *offers)).one()
        text = decision.reasons[1]
        assert text.startswith("Its place: us-east-1 fits under the cap of 2.10/gpu-h; ")
        if count == 4:
            assert text.endswith("4 regions have no price.")
        else:
            assert text.count("has no price (1 offer)") == count


def test_the_bundled_catalogue_is_named() -> None:
    snapshot = Snapshot(offers=(gpu_offer("10.00"), gpu_offer(None, "us-west-2")), source="bundled")
    (decision,) = decide(policy_of(CAPPED), MORNING, snapshot, Actual(), Memory())
    assert "us-west-2 has no price in the bundled catalogue (1 offer)" in decision.reasons[1]


def test_several_places_are_told_together() -> None:
    text = """
p:
  need: {gpu: A100, gpus: 16, spread: places}
  place: [{in: aws%s, capacity: spot, max_gpus: 8%s}, {in: aws/us-west-2, capacity: on_demand}]
"""
    offers = (gpu_offer("10.00"), gpu_offer("30.00", "us-west-2", capacity=ON_DEMAND))
    decision = Scene(policy_of(text % ("", "")), offers).one()
    assert decision.reasons[1] == "Tier 1 of 2: us-east-1, us-west-2 are the cheapest."
    decision = Scene(policy_of(text % ("", ", max_price: 2/gpu-h")), offers).one()
    assert decision.reasons[1].endswith("us-east-1, us-west-2 fit under the cap of 2/gpu-h.")


def test_a_cap_that_a_cloud_does_not_take_is_watched() -> None:
    policy = policy_of(CAPPED.replace("in: aws", "in: gcp"))
    gcp = gpu_offer("10.00", "us-central1", cloud=Cloud.GCP)
    decision = Scene(policy, (gcp,)).one()
    assert decision.after[0].bid is None
    assert "On gcp the cap is watched, not enforced." in decision.reasons


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (
            "[{name: n, when: '03:00-04:00', place: {in: tencent}}]",
            "No rule holds; otherwise: off.",
        ),
        ("[{name: d, when: '08:00-20:00', place: off}]", "d (08:00-20:00) holds until 20:00: off."),
        (
            "[{name: d, when: '08:00-20:00', need: {gpus: 0}, place: {in: aws}}]",
            "d (08:00-20:00) holds until 20:00: a size of 0.",
        ),
    ],
)
def test_what_holds_and_until_when(rules: str, text: str) -> None:
    policy = policy_of(f"p: {{need: A100:8, rules: {rules}, otherwise: off}}")
    assert Scene(policy, (gpu_offer("10.00"),)).one().reasons[0] == text


def test_unmet_by_type_counts_the_nodes_gpus() -> None:
    text = "p: {need: {instance_type: p4d.24xlarge, nodes: 2}, place: {in: aws%s, capacity: spot}}"
    scene = Scene(policy_of(text % ""), (gpu_offer("10.00"),))
    scene.memory = Memory(set_asides=(mark(0),))
    decision = scene.one()
    assert decision.unmet is not None
    assert decision.unmet.gpus == 16
    scene.look()
    decision = scene.one()
    assert decision.unmet is not None
    assert decision.unmet.gpus == 2


def test_prices_in_doubt_are_warned_of_and_not_believed() -> None:
    def doubtful(region: str) -> object:
        good = a_quote("4.12", observed_at=MORNING - minutes(60))
        jump = a_quote("0.02", observed_at=MORNING)
        return replace(gpu_offer("4.12", region), quotes=(good, jump))

    regions = ("us-east-1", "us-east-2", "us-west-1", "us-west-2", "eu-west-1")
    offers = tuple(doubtful(region) for region in regions)
    scene = Scene(policy_of(CAPPED), offers)  # type: ignore[arg-type]  # offers
    decision = scene.one()
    assert str(decision.usd_per_hour_after) == "4.12"
    assert decision.warnings[0] == (
        "p4d.24xlarge spot eu-west-1: 0.02 USD is too far from the last good price, 4.12 USD: "
        "not believed until a later look agrees."
    )
    assert decision.warnings[-1] == "2 more prices are not believed until a later look agrees."
    assert len(decision.warnings) == 4


def test_old_on_demand_prices_have_their_own_age() -> None:
    text = "p: {need: A100:8, place: {in: aws, capacity: on_demand}}"
    old = gpu_offer("10.00", capacity=ON_DEMAND, seen=MORNING - minutes(31 * 24 * 60))
    scene = Scene(policy_of(text), (old,))
    assert scene.run(MORNING).warnings == ()
    assert "is 31d old (max_price_age 30d): it moves nothing." in scene.one().warnings[0]
