from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings

from multicloud.models.memory import OverrideKind, PoolMemory, SetAsideReason
from tests.builders import NOON
from tests.store.samples import HOUR, MINUTE, a_mark, an_override, any_of

if TYPE_CHECKING:
    from multicloud.store.store import Store


def test_an_empty_store_remembers_nothing_but_is_one(store: Store) -> None:
    memory = store.load_memory("daynight", NOON)
    assert memory.is_stored
    assert (memory.pools, memory.set_asides, memory.quotas) == ({}, (), ())


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(any_of(PoolMemory))
def test_a_pools_memory_comes_back_without_its_override(store: Store, said: PoolMemory) -> None:
    store.save_pool_memory("daynight", "training", said)
    memory = store.load_memory("daynight", NOON)
    assert memory.pools == {"training": replace(said, override=None)}


def test_policies_and_pools_are_apart(store: Store) -> None:
    first, second = PoolMemory(signal_key="1"), PoolMemory(signal_key="2")
    store.save_pool_memory("daynight", "training", first)
    store.save_pool_memory("daynight", "inference", second)
    store.save_pool_memory("other", "training", second)
    assert store.load_memory("daynight", NOON).pools == {"inference": second, "training": first}


def test_b75_a_later_look_never_extends_a_mark(store: Store) -> None:
    first = a_mark(since=NOON)
    assert store.add_set_aside("daynight", first) == first
    for minutes in (10, 20):
        again = a_mark(since=NOON + minutes * MINUTE)
        assert store.add_set_aside("daynight", again) == first
        assert store.load_memory("daynight", again.since).set_asides == (first,)
    assert store.load_memory("daynight", NOON + 31 * MINUTE).set_asides == ()


def test_b75_a_mark_ends_at_its_instant_and_may_then_be_made_anew(store: Store) -> None:
    store.add_set_aside("daynight", a_mark(since=NOON))
    end = NOON + 30 * MINUTE
    assert store.load_memory("daynight", end - MINUTE).set_asides != ()
    assert store.load_memory("daynight", end).set_asides == ()
    anew = a_mark(since=end)
    assert store.add_set_aside("daynight", anew) == anew
    assert store.load_memory("daynight", end).set_asides == (anew,)


def test_an_eviction_is_another_mark_than_a_refusal(store: Store) -> None:
    refused = a_mark()
    evicted = a_mark(since=NOON + MINUTE, lasts=HOUR, reason=SetAsideReason.EVICTED)
    store.add_set_aside("daynight", refused)
    store.add_set_aside("daynight", evicted)
    assert set(store.load_memory("daynight", NOON + MINUTE).set_asides) == {refused, evicted}
    assert store.load_memory("daynight", NOON + 40 * MINUTE).set_asides == (evicted,)


def test_a_clock_set_back_knows_nothing_of_later_marks(store: Store) -> None:
    store.add_set_aside("daynight", a_mark(since=NOON + HOUR))
    assert store.load_memory("daynight", NOON).set_asides == ()
    early = a_mark(since=NOON)
    assert store.add_set_aside("daynight", early) == early
    assert store.load_memory("daynight", NOON).set_asides == (early,)


def test_an_override_holds_until_released(store: Store) -> None:
    off = an_override()
    store.set_override("daynight", "training", off)
    store.save_pool_memory("daynight", "training", PoolMemory(signal_key="cap"))
    assert store.load_memory("daynight", NOON + 1000 * HOUR).pools == {
        "training": PoolMemory(signal_key="cap", override=off)
    }
    assert store.clear_override("daynight", "training")
    assert not store.clear_override("daynight", "training")
    assert store.load_memory("daynight", NOON).pools["training"].override is None


def test_an_override_ends_when_it_says(store: Store) -> None:
    hold = an_override(OverrideKind.HOLD, until=NOON + HOUR)
    store.set_override("daynight", "training", hold)
    before = store.load_memory("daynight", NOON + HOUR - MINUTE)
    assert before.pools["training"].override == hold
    assert store.load_memory("daynight", NOON + HOUR).pools == {}


def test_an_override_holds_for_instants_before_it_was_uttered(store: Store) -> None:
    off = an_override(since=NOON + HOUR)
    store.set_override("daynight", "training", off)
    assert store.load_memory("daynight", NOON).pools["training"].override == off


def test_a_later_override_replaces_an_earlier_one(store: Store) -> None:
    store.set_override("daynight", "training", an_override(OverrideKind.ON, until=NOON + HOUR))
    off = an_override()
    store.set_override("daynight", "training", off)
    assert store.load_memory("daynight", NOON).pools["training"].override == off
