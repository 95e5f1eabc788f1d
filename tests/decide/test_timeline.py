"""What the clock will change."""

from __future__ import annotations

import pytest

from multicloud.decide.clockwork import Clockwork
from multicloud.policy.window import market_parts
from tests.builders import at
from tests.decide.scene import MORNING, ON_DEMAND, Scene, gpu_offer, minutes, policy_of

OFFERS = (gpu_offer("10.00"), gpu_offer("12.00", "us-west-2"))


@pytest.mark.parametrize(
    ("rules", "text", "when"),
    [
        ("[{when: '08:00-20:00', place: {in: aws, capacity: spot}}]", "20:00 off", "15T20:00"),
        (
            "[{when: '12:00-20:00', place: {in: aws, capacity: spot}}]",
            "12:00 on, 10.00/h",
            "15T12:00",
        ),
        (
            "[{when: 'sat 12:00-20:00', place: {in: aws, capacity: spot}}]",
            "Sat 12:00 on, 10.00/h",
            "17T12:00",
        ),
        ("[{when: '12:00-13:00', place: {in: tencent}}]", "", None),
        (
            (
                "[{when: '08:00-13:00', place: {in: aws, capacity: spot}},"
                " {when: '13:00-14:00', place: {in: tencent}}]"
            ),
            "13:00 unmet",
            "15T13:00",
        ),
        (
            (
                "[{when: '08:00-13:00', place: {in: aws, capacity: spot}},"
                " {when: '13:00-14:00', need: {gpus: 24}, place: {in: aws, capacity: spot}}]"
            ),
            "13:00 3 nodes, 30.00/h",
            "15T13:00",
        ),
        (
            (
                "[{when: '08:00-13:00', place: {in: aws, capacity: spot}},"
                " {when: '13:00-14:00', place: {in: aws/us-west-2, capacity: spot}}]"
            ),
            "13:00 to aws/us-west-2, 12.00/h",
            "15T13:00",
        ),
        (
            (
                "[{when: '08:00-13:00', place: {in: aws, capacity: spot}},"
                " {when: '13:00-14:00', place: {in: aws/us-east-1, capacity: spot}}]"
            ),
            "14:00 off",
            "15T14:00",
        ),
        (
            "[{when: {dates: 2026-02-10, time: '08:00-20:00'}, place: {in: aws, capacity: spot}}]",
            "2026-02-10 08:00 on, 10.00/h",
            None,
        ),
    ],
)
def test_the_next_change_in_few_words(rules: str, text: str, when: str | None) -> None:
    policy = policy_of(f"p: {{need: A100:8, rules: {rules}, otherwise: off}}")
    decision = Scene(policy, OFFERS).one()
    assert decision.next_change == text
    if when is not None:
        assert decision.next_change_at == at(f"2026-01-{when}:00Z")


def test_amounts_are_in_the_policys_currency() -> None:
    rules = "[{when: '12:00-20:00', place: {in: aws, capacity: spot}}]"
    head = "currency: CNY\nfx: {CNY: 7}"
    policy = policy_of(f"p: {{need: A100:8, rules: {rules}, otherwise: off}}", head=head)
    assert Scene(policy, OFFERS).one().next_change == "12:00 on, 70.00/h"


def test_many_edges_without_a_change_are_no_change() -> None:
    every_hour = ", ".join(f"'{h:02}:00-{h:02}:30'" for h in range(24))
    rules = (
        f"[{{name: a, when: [{every_hour}], place: {{in: aws/us-east-1, capacity: spot}}}},"
        " {name: b, place: {in: aws/us-east-1, capacity: spot}}]"
    )
    decision = Scene(policy_of(f"p: {{need: A100:8, rules: {rules}}}"), OFFERS).one()
    assert (decision.next_change_at, decision.next_change) == (None, "")
    assert decision.next_check_at == MORNING + minutes(30)


def test_edges_at_which_another_rule_decides_already_change_nothing() -> None:
    rules = (
        "[{name: a, when: '08:00-20:00', place: {in: aws, capacity: spot}},"
        " {name: b, when: '12:00-13:00', place: off}]"
    )
    policy = policy_of(f"p: {{need: A100:8, rules: {rules}, otherwise: off}}")
    assert Scene(policy, OFFERS).one().next_change == "20:00 off"


def test_conditions_with_prices_are_known_as_such() -> None:
    rules = (
        "[{when: {price: {below: 1/gpu-h}}, place: off},"
        " {when: {not: {price: {below: 1/gpu-h, of: {in: aws}}}}, place: off},"
        " {when: {all: [{time: '01:00-02:00'}, {price: {below: 1/gpu-h, of: {in: aws}}}]},"
        " place: off},"
        " {when: {any: [{time: '01:00-02:00'}]}, place: off},"
        " {when: '01:00-02:00', place: off}, {place: {in: aws}}]"
    ).replace("{below: 1/gpu-h}", "{below: 1/gpu-h, of: {in: aws}}")
    (pool,) = policy_of(f"p: {{need: A100:8, rules: {rules}}}").pools
    with_price = [any(market_parts(rule.when)) for rule in pool.rules]
    assert with_price == [True, True, True, False, False, False]


def test_a_truth_by_the_clock_is_found_once() -> None:
    (pool,) = policy_of(
        "p: {need: A100:8, rules: [{when: '01:00-02:00', place: off}], otherwise: off}"
    ).pools
    clockwork = Clockwork(None)
    cond = pool.rules[0].when

    def measure(_: object) -> None:
        return None

    first = clockwork.evaluate(cond, MORNING, measure=measure, remembered={})
    assert clockwork.evaluate(cond, MORNING, measure=measure, remembered={}) is first
    (again,) = policy_of(
        "p: {need: A100:8, rules: [{when: '01:00-02:00', place: off}], otherwise: off}"
    ).pools
    twin = clockwork.evaluate(again.rules[0].when, MORNING, measure=measure, remembered={})
    assert twin is first


def test_a_forecast_does_not_wait() -> None:
    text = """
p:
  need: A100:8
  rules:
    - name: later
      when: "12:00-20:00"
      place: [{in: tencent, wait: 20m}, {in: aws, capacity: on_demand}]
  otherwise: off
"""
    scene = Scene(policy_of(text), (gpu_offer("30.00", capacity=ON_DEMAND),))
    assert scene.one().next_change == "12:00 on, 30.00/h"


def test_edges_that_leave_every_rule_as_it_is_are_passed_over() -> None:
    rules = (
        "[{name: a, when: {all: [{time: '11:00-12:00'}, {time: '15:00-16:00'}]}, place: off},"
        " {name: b, when: '08:00-20:00', place: {in: aws, capacity: spot}}]"
    )
    policy = policy_of(f"p: {{need: A100:8, rules: {rules}, otherwise: off}}")
    assert Scene(policy, OFFERS).one().next_change == "20:00 off"


def test_an_unknown_cost_ahead_is_a_question_mark() -> None:
    text = """
p:
  need: A100:8
  rules:
    - {name: day, when: "08:00-20:00", place: {in: aws, capacity: spot}}
    - {name: rest, need: {gpus: 16}, place: {in: aws, capacity: spot}}
"""
    scene = Scene(policy_of(text), OFFERS[:1])
    scene.run(MORNING)
    scene.look(gpu_offer(None))
    assert scene.one().next_change == "20:00 2 nodes, ?/h"
