"""What holds for every cloud's module, under the real engine with the sandbox's providers."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Reservation
from multicloud.models.pool import Autoscaler, NodeSettings, WeeklyTime
from multicloud.models.project import CloudSettings, Project
from multicloud.sandbox import facts, schema
from multicloud.sandbox.inventory import SandboxInventory
from multicloud.sandbox.server import SandboxServer
from tests.builders import NOON, a_pool
from tests.modules.places import GROUPS, TAKES_BIDS, on
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.inventory import Node
    from multicloud.models.placement import Placement

pytestmark = [pytest.mark.engine, pytest.mark.slow]

OLDER = Path(__file__).parent / "schemas"
ELSEWHERE = Path(os.environ.get("MULTICLOUD_PROVIDER_SCHEMAS", "provider-schemas"))
SPOT = CapacityType.SPOT
each_cloud = pytest.mark.parametrize("cloud", list(Cloud))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    with SandboxServer(tmp_path / "cloud.sqlite", now=lambda: NOON) as running:
        yield running


@pytest.fixture
def stack(server: SandboxServer, tmp_path: Path) -> Stack:
    return Stack(server, tmp_path)


def nodes(stack: Stack, placement: Placement) -> tuple[Node, ...]:
    """What the simulated cloud runs in the placement's region."""
    inventory = SandboxInventory(stack.server.store.path, lambda: NOON)
    return inventory.read(placement.slot.cloud, placement.slot.region).nodes


@each_cloud
def test_a_pool_lives_and_goes(cloud: Cloud, stack: Stack) -> None:
    """Made, planned again, 1, 3, 0, 2, another cap, gone: in place, and each with its nodes."""
    group = f"module.pool.{GROUPS[cloud]}"
    capacity = SPOT if cloud in TAKES_BIDS else CapacityType.ON_DEMAND
    bid = "8" if cloud in TAKES_BIDS else None
    for before, size in ((None, 1), (1, 3), (3, 0), (0, 2)):
        placement = on(cloud, size, capacity=capacity, bid=bid)
        stack.render(placement)
        if before is not None:
            assert stack.terraform.plan() == {group: "update"}
        stack.apply(placement)
        found = nodes(stack, placement)
        assert len(found) == size
        assert {node.place for node in found} <= {placement.slot.digest}
        assert {node.capacity_type for node in found} <= {capacity}
        assert {node.instance_type for node in found} <= {placement.slot.instance_type}
        assert {node.zone for node in found} <= set(placement.slot.zones)
        assert {(node.policy, node.pool) for node in found} <= {("daynight", "training")}
    if cloud in TAKES_BIDS:
        stack.render(on(cloud, 2, capacity=capacity, bid="9"))
        changes = stack.terraform.plan()
        assert changes
        assert changes.get(group, "update") == "update"
        stack.apply(on(cloud, 2, capacity=capacity, bid="9"))
        assert len(nodes(stack, placement)) == 2
    stack.terraform.destroy()
    assert stack.server.store.records() == ()
    assert nodes(stack, placement) == ()


@each_cloud
def test_whatever_can_be_given_is_taken(cloud: Cloud, stack: Stack) -> None:
    node = NodeSettings(
        startup="#!/bin/sh\ntrue\n", ssh_key="ssh-ed25519 AAAA x", public_ip=True, ports=(22, 8888)
    )
    stops = (WeeklyTime(days=("mon", "sun"), time="22:00"),)
    pool = replace(a_pool(node=node, labels=(("team", "research"),)), backstops=stops)
    account = CloudSettings(service_account="nodes@p.iam.gserviceaccount.com")
    stack.apply(on(cloud), pool=pool, project=Project(clouds={Cloud.GCP: account}))
    assert len(nodes(stack, on(cloud))) == 2
    stack.terraform.destroy()
    assert stack.server.store.records() == ()


@each_cloud
def test_somebody_elses_size_is_left_alone(cloud: Cloud, stack: Stack) -> None:
    """B110: once others decide the size, no apply of ours takes it back, but `off` does."""
    pool = replace(a_pool(), autoscaler=Autoscaler(min_nodes=0, max_nodes=4))
    stack.apply(on(cloud, 4), pool=pool)
    type_, _, _ = GROUPS[cloud].partition(".")
    (record,) = stack.server.store.records(type_)
    size = {
        Cloud.AZURE: "instances",
        Cloud.GCP: "target_size",
        Cloud.ORACLE: "size",
    }.get(cloud, "desired_capacity")
    stack.server.store.put(
        record.ref,
        attributes={**record.attributes, size: 3},
        sent=dict(record.sent),
        operation="update",
        at=NOON,
    )
    labels = replace(pool, labels=(("team", "b"),))
    stack.apply(on(cloud, 4), pool=labels)
    assert len(nodes(stack, on(cloud))) == 3
    stack.apply(on(cloud, 0), pool=pool)
    assert nodes(stack, on(cloud)) == ()


@pytest.mark.parametrize("cloud", [Cloud.AWS, Cloud.AZURE, Cloud.GCP, Cloud.ORACLE])
def test_reserved_nodes(cloud: Cloud, stack: Stack) -> None:
    ids = {
        Cloud.AWS: "cr-1",
        Cloud.AZURE: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute"
        "/capacityReservationGroups/mine",
        Cloud.GCP: "mine",
        Cloud.ORACLE: "ocid1.capacityreservation.oc1..x",
    }
    placement = replace(
        on(cloud, capacity=CapacityType.RESERVED), reservation=Reservation(id=ids[cloud])
    )
    stack.apply(placement)
    found = nodes(stack, placement)
    assert {node.capacity_type for node in found} == {CapacityType.RESERVED}


def test_facts_are_of_carried_resources() -> None:
    for name in schema.provider_names():
        assert set(facts.load(name).resources) <= set(schema.load(name).resources), name
