"""Price conditions as rules meet them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multicloud.models.condition import PriceCondition, Truth
from multicloud.models.decision import Action, Decision
from multicloud.models.memory import Memory, PoolMemory
from multicloud.models.offer import Cloud, Offer
from tests.decide.scene import MORNING, ON_DEMAND, Scene, gpu_offer, minutes, policy_of
from tests.decide.test_settle import mark


def decided(when: str, *offers: Offer, need: str = "A100:8", head: str = "") -> Decision:
    """The decision of a pool with one rule under the condition."""
    text = f"""
p:
  need: {need}
  rules: [{{name: cheap, when: {{{when}}}, place: {{in: aws, capacity: spot}}}}]
  otherwise: off
"""
    return Scene(policy_of(text, head=head), offers).one()


EIGHT = gpu_offer("16.00")


@pytest.mark.parametrize(
    ("when", "truth"),
    [
        ("price: {below: 2.01/gpu-h}", "yes"),
        ("price: {below: 2.00/gpu-h}", "no"),
        ("price: {above: 1.99/gpu-h}", "yes"),
        ("price: {above: 2.00/gpu-h}", "no"),
        ("price: {below: 16.01/node-h}", "yes"),
        ("price: {below: 16.00/node-h}", "no"),
        ("price: {below: 15 CNY/gpu-h}", "yes"),
        ("price: {below: 14.4 CNY/gpu-h}", "no"),
        ("price: {below: 1/gpu-h, of: {in: aws/us-west-2, capacity: spot}}", "unknown"),
        ("price: {below: 99/gpu-h, of: {in: aws, capacity: on_demand}}", "unknown"),
        ("price: {below: 9/gpu-h, of: {in: aws, capacity: spot, need: H100}}", "unknown"),
        ("not: {price: {below: 2.00/gpu-h}}", "yes"),
    ],
)
def test_the_cheapest_whole_placement_is_measured(when: str, truth: str) -> None:
    (rule,) = decided(when, EIGHT, head="fx: {CNY: 7.2}").rules
    assert rule.truth is Truth(truth)


def test_the_cost_of_surplus_gpus_is_paid_by_those_needed() -> None:
    found = decided("price: {below: 4.01/gpu-h}", EIGHT, need="{gpu: A100, gpus: 4}")
    assert found.rules[0].truth is Truth.YES
    found = decided("price: {below: 4.00/gpu-h}", EIGHT, need="{gpu: A100, gpus: 4}")
    assert found.rules[0].truth is Truth.NO


def test_caps_set_asides_and_quotas_do_not_enter() -> None:
    text = """
p:
  need: A100:8
  rules:
    - name: cheap
      when: {price: {below: 3/gpu-h}}
      place: {in: aws, capacity: spot, max_price: 1/gpu-h}
  otherwise: off
"""
    scene = Scene(policy_of(text), (EIGHT,), memory=Memory(set_asides=(mark(0),)))
    decision = scene.one()
    assert (decision.rule, decision.after) == ("cheap", ())


def test_another_need_and_place_may_be_measured() -> None:
    h100 = gpu_offer("8.00", "us-west-2", kind="p5.48xlarge", gpu="H100-SXM5", capacity=ON_DEMAND)
    of = "of: {in: aws/us-west-2, capacity: on_demand, need: H100:8}"
    assert decided(f"price: {{below: 1.5/gpu-h, {of}}}", EIGHT, h100).rules[0].truth is Truth.YES


def test_by_instance_type_the_nodes_gpus_count() -> None:
    need = "{instance_type: p4d.24xlarge, nodes: 2}"
    assert decided("price: {below: 2.01/gpu-h}", EIGHT, need=need).rules[0].truth is Truth.YES


@pytest.mark.parametrize("last", [True, False, None])
def test_an_old_price_keeps_the_last_truth(last: bool | None) -> None:
    text = """
p:
  need: A100:8
  rules: [{name: cheap, when: {price: {below: 1/gpu-h}}, place: {in: aws, capacity: spot}}]
  otherwise: off
"""
    policy = policy_of(text)
    key = policy.pools[0].rules[0].when.key  # type: ignore[union-attr]  # a price condition
    old = gpu_offer("4.00", seen=MORNING - minutes(24 * 60))
    truths = {} if last is None else {key: last}
    scene = Scene(policy, (old,), memory=Memory(pools={"p": PoolMemory(truths=truths)}))
    decision = scene.one()
    assert bool(decision.after) == bool(last)
    says = {True: 'stays "yes"', False: 'stays "no"', None: 'counts as "no"'}[last]
    assert decision.warnings == (f"cheap: its price is old, so it {says}.",)
    assert decision.memory is not None
    assert decision.memory.truths == truths


def test_no_price_at_all_is_said_so() -> None:
    found = decided("price: {below: 1/gpu-h}", gpu_offer(None))
    assert found.warnings == ('cheap: it has no price, so it counts as "no".',)
    rateless = gpu_offer("7.00", cloud=Cloud.TENCENT, currency="CNY")
    assert "it has no price" in decided("price: {below: 1/gpu-h}", rateless).warnings[0]


def test_every_condition_is_remembered_whichever_rule_decides() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: day, when: "08:00-20:00", place: {in: aws, capacity: spot}}
    - {name: a, when: {price: {below: 3/gpu-h}}, place: {in: aws, capacity: spot}}
    - name: b
      when: {any: [{price: {below: 1/gpu-h}}, {time: "01:00-02:00"}]}
      place: {in: aws, capacity: spot}
    - {name: c, when: {price: {below: 3/gpu-h, of: {in: aws, capacity: spot}}}, place: off}
  otherwise: off
"""
    decision = Scene(policy_of(text), (EIGHT,)).one()
    assert decision.rule == "day"
    assert decision.memory is not None
    assert sorted(decision.memory.truths.values()) == [False, True, True]


def test_a_rule_without_places_has_nothing_to_measure() -> None:
    text = """
p:
  need: A100:8
  rules: [{name: cheap, when: {price: {below: 3/gpu-h, of: {in: aws}}}, place: off}]
  otherwise: {in: aws, capacity: spot}
"""
    scene = Scene(policy_of(text), (EIGHT,))
    assert scene.one().action is Action.CREATE
    rule = scene.policy.pools[0].rules[0]
    assert isinstance(rule.when, PriceCondition)
    bare = replace(rule, when=replace(rule.when, of=None))
    pool = replace(scene.policy.pools[0], rules=(bare,))
    scene.policy = replace(scene.policy, pools=(pool,))
    assert scene.one().rules[0].truth is Truth.UNKNOWN


def test_a_size_of_nothing_has_no_price_per_gpu() -> None:
    found = decided("price: {below: 99/gpu-h}", EIGHT, need="{gpu: A100, gpus: 0}")
    assert found.rules[0].truth is Truth.UNKNOWN
