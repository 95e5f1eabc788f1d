"""What only AWS has: EFA, placement groups, reservations and its own kind of schedule."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.catalog.shapes import shapes
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Reservation, ReservationKind
from multicloud.models.pool import WeeklyTime
from multicloud.sandbox.server import SandboxServer
from tests.builders import a_placement, a_pool, a_slot
from tests.modules.places import on
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.placement import Placement

MODULE = Path(__file__).parents[2] / "terraform" / "modules" / "aws-gpu-pool"
SCHEDULE = "aws_autoscaling_schedule"


def efa_cards() -> dict[str, int]:
    """The module's own list of network cards with EFA, by type."""
    text = (MODULE / "cluster.tf").read_text()
    (body,) = re.findall(r"efa_cards_of = \{\n(.*?)\n  \}", text, re.DOTALL)
    return {name: int(cards) for name, cards in re.findall(r'"(\S+)" += (\d+)', body)}


def test_what_the_catalogue_calls_efa_has_it() -> None:
    catalogued = {name: shape for (cloud, name), shape in shapes().items() if cloud is Cloud.AWS}
    with_efa = {name for name, shape in catalogued.items() if shape.fabric == "efa"}
    assert with_efa
    assert with_efa == efa_cards().keys() & catalogued.keys()


def test_cards_are_those_of_the_cloud() -> None:
    """Against the answers of `describe-instance-types` that moto carries."""
    pytest.importorskip("moto")
    packed = resources.files("moto.ec2").joinpath("resources", "instance_types.json.gz")
    types: dict[str, Any] = json.loads(gzip.decompress(packed.read_bytes()))
    found: dict[str, int] = {}
    plain: set[str] = set()
    for name, facts in types.items():
        network = facts["NetworkInfo"]
        if "GpuInfo" in facts and network["EfaSupported"]:
            found[name] = network["EfaInfo"]["MaximumEfaInterfaces"]
            assert "cluster" in facts["PlacementGroupInfo"]["SupportedStrategies"], name
            if network["MaximumNetworkCards"] > found[name]:
                plain.add(name)
            if found[name] > 1:
                # Device 1 of a card is what the module uses.
                assert min(c["MaximumNetworkInterfaces"] for c in network["NetworkCards"]) >= 2
    assert efa_cards() == found
    (told,) = re.findall(r"has_plain_card = (.*)", (MODULE / "cluster.tf").read_text())
    assert set(re.findall(r'"(\S+)"', told)) == plain


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    with SandboxServer(tmp_path / "cloud.sqlite") as running:
        yield running


@pytest.fixture
def stack(server: SandboxServer, tmp_path: Path) -> Stack:
    return Stack(server, tmp_path)


def reserved(kind: ReservationKind) -> Placement:
    placement = on(Cloud.AWS, capacity=CapacityType.RESERVED)
    return replace(placement, reservation=Reservation(id="cr-0123456789abcdef0", kind=kind))


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("kind", ReservationKind)
def test_b107_a_block_has_its_market_and_its_target(kind: ReservationKind, stack: Stack) -> None:
    stack.apply(reserved(kind))
    template = stack.sent("aws_launch_template")
    (wanted,) = template["capacity_reservation_specification"]
    (target,) = wanted["capacity_reservation_target"]
    assert target["capacity_reservation_id"] == "cr-0123456789abcdef0"
    assert wanted["capacity_reservation_preference"] in (None, "")
    markets = [(m["market_type"], m["spot_options"]) for m in template["instance_market_options"]]
    is_block = kind is ReservationKind.CAPACITY_BLOCK
    assert markets == ([("capacity-block", [])] if is_block else [])
    group = stack.sent("aws_autoscaling_group")
    assert len(group["launch_template"]) == 1
    assert group["mixed_instances_policy"] == []


@pytest.mark.engine
@pytest.mark.slow
def test_b107_a_block_without_an_id_is_refused(stack: Stack) -> None:
    stack.render(reserved(ReservationKind.CAPACITY_BLOCK))
    root = stack.terraform.folder / "main.tf.json"
    document = json.loads(root.read_text())
    del document["module"]["pool"]["reservation_id"]
    root.write_text(json.dumps(document))
    said = stack.terraform.init().run("plan", "-input=false", "-json", good=(1,))
    assert "give reservation_id with capacity_type reserved" in said


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("capacity", [CapacityType.ON_DEMAND, CapacityType.SPOT])
def test_a_cluster_network_comes_and_goes(capacity: CapacityType, stack: Stack) -> None:
    """Spot nodes have it too; without it the stack is what it was before."""
    placement = on(Cloud.AWS, capacity=capacity)
    stack.apply(placement)
    before = stack.sent("aws_launch_template")["network_interfaces"]
    stack.render(replace(placement, cluster_network=True))
    assert stack.terraform.plan() == {
        "module.pool.aws_autoscaling_group.this": "update",
        "module.pool.aws_launch_template.this": "update",
        "module.pool.aws_placement_group.this[0]": "create",
        "module.pool.aws_vpc_security_group_egress_rule.pool[0]": "create",
    }
    stack.apply(replace(placement, cluster_network=True))
    interfaces = stack.sent("aws_launch_template")["network_interfaces"]
    assert [(i["network_card_index"], i["device_index"]) for i in interfaces] == [
        (0, 0),
        (1, 1),
        (2, 1),
        (3, 1),
    ]
    assert {i["associate_public_ip_address"] for i in interfaces} <= {None, ""}
    group = stack.sent("aws_autoscaling_group")
    assert group["placement_group"] == stack.sent("aws_placement_group")["name"]
    (rule,) = (
        record.sent
        for record in stack.server.store.records("aws_vpc_security_group_egress_rule")
        if record.sent["referenced_security_group_id"]
    )
    assert rule["security_group_id"] == rule["referenced_security_group_id"]
    stack.apply(placement)
    assert stack.sent("aws_launch_template")["network_interfaces"] == before
    assert stack.server.store.records("aws_placement_group") == ()


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(
    ("slot", "said"),
    [
        (a_slot("g5.xlarge", zones=("use1-az1",)), "g5.xlarge has no EFA"),
        (a_slot(), "give one in zones"),
    ],
)
def test_a_cluster_network_that_cannot_be(slot: Any, said: str, stack: Stack) -> None:
    stack.render(replace(a_placement(slot=slot), cluster_network=True))
    text = stack.terraform.init().run("plan", "-input=false", "-json", good=(1,))
    assert said in text


@pytest.mark.engine
@pytest.mark.slow
def test_a_backstop_at_another_time_is_another_action(stack: Stack) -> None:
    """An action that is changed in place would keep the start reckoned from its old time."""
    pool = replace(a_pool(), backstops=(WeeklyTime(days=("mon", "sun"), time="08:05"),))
    stack.apply(on(Cloud.AWS), pool=pool)
    sent = stack.sent(SCHEDULE)
    assert sent["recurrence"] == "5 8 * * 0,1"
    assert (sent["desired_capacity"], sent["min_size"], sent["max_size"]) == (0, -1, -1)
    assert sent["time_zone"] == "Etc/UTC"
    stack.render(on(Cloud.AWS, 3), pool=pool)
    assert stack.terraform.plan() == {"module.pool.aws_autoscaling_group.this": "update"}
    later = replace(pool, backstops=(WeeklyTime(days=("mon", "sun"), time="09:05"),))
    stack.render(on(Cloud.AWS), pool=later)
    assert stack.terraform.plan() == {
        f'module.pool.{SCHEDULE}.backstop["mon-sun-0805"]': "delete",
        f'module.pool.{SCHEDULE}.backstop["mon-sun-0905"]': "create",
    }
