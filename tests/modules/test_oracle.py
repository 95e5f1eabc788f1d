"""Oracle Cloud's pools in the sandbox: what is sent, what stays, and what comes before what."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.modules import module_files
from multicloud.engine.stream import StreamReader
from multicloud.errors import InvalidInputError
from multicloud.models.change import StackPlan
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Placement, Reservation
from multicloud.models.pool import Autoscaler, NodeSettings, WeeklyTime
from multicloud.models.project import CloudSettings, Project, RegionSettings
from multicloud.models.run import Purpose
from multicloud.render.names import stack_key
from multicloud.render.oracle import NO_COMPARTMENT
from multicloud.render.stack import MODULE_FOLDER, render_stack
from multicloud.run.held import unasked
from multicloud.sandbox.inventory import SandboxInventory
from multicloud.sandbox.server import SandboxServer
from tests.builders import NOON, a_placement, a_policy, a_pool, a_slot
from tests.modules.places import on
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.models.inventory import Node

CONFIGURATION = "oci_core_instance_configuration"
POOL = "oci_core_instance_pool"
NETWORK = "oci_core_cluster_network"
SCHEDULE = "oci_autoscaling_auto_scaling_configuration"
ASHBURN = ("us-ashburn-1-AD-1", "us-ashburn-1-AD-2", "us-ashburn-1-AD-3")
RELABELLED = a_pool(labels=(("team", "b"),))
# What Oracle's agent needs beside a cluster network: drivers in the image, a way to its service.
WITH_RDMA = Project(
    clouds={
        Cloud.ORACLE: CloudSettings(
            compartment="ocid1.compartment.oc1..gpus",
            regions={
                "us-ashburn-1": RegionSettings(
                    network="ocid1.vcn.oc1..x",
                    subnets=("ocid1.subnet.oc1..x",),
                    image="ocid1.image.oc1..hpc",
                )
            },
        )
    }
)
engine = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with SandboxServer(tmp_path / "cloud.sqlite", now=lambda: NOON) as server:
        yield Stack(server, tmp_path)


def bare_metal(nodes: int = 2, zones: tuple[str, ...] = ASHBURN[:1]) -> Placement:
    slot = a_slot("BM.GPU4.8", cloud=Cloud.ORACLE, region="us-ashburn-1", zones=zones)
    return a_placement(nodes, slot=slot)


def joined(nodes: int = 2) -> Placement:
    return replace(bare_metal(nodes), cluster_network=True)


def nodes(stack: Stack) -> tuple[Node, ...]:
    inventory = SandboxInventory(stack.server.store.path, lambda: NOON)
    return inventory.read(Cloud.ORACLE, "us-ashburn-1").nodes


def launch(stack: Stack) -> Any:
    """What nodes are started with."""
    (details,) = stack.sent(CONFIGURATION)["instance_details"]
    (found,) = details["launch_details"]
    return found


def calls_since(stack: Stack, known: int) -> list[tuple[str, str]]:
    return [(call.operation, call.ref.type) for call in stack.server.store.calls()[known:]]


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


def said_of(stack: Stack, severity: str) -> str:
    """The details of what the engine says of a plan, as one line."""
    lines = stack.terraform.init().run("plan", "-input=false", "-json", good=(0, 1)).splitlines()
    told = [json.loads(line).get("diagnostic", {}) for line in lines]
    details = [one.get("detail", "") for one in told if one.get("severity") == severity]
    return " ".join(" ".join(details).split())


class TestB114:
    """Preemption is stated whole or not at all; a fixed shape has no cores of its own."""

    pytestmark = engine

    def test_b114_spot_nodes_end_with_their_disk(self, stack: Stack) -> None:
        stack.apply(on(Cloud.ORACLE, capacity=CapacityType.SPOT))
        (preemptible,) = launch(stack)["preemptible_instance_config"]
        assert preemptible["preemption_action"] == [
            {"type": "TERMINATE", "preserve_boot_volume": False}
        ]
        assert {node.capacity_type for node in nodes(stack)} == {CapacityType.SPOT}

    def test_b114_others_have_neither(self, stack: Stack) -> None:
        stack.apply(on(Cloud.ORACLE))
        assert not launch(stack)["preemptible_instance_config"]
        assert not launch(stack)["shape_config"]
        assert {node.capacity_type for node in nodes(stack)} == {CapacityType.ON_DEMAND}

    @pytest.mark.parametrize("type_", ["BM.GPU4.8", "VM.GPU.A10.1"])
    def test_b114_a_shape_that_cannot_be_preempted_is_refused(
        self, stack: Stack, type_: str
    ) -> None:
        slot = a_slot(
            type_,
            cloud=Cloud.ORACLE,
            region="us-ashburn-1",
            zones=ASHBURN[:1],
            capacity=CapacityType.SPOT,
        )
        stack.render(a_placement(slot=slot))
        assert f"{type_} cannot be preemptible" in said_of(stack, "error")
        assert stack.server.store.records() == ()


@pytest.mark.engine
@pytest.mark.slow
class TestConfiguration:
    """It cannot be changed, so a new one takes its place, and no node notices."""

    @pytest.mark.parametrize(
        ("placement", "group"), [(bare_metal(), POOL), (joined(), NETWORK)], ids=["pool", "joined"]
    )
    def test_a_new_one_comes_before_the_old_one_goes(
        self, stack: Stack, placement: Placement, group: str
    ) -> None:
        stack.apply(placement, project=WITH_RDMA)
        running = {node.id for node in nodes(stack)}
        stack.render(placement, pool=RELABELLED, project=WITH_RDMA)
        changes = stack.terraform.plan()
        assert changes[f"module.pool.{CONFIGURATION}.this"] == "replace"
        assert changes[f"module.pool.{group}.this[0]"] == "update"
        assert guarded(stack, placement, Purpose.RESIZE) is None
        known = len(stack.server.store.calls())
        stack.apply(placement, pool=RELABELLED, project=WITH_RDMA)
        heavy = [call for call in calls_since(stack, known) if call[1] in (CONFIGURATION, group)]
        assert heavy == [("create", CONFIGURATION), ("update", group), ("delete", CONFIGURATION)]
        assert {node.id for node in nodes(stack)} == running
        assert launch(stack)["freeform_tags"]["team"] == "b"

    def test_a_newer_image_changes_nothing_by_itself(self, stack: Stack) -> None:
        stack.apply(bare_metal())
        (source,) = launch(stack)["source_details"]
        assert source["image_id"].startswith("ocid1.image.")
        main = stack.terraform.folder / MODULE_FOLDER / "main.tf"
        text = main.read_text()
        # Another lookup finds another image.
        main.write_text(text.replace('sort_order       = "DESC"', 'sort_order       = "ASC"'))
        assert main.read_text() != text
        assert stack.terraform.plan() == {}
        (kept,) = launch(stack)["source_details"]
        assert kept["image_id"] == source["image_id"]

    def test_what_nodes_are_started_with(self, stack: Stack) -> None:
        node = NodeSettings(startup="#!/bin/sh\ntrue\n", ssh_key="ssh-ed25519 AAAA x", disk_gib=200)
        stack.apply(bare_metal(), pool=a_pool(node=node, labels=(("team", "research"),)))
        found = launch(stack)
        assert set(found["metadata"]) == {"ssh_authorized_keys", "user_data"}
        assert found["metadata"]["ssh_authorized_keys"] == "ssh-ed25519 AAAA x"
        (source,) = found["source_details"]
        assert source["boot_volume_size_in_gbs"] == "200"
        (options,) = found["instance_options"]
        assert options["are_legacy_imds_endpoints_disabled"] is True
        (vnic,) = found["create_vnic_details"]
        assert vnic["freeform_tags"] == found["freeform_tags"]
        assert found["freeform_tags"]["managed-by"] == "multicloud"
        assert found["freeform_tags"]["team"] == "research"

    def test_everything_that_takes_tags_has_them(self, stack: Stack) -> None:
        stops = (WeeklyTime(days=("fri",), time="20:00"),)
        open_ = NodeSettings(public_ip=True, ports=(22,))
        stack.apply(bare_metal(), pool=replace(a_pool(node=open_), backstops=stops))
        untagged = set()
        for record in stack.server.store.records():
            tags: Any = record.attributes.get("freeform_tags") or {}
            if tags.get("place") != bare_metal().slot.digest:
                untagged.add(record.ref.type)
        assert untagged == {"oci_core_network_security_group_security_rule"}


@pytest.mark.engine
@pytest.mark.slow
class TestBackstop:
    """A schedule of the cloud's own, which no change of size touches."""

    STOPS = (
        WeeklyTime(days=("mon", "tue"), time="22:05"),
        WeeklyTime(days=("sun",), time="00:00"),
    )

    def test_it_empties_the_pool_in_utc(self, stack: Stack) -> None:
        stack.apply(bare_metal(), pool=replace(a_pool(), backstops=self.STOPS))
        sent = stack.sent(SCHEDULE)
        (pool,) = stack.server.store.records(POOL)
        assert sent["auto_scaling_resources"] == [{"id": pool.ref.id, "type": "instancePool"}]
        schedules = [policy["execution_schedule"][0] for policy in sent["policies"]]
        assert [one["expression"] for one in schedules] == [
            "0 5 22 ? * MON,TUE *",
            "0 0 0 ? * SUN *",
        ]
        assert {one["timezone"] for one in schedules} == {"UTC"}
        assert [policy["capacity"][0]["initial"] for policy in sent["policies"]] == [0, 0]
        assert {policy["policy_type"] for policy in sent["policies"]} == {"scheduled"}

    def test_another_size_leaves_it_alone(self, stack: Stack) -> None:
        pool = replace(a_pool(), backstops=self.STOPS)
        stack.apply(bare_metal(1), pool=pool)
        for size in (3, 0, 2):
            stack.render(bare_metal(size), pool=pool)
            assert stack.terraform.plan() == {f"module.pool.{POOL}.this[0]": "update"}
            stack.apply(bare_metal(size), pool=pool)
            assert len(nodes(stack)) == size

    def test_another_time_makes_it_anew_and_leaves_the_pool_alone(self, stack: Stack) -> None:
        stack.apply(bare_metal(), pool=replace(a_pool(), backstops=self.STOPS))
        stack.render(bare_metal(), pool=replace(a_pool(), backstops=self.STOPS[:1]))
        assert stack.terraform.plan() == {f"module.pool.{SCHEDULE}.backstop[0]": "replace"}
        stack.render(bare_metal())
        assert stack.terraform.plan() == {f"module.pool.{SCHEDULE}.backstop[0]": "delete"}


@pytest.mark.engine
@pytest.mark.slow
class TestClusterNetwork:
    def test_the_pool_lies_within_and_is_resized_in_place(self, stack: Stack) -> None:
        for before, size in ((None, 1), (1, 3), (3, 0), (0, 2)):
            stack.render(joined(size), project=WITH_RDMA)
            if before is not None:
                assert stack.terraform.plan() == {f"module.pool.{NETWORK}.this[0]": "update"}
            stack.apply(joined(size), project=WITH_RDMA)
            assert len(nodes(stack)) == size
            assert stack.server.store.records(POOL) == ()
        (pool,) = stack.sent(NETWORK)["instance_pools"]
        assert pool["size"] == 2
        assert {node.zone for node in nodes(stack)} == {ASHBURN[0]}
        assert {node.place for node in nodes(stack)} == {joined().slot.digest}
        plugins = launch(stack)["agent_config"][0]["plugins_config"]
        assert {one["name"] for one in plugins} == {
            "Compute HPC RDMA Auto-Configuration",
            "Compute HPC RDMA Authentication",
        }
        stack.terraform.destroy()
        assert stack.server.store.records() == ()

    def test_nodes_without_it_have_no_part_of_it(self, stack: Stack) -> None:
        stack.apply(bare_metal())
        assert stack.server.store.records(NETWORK) == ()
        assert not launch(stack)["agent_config"]

    def test_without_drivers_it_comes_with_a_warning(self, stack: Stack) -> None:
        stack.render(joined())
        said = said_of(stack, "warning")
        assert "no RDMA drivers: set image_id" in said
        assert "give network_id and subnet_ids with a service gateway" in said
        stack.render(joined(), project=WITH_RDMA)
        assert said_of(stack, "warning") == ""


@pytest.mark.engine
@pytest.mark.slow
class TestAvailabilityDomains:
    @pytest.mark.parametrize("zones", [ASHBURN[1:2], ASHBURN[::2], ASHBURN, ()])
    def test_the_tenancys_own_names_are_found_by_number(
        self, stack: Stack, zones: tuple[str, ...]
    ) -> None:
        stack.apply(bare_metal(3, zones))
        placed = stack.sent(POOL)["placement_configurations"]
        wanted = zones or ASHBURN
        names = [one["availability_domain"] for one in placed]
        # The letters before the colon are the tenancy's.
        assert all(":" in name for name in names)
        assert [name[-4:] for name in names] == [zone[-4:] for zone in wanted]
        assert len({one["primary_subnet_id"] for one in placed}) == 1
        assert {node.zone for node in nodes(stack)} == set(wanted)

    def test_a_region_with_one(self, stack: Stack) -> None:
        slot = a_slot(
            "BM.GPU4.8",
            cloud=Cloud.ORACLE,
            region="eu-madrid-1",
            zones=("eu-madrid-1-AD-1",),
        )
        stack.apply(a_placement(1, slot=slot))
        (placed,) = stack.sent(POOL)["placement_configurations"]
        assert placed["availability_domain"].endswith("-AD-1")

    def test_a_reservation_is_in_one(self, stack: Stack) -> None:
        def reserved(zones: tuple[str, ...]) -> Placement:
            slot = replace(bare_metal(zones=zones).slot, capacity_type=CapacityType.RESERVED)
            held = Reservation(id="ocid1.capacityreservation.oc1..x")
            return replace(bare_metal(zones=zones), slot=slot, reservation=held)

        stack.render(reserved(ASHBURN[:2]))
        assert "A reservation is in one availability domain" in said_of(stack, "error")
        stack.apply(reserved(ASHBURN[:1]))
        assert launch(stack)["capacity_reservation_id"] == "ocid1.capacityreservation.oc1..x"
        assert {node.capacity_type for node in nodes(stack)} == {CapacityType.RESERVED}


def rendered(project: Project, target: str, pool: Any = None, count: int = 2) -> dict[str, str]:
    """A stack's files by path."""
    stack = render_stack(
        on(Cloud.ORACLE, count),
        policy=a_policy(),
        pool=pool or a_pool(),
        project=project,
        target=target,
        modules=module_files(Cloud.ORACLE),
    )
    return {str(path): text for path, text in stack.files.items()}


class TestCompartment:
    """Needed where money is spent; the sandbox works without a project file."""

    def test_a_live_run_without_one_says_what_to_do(self) -> None:
        with pytest.raises(InvalidInputError) as caught:
            rendered(Project(), "live")
        assert "needs a compartment" in str(caught.value)
        assert "clouds.oracle.compartment" in str(caught.value.hint)

    def test_the_sandbox_does_without(self) -> None:
        assert f'"{NO_COMPARTMENT}"' in rendered(Project(), "sandbox")["main.tf.json"]

    def test_the_project_files_own_goes_before(self) -> None:
        for target in ("sandbox", "live"):
            text = rendered(WITH_RDMA, target)["main.tf.json"]
            assert '"ocid1.compartment.oc1..gpus"' in text
            assert NO_COMPARTMENT not in text


class TestSomebodyElsesSize:
    """B110: the size is stated always, and left alone only where somebody else has it."""

    EXTERNAL = replace(a_pool(), autoscaler=Autoscaler(min_nodes=1, max_nodes=4))
    OVERRIDE = f"{MODULE_FOLDER}/external_override.tf"

    @pytest.mark.parametrize("pool", [a_pool(), EXTERNAL])
    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_no_path_renders_neither_a_size_nor_whose_it_is(self, pool: Any, count: int) -> None:
        files = rendered(Project(), "sandbox", pool, count)
        by_others = pool.autoscaler is not None and count > 0
        assert (self.OVERRIDE in files) == by_others
        assert ('"desired_count"' in files["main.tf.json"]) == (not by_others)
        if by_others:
            assert "ignore_changes = [size]" in files[self.OVERRIDE]

    @pytest.mark.engine
    @pytest.mark.slow
    def test_it_begins_with_the_least(self, stack: Stack) -> None:
        stack.apply(on(Cloud.ORACLE, 4), pool=self.EXTERNAL)
        assert stack.sent(POOL)["size"] == 1

    @pytest.mark.engine
    @pytest.mark.slow
    def test_refusals_outlive_the_override(self, stack: Stack) -> None:
        """An override merges into the block beside it: what was asked there is still asked."""
        stops = (WeeklyTime(days=("mon",), time="22:00"),)
        stack.render(on(Cloud.ORACLE, 4), pool=replace(self.EXTERNAL, backstops=stops))
        assert "backstop would work against the autoscaler" in said_of(stack, "error")
