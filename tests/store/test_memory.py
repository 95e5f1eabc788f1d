from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings

from multicloud.models.memory import OverrideKind, PoolMemory, SetAsideReason
from tests.builders import NOON
from tests.store.samples import HOUR, MINUTE, a_mark, an_override, any_of

if TYPE_CHECKING:
    from multicloud.store.store import Store


def test_an_empty_store_remembers_nothing_but_is_one(any_store: Store) -> None:
    memory = any_store.load_memory("daynight", NOON)
    assert memory.is_stored
    assert (memory.pools, memory.set_asides, memory.quotas) == ({}, (), ())


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(any_of(PoolMemory))
def test_a_pools_memory_comes_back_without_its_override(any_store: Store, said: PoolMemory) -> None:
    any_store.save_pool_memory("daynight", "training", said)
    memory = any_store.load_memory("daynight", NOON)
    assert memory.pools == {"training": replace(said, override=None)}


def test_policies_and_pools_are_apart(any_store: Store) -> None:
    first, second = PoolMemory(signal_key="1"), PoolMemory(signal_key="2")
    any_store.save_pool_memory("daynight", "training", first)
    any_store.save_pool_memory("daynight", "inference", second)
    any_store.save_pool_memory("other", "training", second)
    assert any_store.load_memory("daynight", NOON).pools == {"inference": second, "training": first}


def test_b75_a_later_look_never_extends_a_mark(any_store: Store) -> None:
    first = a_mark(since=NOON)
    assert any_store.add_set_aside("daynight", first) == first
    for minutes in (10, 20):
        again = a_mark(since=NOON + minutes * MINUTE)
        assert any_store.add_set_aside("daynight", again) == first
        assert any_store.load_memory("daynight", again.since).set_asides == (first,)
    assert any_store.load_memory("daynight", NOON + 31 * MINUTE).set_asides == ()


def test_b75_a_mark_ends_at_its_instant_and_may_then_be_made_anew(any_store: Store) -> None:
    any_store.add_set_aside("daynight", a_mark(since=NOON))
    end = NOON + 30 * MINUTE
    assert any_store.load_memory("daynight", end - MINUTE).set_asides != ()
    assert any_store.load_memory("daynight", end).set_asides == ()
    anew = a_mark(since=end)
    assert any_store.add_set_aside("daynight", anew) == anew
    assert any_store.load_memory("daynight", end).set_asides == (anew,)


def test_an_eviction_is_another_mark_than_a_refusal(any_store: Store) -> None:
    refused = a_mark()
    evicted = a_mark(since=NOON + MINUTE, lasts=HOUR, reason=SetAsideReason.EVICTED)
    any_store.add_set_aside("daynight", refused)
    any_store.add_set_aside("daynight", evicted)
    assert set(any_store.load_memory("daynight", NOON + MINUTE).set_asides) == {refused, evicted}
    assert any_store.load_memory("daynight", NOON + 40 * MINUTE).set_asides == (evicted,)


def test_a_clock_set_back_knows_nothing_of_later_marks(any_store: Store) -> None:
    any_store.add_set_aside("daynight", a_mark(since=NOON + HOUR))
    assert any_store.load_memory("daynight", NOON).set_asides == ()
    early = a_mark(since=NOON)
    assert any_store.add_set_aside("daynight", early) == early
    assert any_store.load_memory("daynight", NOON).set_asides == (early,)


def test_an_override_holds_until_released(any_store: Store) -> None:
    off = an_override()
    any_store.set_override("daynight", "training", off)
    any_store.save_pool_memory("daynight", "training", PoolMemory(signal_key="cap"))
    assert any_store.load_memory("daynight", NOON + 1000 * HOUR).pools == {
        "training": PoolMemory(signal_key="cap", override=off)
    }
    assert any_store.clear_override("daynight", "training")
    assert not any_store.clear_override("daynight", "training")
    assert any_store.load_memory("daynight", NOON).pools["training"].override is None


def test_an_override_ends_when_it_says(any_store: Store) -> None:
    hold = an_override(OverrideKind.HOLD, until=NOON + HOUR)
    any_store.set_override("daynight", "training", hold)
    before = any_store.load_memory("daynight", NOON + HOUR - MINUTE)
    assert before.pools["training"].override == hold
    assert any_store.load_memory("daynight", NOON + HOUR).pools == {}


def test_an_override_holds_for_instants_before_it_was_uttered(any_store: Store) -> None:
    off = an_override(since=NOON + HOUR)
    any_store.set_override("daynight", "training", off)
    assert any_store.load_memory("daynight", NOON).pools["training"].override == off


def test_a_later_override_replaces_an_earlier_one(any_store: Store) -> None:
    any_store.set_override("daynight", "training", an_override(OverrideKind.ON, until=NOON + HOUR))
    off = an_override()
    any_store.set_override("daynight", "training", off)
    assert any_store.load_memory("daynight", NOON).pools["training"].override == off
