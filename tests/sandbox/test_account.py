"""What provider settings say of an account."""

from __future__ import annotations

import pytest

from multicloud.sandbox import facts
from multicloud.sandbox.account import Account, text_values
from multicloud.sandbox.values import UNKNOWN, Row, Value


def test_an_account_is_the_facts_number_with_the_sent_settings() -> None:
    account = Account.configured(facts.load("tencentcloud"), {"region": "ap-guangzhou"})
    assert (account.cloud, account.region) == ("tencent", "ap-guangzhou")
    assert account.number == facts.load("tencentcloud").account
    assert all(zone.name.startswith("ap-guangzhou-") for zone in account.zones())


@pytest.mark.parametrize("settings", [{}, {"region": None}, {"region": UNKNOWN}])
def test_no_region_is_empty(settings: Row) -> None:
    assert Account(settings=settings).region == ""


@pytest.mark.parametrize(
    ("blocks", "tags"),
    [
        (None, {}),
        ([], {}),
        ([None], {}),
        ([{"tags": None}], {}),
        ([{"tags": {"a": "b"}}], {"a": "b"}),
    ],
)
def test_default_tags(blocks: Value, tags: Row) -> None:
    assert Account(settings={"default_tags": blocks}).default_tags == tags


def test_text_values_of_anything() -> None:
    assert text_values(["a", None, 1, "b"]) == ("a", "b")
    assert text_values(UNKNOWN) == ()
