"""Azure's scale sets in the sandbox: what is sent, what is kept, what is changed in place."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.modules import module_files
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Placement, Reservation
from multicloud.models.pool import Autoscaler, NodeSettings, Pool, WeeklyTime
from multicloud.models.project import CloudSettings, Project, RegionSettings
from multicloud.render.stack import MODULE_FOLDER, ROOT, render_stack
from multicloud.sandbox.inventory import SandboxInventory
from multicloud.sandbox.server import SandboxServer
from tests.builders import NOON, a_placement, a_policy, a_pool, a_slot
from tests.modules.places import on
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.inventory import Node

UNIFORM = "azurerm_linux_virtual_machine_scale_set"
FLEXIBLE = "azurerm_orchestrated_virtual_machine_scale_set"
KINDS = {"uniform": UNIFORM, "flexible": FLEXIBLE}
MODES = [*KINDS]
SPOT = CapacityType.SPOT
SIZED_BY_OTHERS = replace(a_pool(), autoscaler=Autoscaler(min_nodes=1, max_nodes=4))
engine = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture
def server(tmp_path: Any) -> Iterator[SandboxServer]:
    with SandboxServer(tmp_path / "cloud.sqlite", now=lambda: NOON) as running:
        yield running


@pytest.fixture
def stack(server: SandboxServer, tmp_path: Any) -> Stack:
    return Stack(server, tmp_path)


def account(mode: str | None = None, **settings: Any) -> Project:
    return Project(clouds={Cloud.AZURE: CloudSettings(orchestration=mode, **settings)})


def nodes(stack: Stack, region: str = "eastus") -> tuple[Node, ...]:
    return SandboxInventory(stack.server.store.path, lambda: NOON).read(Cloud.AZURE, region).nodes


def text_of(placement: Placement, pool: Pool | None = None) -> dict[str, str]:
    """A stack's files by path."""
    stack = render_stack(
        placement,
        policy=a_policy(),
        pool=pool or a_pool(),
        project=Project(),
        target="sandbox",
        modules=module_files(Cloud.AZURE),
    )
    return {str(path): text for path, text in stack.files.items()}


def resource(text: str, type_: str) -> str:
    """The body of the only resource of a type in a file."""
    (body,) = re.findall(rf'^resource "{type_}" "\w+" \{{\n(.*?)^\}}', text, re.M | re.S)
    return str(body)


@pytest.mark.parametrize("mode", MODES)
class TestB108:
    """Azure refuses a policy and a price unless the priority is Spot, and wants both then."""

    pytestmark = engine

    @pytest.mark.parametrize("bid", ["12.50", "0.00001", None])
    def test_b108_spot_nodes_have_all_three(self, stack: Stack, mode: str, bid: str | None) -> None:
        stack.apply(on(Cloud.AZURE, capacity=SPOT, bid=bid), project=account(mode))
        sent = stack.sent(KINDS[mode])
        assert (sent["priority"], sent["eviction_policy"]) == ("Spot", "Delete")
        assert Decimal(str(sent["max_bid_price"])) == Decimal(bid or "-1")
        assert {node.capacity_type for node in nodes(stack)} == {SPOT}

    def test_b108_others_have_neither(self, stack: Stack, mode: str) -> None:
        stack.apply(on(Cloud.AZURE), project=account(mode))
        sent = stack.sent(KINDS[mode])
        assert (sent["priority"], sent["eviction_policy"]) == ("Regular", None)
        assert sent["max_bid_price"] in (None, -1)  # the provider's own default
        assert {node.capacity_type for node in nodes(stack)} == {CapacityType.ON_DEMAND}

    def test_b108_the_sandbox_refuses_a_policy_without_the_priority(
        self, stack: Stack, mode: str
    ) -> None:
        stack.render(on(Cloud.AZURE), project=account(mode))
        main = stack.terraform.folder / MODULE_FOLDER / "main.tf"
        main.write_text(main.read_text().replace('local.is_spot ? "Delete" : null', '"Delete"'))
        stack.terraform.init()
        stack.terraform.run("apply", "-input=false", "-auto-approve", "-no-color", good=(1,))
        assert stack.server.store.records(KINDS[mode]) == ()


class TestB110:
    """A set whose size is left out in an update is emptied."""

    @pytest.mark.parametrize("type_", KINDS.values())
    def test_every_set_states_its_size(self, type_: str) -> None:
        body = resource(text_of(on(Cloud.AZURE))[f"{MODULE_FOLDER}/main.tf"], type_)
        assert re.search(r"^  instances += local\.desired$", body, re.M)
        assert "ignore_changes" not in body

    @pytest.mark.parametrize("pool", [a_pool(), SIZED_BY_OTHERS])
    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_no_path_renders_neither_a_size_nor_whose_it_is(self, pool: Pool, count: int) -> None:
        files = text_of(on(Cloud.AZURE, count), pool)
        override = files.get(f"{MODULE_FOLDER}/external_override.tf")
        by_others = pool.autoscaler is not None and count > 0
        assert (override is not None) == by_others
        assert ('"desired_count"' in files[str(ROOT)]) == (not by_others)
        for type_ in KINDS.values():
            assert re.search(
                r"^  instances +=", resource(files[f"{MODULE_FOLDER}/main.tf"], type_), re.M
            )
            if override is not None:
                assert "ignore_changes = [instances]" in resource(override, type_)

    @pytest.mark.engine
    @pytest.mark.slow
    @pytest.mark.parametrize("mode", MODES)
    def test_an_update_of_anything_else_sends_the_size(self, stack: Stack, mode: str) -> None:
        stack.apply(on(Cloud.AZURE, 3), project=account(mode))
        labelled = a_pool(labels=(("team", "research"),))
        stack.apply(on(Cloud.AZURE, 3), pool=labelled, project=account(mode))
        assert stack.sent(KINDS[mode])["instances"] == 3
        stack.apply(on(Cloud.AZURE, 0), pool=labelled, project=account(mode))
        assert stack.sent(KINDS[mode])["instances"] == 0
        assert nodes(stack) == ()

    @pytest.mark.engine
    @pytest.mark.slow
    @pytest.mark.parametrize("mode", MODES)
    def test_somebody_elses_size_is_sent_on_as_it_is(self, stack: Stack, mode: str) -> None:
        stack.apply(on(Cloud.AZURE, 4), pool=SIZED_BY_OTHERS, project=account(mode))
        (record,) = stack.server.store.records(KINDS[mode])
        assert record.sent["instances"] == 1
        stack.server.store.put(
            record.ref,
            attributes={**record.attributes, "instances": 3},
            sent=dict(record.sent),
            operation="update",
            at=NOON,
        )
        labelled = replace(SIZED_BY_OTHERS, labels=(("team", "research"),))
        stack.apply(on(Cloud.AZURE, 4), pool=labelled, project=account(mode))
        assert len(nodes(stack)) == 3


class TestKinds:
    """The two kinds of scale set."""

    pytestmark = engine

    @pytest.mark.parametrize("mode", MODES)
    def test_nodes_are_where_the_set_is(self, stack: Stack, mode: str) -> None:
        placement = on(Cloud.AZURE, 4)
        stack.apply(placement, project=account(mode))
        found = nodes(stack)
        assert {node.zone for node in found} == set(placement.slot.zones)
        assert {node.instance_type for node in found} == {placement.slot.instance_type}
        assert all(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", n.id) for n in found)

    def test_a_region_without_zones(self, stack: Stack) -> None:
        slot = a_slot("Standard_NC4as_T4_v3", cloud=Cloud.AZURE, region="westus", zones=())
        stack.apply(a_placement(2, slot=slot, gpu="T4", gpus_per_node=1))
        assert stack.sent(UNIFORM)["zones"] is None
        assert len(nodes(stack, "westus")) == 2

    @pytest.mark.parametrize("mode", [None, "flexible"])
    def test_public_nodes_are_in_a_flexible_set(self, stack: Stack, mode: str | None) -> None:
        pool = a_pool(node=NodeSettings(public_ip=True, ports=(22,)))
        stack.apply(on(Cloud.AZURE), pool=pool, project=account(mode))
        (interface,) = stack.sent(FLEXIBLE)["network_interface"]
        (address,) = interface["ip_configuration"][0]["public_ip_address"]
        assert address["sku_name"] == "Standard_Regional"
        assert stack.server.store.records(UNIFORM) == ()

    @pytest.mark.parametrize("mode", MODES)
    def test_reserved_nodes_are_in_no_placement_group(self, stack: Stack, mode: str) -> None:
        group = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute"
        reservation = Reservation(id=f"{group}/capacityReservationGroups/mine")
        placement = on(Cloud.AZURE, capacity=CapacityType.RESERVED)
        stack.apply(replace(placement, reservation=reservation), project=account(mode))
        sent = stack.sent(KINDS[mode])
        assert sent["capacity_reservation_group_id"] == reservation.id
        assert (sent["single_placement_group"], sent["priority"]) == (False, "Regular")
        assert {node.capacity_type for node in nodes(stack)} == {CapacityType.RESERVED}

    def test_infiniband_is_one_placement_group(self, stack: Stack) -> None:
        slot = a_slot("Standard_ND96asr_v4", cloud=Cloud.AZURE, region="eastus", zones=("1",))
        stack.apply(replace(a_placement(2, slot=slot), cluster_network=True))
        sent = stack.sent(UNIFORM)
        (group,) = stack.server.store.records("azurerm_proximity_placement_group")
        assert sent["single_placement_group"] is True
        assert sent["proximity_placement_group_id"] == group.ref.id
        stack.terraform.destroy()
        assert stack.server.store.records() == ()


class TestChanges:
    """What a change of the policy comes to for nodes that work."""

    pytestmark = engine

    def test_other_ports_change_one_rule_in_place(self, stack: Stack) -> None:
        """Two rules that swap priorities would be refused by Azure, in whichever order."""

        def opened(*ports: int) -> Pool:
            return a_pool(node=NodeSettings(ports=ports))

        stack.apply(on(Cloud.AZURE), pool=opened(8888))
        stack.render(on(Cloud.AZURE), pool=opened(22, 8888))
        rule = 'module.pool.azurerm_network_security_rule.this["ports"]'
        assert stack.terraform.plan() == {rule: "update"}
        stack.apply(on(Cloud.AZURE), pool=opened())
        assert len(stack.server.store.records("azurerm_network_security_rule")) == 2

    @pytest.mark.parametrize("mode", MODES)
    def test_script_and_key_change_the_set_in_place(self, stack: Stack, mode: str) -> None:
        def with_node(script: str, key: str) -> Pool:
            node = NodeSettings(startup=script, ssh_key=f"ssh-ed25519 {key} x")
            return a_pool(node=node)

        address = f"module.pool.{KINDS[mode]}.{mode}[0]"
        stack.apply(on(Cloud.AZURE), pool=with_node("a", "AAAA"), project=account(mode))
        stack.render(on(Cloud.AZURE), pool=with_node("b", "BBBB"), project=account(mode))
        assert stack.terraform.plan() == {address: "update"}

    def test_an_image_found_once_stays(self, stack: Stack) -> None:
        stack.apply(on(Cloud.AZURE))
        before = stack.sent(UNIFORM)["source_image_reference"]
        main = stack.terraform.folder / MODULE_FOLDER / "main.tf"
        text = main.read_text()
        assert text.count(': "2204"') == 1
        main.write_text(text.replace(': "2204"', ': "2404"'))
        assert stack.terraform.plan() == {}
        assert "A newer image" in stack.terraform.run("plan", "-input=false", "-no-color")
        assert stack.sent(UNIFORM)["source_image_reference"] == before

    def test_another_publishers_image_replaces_the_set(self, stack: Stack) -> None:
        """So the guard asks; only a version or SKU of the same offer is changed in place."""

        def imaged(image: str) -> Pool:
            return a_pool(node=NodeSettings(image=image))

        address = f"module.pool.{UNIFORM}.uniform[0]"
        stack.apply(on(Cloud.AZURE), pool=imaged("microsoft-dsvm:ubuntu-hpc:2204:1.0.0"))
        stack.render(on(Cloud.AZURE), pool=imaged("microsoft-dsvm:ubuntu-hpc:2404:2.0.0"))
        assert stack.terraform.plan() == {address: "update"}
        stack.render(on(Cloud.AZURE), pool=imaged("nvidia:ngc:gen2:2.0.0:plan"))
        assert stack.terraform.plan() == {address: "replace"}

    def test_what_is_given_is_used(self, stack: Stack) -> None:
        kept = "/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/sshPublicKeys/mine"
        subnet = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/n"
        region = RegionSettings(network="n", subnets=(f"{subnet}/subnets/x",), key=kept)
        project = account(resource_group="gpus", regions={"eastus": region})
        stack.apply(on(Cloud.AZURE), project=project)
        sent = stack.sent(UNIFORM)
        assert sent["resource_group_name"] == "gpus"
        assert sent["admin_ssh_key"][0]["public_key"].endswith(" mine")
        made = {record.ref.type for record in stack.server.store.records()}
        assert not made & {"azurerm_resource_group", "azurerm_virtual_network", "azurerm_subnet"}


WEEK = 7 * 1440
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SHORT = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def maximum_at(profiles: list[Any], minute: int) -> int:
    """What Azure's autoscaling would allow: the profile that began last holds."""

    def age(profile: Any) -> int:
        (times,) = profile["recurrence"]
        starts = (
            DAYS.index(day) * 1440 + times["hours"][0] * 60 + times["minutes"][0]
            for day in times["days"]
        )
        return int(min((minute - start) % WEEK for start in starts))

    recurring = [profile for profile in profiles if profile["recurrence"]]
    youngest = min(age(profile) for profile in recurring)
    (limit,) = {
        profile["capacity"][0]["maximum"] for profile in recurring if age(profile) == youngest
    }
    return int(limit)


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(
    "stops",
    [
        (WeeklyTime(days=("mon", "sun"), time="23:45"),),
        (WeeklyTime(days=("mon",), time="22:00"), WeeklyTime(days=("mon",), time="22:30")),
        (WeeklyTime(days=SHORT, time="22:00"), WeeklyTime(days=("wed",), time="22:29")),
        (WeeklyTime(days=("sun",), time="23:59"), WeeklyTime(days=("mon",), time="00:10")),
        tuple(WeeklyTime(days=SHORT, time=f"{hour:02}:15") for hour in range(9)),
    ],
)
def test_a_backstop_empties_and_lets_go(stack: Stack, stops: tuple[WeeklyTime, ...]) -> None:
    """No node for half an hour from each time on, any number at all others."""
    stack.apply(on(Cloud.AZURE, 2), pool=replace(a_pool(), backstops=stops))
    profiles = stack.sent("azurerm_monitor_autoscale_setting")["profile"]
    assert len(profiles) <= 20
    assert len({profile["name"] for profile in profiles}) == len(profiles)
    for profile in profiles:
        assert profile["rule"] == []
        (capacity,) = profile["capacity"]
        assert (capacity["minimum"], capacity["default"]) == (0, 0)
    starts = [
        SHORT.index(day) * 1440 + int(stop.time[:2]) * 60 + int(stop.time[3:])
        for stop in stops
        for day in stop.days
    ]
    for minute in range(WEEK):
        closed = any((minute - start) % WEEK < 30 for start in starts)
        assert maximum_at(profiles, minute) == (0 if closed else 1000), minute


@pytest.mark.engine
@pytest.mark.slow
def test_a_resized_set_keeps_its_backstop_as_it_is(stack: Stack) -> None:
    """A profile that grew with the size would cut a set that grows just before it."""
    pool = replace(a_pool(), backstops=(WeeklyTime(days=("fri",), time="20:00"),))
    stack.apply(on(Cloud.AZURE, 2), pool=pool)
    stack.render(on(Cloud.AZURE, 5), pool=pool)
    assert stack.terraform.plan() == {f"module.pool.{UNIFORM}.uniform[0]": "update"}


def test_nobodys_key_is_a_hash_of_a_sentence() -> None:
    """Its private half would be a preimage of nothing anybody ever chose."""
    files = module_files(Cloud.AZURE)
    (main,) = (text for path, text in files.items() if str(path) == "main.tf")
    (key,) = re.findall(r'nobodys_key += "ssh-ed25519 (\S+) nobody"', main)
    blob = base64.b64decode(key)
    sentence = b"multicloud: nobody has the private half of this key, 0"
    assert blob == b"\0\0\0\x0bssh-ed25519\0\0\0 " + hashlib.sha256(sentence).digest()
