"""What may stand under `availability`, and what it comes to."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from multicloud.errors import InvalidInputsError
from multicloud.models.condition import AvailabilityCondition
from multicloud.models.offer import CapacityType
from tests.decide.scene import policy_of

POOL = "p: {need: A100:8, rules: [{when: {availability: {%s}}, place: {in: aws}}], otherwise: off}"


def condition(text: str) -> AvailabilityCondition:
    (pool,) = policy_of(POOL % text).pools
    found = pool.rules[0].when
    assert isinstance(found, AvailabilityCondition)
    return found


def test_what_holds_without_a_word() -> None:
    found = condition("in: aws")
    assert (found.capacity, found.last, found.at_least) == (
        (CapacityType.SPOT,),
        timedelta(hours=3),
        Decimal("0.5"),
    )


def test_the_same_question_of_another_need_is_another_condition() -> None:
    (pool,) = policy_of(
        "p: {need: A100:8, otherwise: off, rules: ["
        "{when: {availability: {in: aws}}, place: {in: aws}},"
        "{when: {availability: {in: aws}}, need: {gpu: T4}, place: {in: aws}}]}"
    ).pools
    keys = {rule.when.key for rule in pool.rules if isinstance(rule.when, AvailabilityCondition)}
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("in: aws, last: 0m", "no time to look back over"),
        ("in: aws, last: 32d", "at most 31d"),
        ("in: aws, at_least: 0%", "more than 0 %"),
        ("in: aws, at_least: 101%", "100 %"),
        ("in: aws, capacity: [spot, reserved]", "reserved"),
        ("last: 3h", "in"),
    ],
)
def test_what_cannot_be_answered_is_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidInputsError) as caught:
        condition(text)
    (error,) = caught.value.errors
    assert told in f"{error.summary} {error.detail}"
