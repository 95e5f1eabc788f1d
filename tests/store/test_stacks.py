from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from multicloud.models.change import StackKey
from multicloud.models.placement import Placement
from multicloud.models.run import RecordedStack, StackStatus
from multicloud.store.failures import UnreadableError
from multicloud.store.stacks import parse_key
from tests.store.samples import a_key, a_stack, any_of

if TYPE_CHECKING:
    from multicloud.store.store import Store

ONE_STORE = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)


@ONE_STORE
@given(any_of(RecordedStack), any_of(Placement))
def test_stacks_come_back_equal(
    any_store: Store, said: RecordedStack, placement: Placement
) -> None:
    stack = replace(said, key=a_key(), placement=placement)
    any_store.upsert_stack(stack)
    assert any_store.stacks("daynight") == (stack,)


@given(
    st.builds(
        StackKey,
        target=st.sampled_from(["sandbox", "live"]),
        policy=NAMES,
        pool=NAMES,
        cloud=st.sampled_from(["aws", "tencent"]),
        region=NAMES,
        digest=st.from_regex(r"[0-9a-f]{8}", fullmatch=True),
    )
)
def test_keys_come_back_from_their_text(key: StackKey) -> None:
    assert parse_key(str(key)) == key


@pytest.mark.parametrize("text", ["", "a/b/c", "a/b/c/d", "a/b/c/aws-east", "a/b/c/d/aws-us-1"])
def test_other_text_is_no_key(text: str) -> None:
    with pytest.raises(UnreadableError):
        parse_key(text)


def test_a_later_record_replaces_the_earlier_one(any_store: Store) -> None:
    any_store.upsert_stack(a_stack(status=StackStatus.APPLYING))
    after = a_stack(status=StackStatus.UNKNOWN)
    any_store.upsert_stack(after)
    assert any_store.stacks("daynight") == (after,)


def test_stacks_are_in_the_order_of_their_keys_and_of_one_policy(any_store: Store) -> None:
    keys = [a_key(pool=pool) for pool in ("b", "a", "c")]
    for key in [*keys, a_key(policy="other")]:
        any_store.upsert_stack(a_stack(key))
    assert [stack.key.pool for stack in any_store.stacks("daynight")] == ["a", "b", "c"]
    assert any_store.policies() == ("daynight", "other")


def test_a_stack_is_forgotten_once(any_store: Store) -> None:
    any_store.upsert_stack(a_stack())
    assert any_store.forget_stack(a_key())
    assert not any_store.forget_stack(a_key())
    assert any_store.stacks("daynight") == ()
    assert any_store.policies() == ()


def test_stacks_of_another_target_are_refused(any_store: Store) -> None:
    with pytest.raises(ValueError, match="does not belong to the target sandbox"):
        any_store.upsert_stack(a_stack(a_key(target="live")))
    with pytest.raises(ValueError, match="does not belong"):
        any_store.forget_stack(a_key(target="live"))
