"""What Google Cloud's module sends for a placement, and when a change takes nodes down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.stream import StreamReader
from multicloud.models.change import StackPlan
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.pool import WeeklyTime
from multicloud.models.project import CloudSettings, Project
from multicloud.models.run import Purpose
from multicloud.render.names import stack_key
from multicloud.run.held import unasked
from multicloud.sandbox.inventory import SandboxInventory
from multicloud.sandbox.server import SandboxServer
from tests.builders import NOON, a_placement, a_pool, a_slot
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.models.placement import Placement

pytestmark = [pytest.mark.engine, pytest.mark.slow]

SPOT, ON_DEMAND = CapacityType.SPOT, CapacityType.ON_DEMAND
TEMPLATE = "google_compute_instance_template"
ZONAL = "google_compute_instance_group_manager"
REGIONAL = "google_compute_region_instance_group_manager"
ZONES = ("us-central1-a", "us-central1-b", "us-central1-c")


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with SandboxServer(tmp_path / "cloud.sqlite", now=lambda: NOON) as server:
        yield Stack(server, tmp_path)


def place(
    type_: str = "a2-highgpu-1g",
    gpu: str = "A100-40GB",
    gpus: int = 1,
    *,
    nodes: int = 2,
    zones: tuple[str, ...] = ZONES[:1],
    capacity: CapacityType = ON_DEMAND,
) -> Placement:
    slot = a_slot(type_, cloud=Cloud.GCP, region="us-central1", zones=zones, capacity=capacity)
    return a_placement(nodes, slot=slot, gpu=gpu, gpus_per_node=gpus)


def scheduling(stack: Stack) -> Any:
    (found,) = stack.sent(TEMPLATE)["scheduling"]
    return found


def guarded(stack: Stack, placement: Placement, purpose: Purpose) -> str | None:
    """What the guard says of the plan that the engine makes now."""
    reader = StreamReader(redact=str)
    lines = stack.terraform.run(
        "plan", "-input=false", "-json", "-detailed-exitcode", good=(0, 2)
    ).splitlines()
    for line in lines:
        reader.feed(line)
    key = stack_key(placement.slot, target="sandbox", policy="daynight", pool="training")
    return unasked(StackPlan(key=key, changes=reader.outcome.changes), purpose)


def test_b91_spot_needs_every_field(stack: Stack) -> None:
    stack.apply(place(capacity=SPOT))
    found = scheduling(stack)
    assert found["provisioning_model"] == "SPOT"
    assert found["preemptible"] is True
    assert found["automatic_restart"] is False
    assert found["instance_termination_action"] == "DELETE"


def test_b91_on_demand_has_none(stack: Stack) -> None:
    stack.apply(place())
    found = scheduling(stack)
    assert found["provisioning_model"] == "STANDARD"
    assert found["preemptible"] is False
    assert found["automatic_restart"] is True
    assert found["instance_termination_action"] is None


@pytest.mark.parametrize(
    ("type_", "gpu", "gpus", "attached"),
    [
        ("n1-standard-8", "T4", 1, [{"type": "nvidia-tesla-t4", "count": 1}]),
        ("a2-highgpu-1g", "A100-40GB", 1, []),
        ("a3-highgpu-8g", "H100-SXM5", 8, []),
        ("g2-standard-4", "L4", 1, []),
        ("g4-standard-48", "RTXPRO6000", 1, []),
    ],
)
def test_b93_gpus_end_for_maintenance(
    type_: str, gpu: str, gpus: int, attached: list[Any], stack: Stack
) -> None:
    stack.apply(place(type_, gpu, gpus))
    assert scheduling(stack)["on_host_maintenance"] == "TERMINATE"
    assert stack.sent(TEMPLATE)["guest_accelerator"] == attached


@pytest.mark.parametrize("zones", [ZONES[:1], ZONES])
def test_b95_a_new_template_comes_before_the_old_one_goes(
    zones: tuple[str, ...], stack: Stack
) -> None:
    placement = place(zones=zones)
    stack.apply(placement)
    before = stack.sent(TEMPLATE)
    assert before["name"] is None
    assert before["name_prefix"]
    group = ZONAL if len(zones) == 1 else REGIONAL
    relabelled = a_pool(labels=(("team", "b"),))
    stack.render(placement, pool=relabelled)
    changes = stack.terraform.plan()
    assert changes[f"module.pool.{TEMPLATE}.this"] == "replace"
    assert {action for address, action in changes.items() if f".{group}." in address} == {"update"}
    assert guarded(stack, placement, Purpose.RESIZE) is None
    known = len(stack.server.store.calls())
    stack.apply(placement, pool=relabelled)
    calls = stack.server.store.calls()[known:]
    assert [(call.operation, call.ref.type) for call in calls] == [
        ("create", TEMPLATE),
        ("update", group),
        ("delete", TEMPLATE),
    ]
    (template,) = stack.server.store.records(TEMPLATE)
    (version,) = stack.sent(group)["version"]
    assert version["instance_template"] == template.ref.id


def test_b98_numbers_of_a_regional_group(stack: Stack) -> None:
    stack.apply(place(zones=ZONES))
    group = stack.sent(REGIONAL)
    (policy,) = group["update_policy"]
    assert policy["max_surge_fixed"] in (0, *range(3, 100))
    assert policy["max_unavailable_fixed"] in (0, *range(3, 100))
    assert policy["instance_redistribution_type"] == "NONE"
    assert group["distribution_policy_target_shape"] == "BALANCED"
    assert group["wait_for_instances"] is False


@pytest.mark.parametrize("purpose", [Purpose.FILL, Purpose.RESIZE, Purpose.EMPTY])
def test_b98_other_zones_are_another_group(purpose: Purpose, stack: Stack) -> None:
    """A stack keeps its zones; were they edited, the guard would stop the run."""
    stack.apply(place(zones=ZONES))
    four = place(zones=(*ZONES, "us-central1-f"))
    stack.render(four)
    address = f"module.pool.{REGIONAL}.regional[0]"
    assert stack.terraform.plan()[address] == "replace"
    fault = guarded(stack, four, purpose)
    assert fault is not None
    assert address in fault
    assert f"decision is to {purpose} the stack" in fault


def test_nodes_of_a_regional_group_are_in_its_zones(stack: Stack) -> None:
    placement = place(nodes=3, zones=ZONES)
    stack.apply(placement)
    inventory = SandboxInventory(stack.server.store.path, lambda: NOON)
    nodes = inventory.read(Cloud.GCP, "us-central1").nodes
    assert len(nodes) == 3
    assert {node.zone for node in nodes} <= set(ZONES)
    assert {(node.policy, node.pool, node.place) for node in nodes} == {
        ("daynight", "training", placement.slot.digest)
    }


def test_a_pools_name_is_read_back_as_written(stack: Stack) -> None:
    """Labels fold capitals; the metadata does not."""
    stack.apply(place(), pool=replace(a_pool(), name="Training_A"))
    assert stack.sent(TEMPLATE)["labels"]["pool"] == "training_a"
    inventory = SandboxInventory(stack.server.store.path, lambda: NOON)
    nodes = inventory.read(Cloud.GCP, "us-central1").nodes
    assert {node.pool for node in nodes} == {"Training_A"}


def test_a_cluster_of_machines_made_for_it(stack: Stack) -> None:
    placement = replace(place("a3-megagpu-8g", "H100-SXM5", 8), cluster_network=True)
    stack.apply(placement)
    assert len(stack.sent(TEMPLATE)["network_interface"]) == 9
    assert stack.sent(TEMPLATE)["resource_policies"] is None
    (policy,) = stack.server.store.records("google_compute_resource_policy")
    (given,) = stack.sent(ZONAL)["resource_policies"]
    assert given["workload_policy"] == policy.attributes["self_link"]
    stack.apply(replace(placement, nodes=0))
    stack.terraform.destroy()
    assert stack.server.store.records() == ()


def test_a_cluster_of_other_machines(stack: Stack) -> None:
    stack.apply(replace(place(), cluster_network=True))
    (policy,) = stack.server.store.records("google_compute_resource_policy")
    assert stack.sent(TEMPLATE)["resource_policies"] == [policy.ref.id]
    assert stack.sent(ZONAL)["resource_policies"] == []


@pytest.mark.parametrize("zones", [ZONES[:1], ZONES])
def test_the_backstop_asks_for_the_groups_own_size(zones: tuple[str, ...], stack: Stack) -> None:
    pool = replace(a_pool(), backstops=(WeeklyTime(days=("fri", "sun"), time="06:05"),))
    account = CloudSettings(service_account="nodes@p.iam.gserviceaccount.com")
    stack.apply(place(zones=zones), pool=pool, project=Project(clouds={Cloud.GCP: account}))
    job = stack.sent("google_cloud_scheduler_job")
    assert job["schedule"] == "5 6 * * FRI,SUN"
    (target,) = job["http_target"]
    (group,) = stack.server.store.records(ZONAL if len(zones) == 1 else REGIONAL)
    uri = f"https://www.googleapis.com/compute/v1/{group.ref.id}/resize?size=0"
    assert (target["http_method"], target["uri"]) == ("POST", uri)
    (token,) = target["oauth_token"]
    assert token["service_account_email"] == account.service_account
