"""The simulated cloud's file: what was sent is kept literally, by many writers at once."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from multicloud.sandbox.store import Call, CloudStore, Fault, Ref
from multicloud.sandbox.values import UNKNOWN
from tests.builders import NOON

if TYPE_CHECKING:
    from pathlib import Path

REF = Ref("hashicorp/aws", "us-east-1", "aws_vpc", "vpc-1")


@pytest.fixture
def store(tmp_path: Path) -> CloudStore:
    return CloudStore(tmp_path / "new" / "cloud.sqlite")


def put(store: CloudStore, ref: Ref = REF, operation: str = "create", **sent: str) -> None:
    store.put(ref, attributes={"id": ref.id, **sent}, sent={**sent}, operation=operation, at=NOON)


def test_a_resource_comes_back_with_what_was_sent(store: CloudStore) -> None:
    text = '${file("/etc/hostname")} %{if true}\n"\\ \u00e9 \U0001f600'
    put(store, name=text)
    record = store.get(REF)
    assert record is not None
    assert record.sent == {"name": text}
    assert record.attributes == {"id": "vpc-1", "name": text}


def test_a_region_and_a_type_keep_the_same_id_apart(store: CloudStore) -> None:
    put(store)
    assert store.get(REF._replace(region="eu-west-1")) is None
    assert store.get(REF._replace(type="aws_subnet")) is None


def test_deleting_twice_is_no_error_and_every_call_is_noted(store: CloudStore) -> None:
    put(store)
    put(store, operation="update", name="b")
    store.delete(REF, at=NOON)
    store.delete(REF, at=NOON)
    assert store.get(REF) is None
    assert store.calls() == (
        Call("create", REF),
        Call("update", REF),
        Call("delete", REF),
        Call("delete", REF),
    )


def test_records_are_ordered_and_can_be_of_one_type(store: CloudStore) -> None:
    other = REF._replace(type="aws_subnet", id="subnet-1")
    for ref in (REF, other, REF._replace(id="vpc-0")):
        put(store, ref)
    assert [r.ref.id for r in store.records()] == ["subnet-1", "vpc-0", "vpc-1"]
    assert [r.ref.id for r in store.records("aws_vpc")] == ["vpc-0", "vpc-1"]


def test_a_fault_is_told_as_often_as_it_says(store: CloudStore) -> None:
    store.add_fault(Fault(type="aws_vpc", operation="create", message="VpcLimitExceeded", times=2))
    told = [store.take_fault("aws_vpc", "create", {}) for _ in range(3)]
    assert told == ["VpcLimitExceeded", "VpcLimitExceeded", None]
    assert store.take_fault("aws_vpc", "delete", {}) is None


def test_a_fault_can_be_narrowed_and_last_for_ever(store: CloudStore) -> None:
    store.add_fault(
        Fault(type="t", operation="create", message="m", times=-1, matching={"name": "a"})
    )
    assert store.take_fault("t", "create", {"name": "b"}) is None
    assert [store.take_fault("t", "create", {"name": "a"}) for _ in range(3)] == ["m"] * 3


def test_the_file_is_for_its_user_alone(store: CloudStore) -> None:
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_many_writers_lose_nothing(store: CloudStore) -> None:
    store.add_fault(Fault(type="t", operation="create", message="m", times=5))

    def work(number: int) -> str | None:
        put(store, REF._replace(id=f"vpc-{number}"))
        return store.take_fault("t", "create", {})

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(work, range(40)))
    assert len(store.records()) == 40
    assert told.count("m") == 5


def test_a_failed_write_leaves_nothing_behind(store: CloudStore) -> None:
    with pytest.raises(TypeError):
        store.put(REF, attributes={"id": UNKNOWN}, sent={}, operation="create", at=NOON)
    put(store)
    assert len(store.calls()) == 1
