from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.policy.compile import Source, compile_policies
from multicloud.policy.expand import expand
from tests.policy.samples import EFFECTIVE, Path, text_of, with_key
from tests.policy.test_compile import DAYNIGHT

if TYPE_CHECKING:
    from multicloud.models.pool import Policy

FILES = {"scripts/boot.sh": "#!/bin/sh\n", "keys/id.pub": "ssh-ed25519 AAAA me"}


def load(text: str) -> Policy:
    (policy,) = compile_policies([Source("test.yaml", text)], read_file=lambda _, path: FILES[path])
    return policy


def test_every_default_is_written_out() -> None:
    text = expand(load(DAYNIGHT))
    for line in (
        "    moves:\n      min_saving: 10%\n      signal_for: 15m\n",
        "    price_jump: 4\n",
        "    node:\n      disk: 100Gi\n",
        "      arch: x86_64\n",
        "      spread: none\n",
        "            capacity: on_demand\n",
        "        if_none: wait\n",
        "currency: USD\n",
    ):
        assert line in text
    assert "make-up" not in text


def test_defaults_of_the_file_stand_in_each_pool() -> None:
    head = "version: 1\nname: x\ndefaults: {moves: {min_stay: 7h}}\n"
    text = expand(
        load(f"{head}pools: {{a: {{need: T4, place: off}}, b: {{need: T4, place: off}}}}")
    )
    assert text.count("min_stay: 7h") == 2
    assert "defaults" not in text


def test_computed_defaults() -> None:
    text = expand(
        load(
            "version: 1\nname: x\npools: {a: {need: T4, rules: ["
            "{when: {price: {below: 1.00 USD/gpu-h}}, place: {in: aws}}, {place: off}]}}"
        )
    )
    assert "until: 1.05 USD/gpu-h" in text
    assert "- name: rule-1" in text


@pytest.mark.parametrize("row", EFFECTIVE, ids=lambda row: f"{row[0]}.{row[1]}")
def test_the_expanded_policy_is_the_same_policy(row: tuple[str, str, Path, object]) -> None:
    _, key, path, value = row
    policy = load(text_of(with_key(path, key, value)))
    again = load(expand(policy))
    assert again.pools == policy.pools
    assert (again.limits, again.fx, again.discounts) == (policy.limits, policy.fx, policy.discounts)
    assert expand(again) == expand(policy)


def test_hostile_labels_survive() -> None:
    odd = '"\\u0000 \\u0085 \\U0001F600 \\"quoted\\" \\\\"'
    labels = f'{{a: "${{x}}", b: "%{{if}}", c: {odd}, d: "null", e: ""}}'
    policy = load(f"version: 1\nname: x\npools: {{a: {{need: T4, place: off, labels: {labels}}}}}")
    assert load(expand(policy)).pools == policy.pools
