"""What only Alibaba Cloud has: prices that are rounded, sizes of two kinds, tasks that end."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from multicloud import clock
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Reservation
from multicloud.models.pool import Autoscaler, NodeSettings, WeeklyTime
from multicloud.models.project import CloudSettings, Project, RegionSettings
from multicloud.sandbox.inventory import SandboxInventory
from multicloud.sandbox.server import SandboxServer
from tests.builders import a_pool
from tests.modules.places import on
from tests.modules.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.models.placement import Placement

pytestmark = [pytest.mark.engine, pytest.mark.slow]

GROUP = "alicloud_ess_scaling_group"
CONFIGURATION = "alicloud_ess_scaling_configuration"
TASK = "alicloud_ess_scheduled_task"
KEY_PAIR = "alicloud_ecs_key_pair"
SPOT = CapacityType.SPOT
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    with SandboxServer(tmp_path / "cloud.sqlite") as running:
        yield running


@pytest.fixture
def stack(server: SandboxServer, tmp_path: Path) -> Stack:
    return Stack(server, tmp_path)


def here(
    nodes: int = 2, *, capacity: CapacityType = CapacityType.ON_DEMAND, bid: str | None = None
) -> Placement:
    return on(Cloud.ALIBABA, nodes, capacity=capacity, bid=bid)


def running(stack: Stack) -> int:
    """Nodes that the simulated cloud runs."""
    inventory = SandboxInventory(stack.server.store.path, clock.utcnow)
    return len(inventory.read(Cloud.ALIBABA, "cn-hangzhou").nodes)


def refused(stack: Stack, placement: Placement) -> str:
    """What a plan that fails says, its lines as one."""
    stack.render(placement)
    lines = stack.terraform.init().run("plan", "-input=false", "-json", good=(1,)).splitlines()
    found = [json.loads(line) for line in lines]
    return " ".join(d["diagnostic"]["detail"] for d in found if d["type"] == "diagnostic")


def put(stack: Stack, type_: str, **attributes: Any) -> None:
    """Change the only resource of a type in the cloud, behind Terraform's back."""
    (record,) = stack.server.store.records(type_)
    stack.server.store.put(
        record.ref,
        attributes={**record.attributes, **attributes},
        sent=dict(record.sent),
        operation="update",
        at=clock.utcnow(),
    )


def test_nodes_are_bought_in_one_of_three_ways(stack: Stack) -> None:
    def bought(placement: Placement) -> tuple[Any, Any]:
        stack.apply(placement)
        sent = stack.sent(CONFIGURATION)
        limits = sent["spot_price_limit"]
        stack.terraform.destroy()
        return sent["spot_strategy"], [(one["instance_type"], one["price_limit"]) for one in limits]

    assert bought(here()) == ("NoSpot", [])
    assert bought(here(capacity=SPOT)) == ("SpotAsPriceGo", [])
    type_ = here().slot.instance_type
    assert bought(here(capacity=SPOT, bid="12")) == ("SpotWithPriceLimit", [(type_, 12)])


@pytest.mark.parametrize(
    ("bid", "limit"),
    [("12.125", 12.12), ("12.129", 12.12), ("0.29", 0.29), ("0.019", 0.01), ("1.1", 1.1)],
)
def test_a_limit_is_never_above_the_cap(stack: Stack, bid: str, limit: float) -> None:
    """The provider rounds to two decimals; `apply` also sees that the next plan has no changes."""
    stack.apply(here(capacity=SPOT, bid=bid))
    (sent,) = stack.sent(CONFIGURATION)["spot_price_limit"]
    assert float(sent["price_limit"]) == limit


def test_the_sandbox_rounds_as_the_provider_does(stack: Stack) -> None:
    """Without the module's cut a third decimal would be a change in every plan."""
    stack.render(here(capacity=SPOT, bid="12.129"))
    main = stack.terraform.folder / "module" / "main.tf"
    main.write_text(main.read_text().replace("{1,2}", "{1,3}"))
    stack.terraform.init().apply()
    assert stack.terraform.plan() == {f"module.pool.{CONFIGURATION}.this": "update"}


@pytest.mark.parametrize("bid", ["0.001", "1.0001"])
def test_a_cap_that_cannot_be_sent(stack: Stack, bid: str) -> None:
    said = refused(stack, here(capacity=SPOT, bid=bid))
    assert "at least 0.01 with at most 3 decimals" in said


def test_another_cap_changes_the_configuration_in_place(stack: Stack) -> None:
    stack.apply(here(capacity=SPOT, bid="12"))
    for bid in ("13", None, "11"):
        stack.render(here(capacity=SPOT, bid=bid))
        assert stack.terraform.plan() == {f"module.pool.{CONFIGURATION}.this": "update"}
        stack.apply(here(capacity=SPOT, bid=bid))
    assert running(stack) == 2


def test_another_size_changes_the_group_only(stack: Stack) -> None:
    stack.apply(here(2))
    stack.render(here(3))
    assert stack.terraform.plan() == {f"module.pool.{GROUP}.this": "update"}


def test_b69_a_group_that_is_made_empty_grows_and_goes_by_its_bounds(stack: Stack) -> None:
    """The provider sends no 0 at creation: such a group never expects a number of nodes."""
    stack.apply(here(0))
    assert stack.sent(GROUP)["desired_capacity"] == 0
    for size in (2, 3, 0, 1):
        stack.apply(here(size))
        sent = stack.sent(GROUP)
        assert (sent["min_size"], sent["max_size"]) == (size, size)
        assert not sent["desired_capacity"]
        assert running(stack) == size


def test_a_group_that_is_made_with_nodes_expects_them(stack: Stack) -> None:
    for size in (2, 0, 1):
        stack.apply(here(size))
        sent = stack.sent(GROUP)
        assert (sent["min_size"], sent["desired_capacity"]) == (0, size)
        assert running(stack) == size


def test_an_autoscalers_group_has_bounds_only(stack: Stack) -> None:
    pool = replace(a_pool(), autoscaler=Autoscaler(min_nodes=1, max_nodes=4))
    stack.apply(here(4), pool=pool)
    sent = stack.sent(GROUP)
    assert (sent["min_size"], sent["max_size"], sent["desired_capacity"]) == (1, 4, None)
    assert running(stack) == 1
    put(stack, GROUP, desired_capacity=3)
    assert stack.terraform.plan() == {}
    stack.apply(here(2))
    assert running(stack) == 2


def test_b171_labels_arrive_as_written(stack: Stack) -> None:
    labels = (("plain ${1+1}", "${file(/etc/hostname)}"), ("成本", "100%{if true}x%{endif}"))
    stack.apply(here(), pool=a_pool(labels=labels))
    for type_ in (GROUP, CONFIGURATION):
        assert dict(labels).items() <= stack.sent(type_)["tags"].items()


def test_every_resource_that_can_says_whose_it_is(stack: Stack) -> None:
    node = NodeSettings(ssh_key="ssh-ed25519 AAAA x", public_ip=True, ports=(22,))
    placement = here()
    stack.apply(placement, pool=a_pool(node=node))
    own = {
        "managed-by": "multicloud",
        "policy": "daynight",
        "pool": "training",
        "place": placement.slot.digest,
    }
    records = stack.server.store.records()
    tagged: dict[str, Any] = {r.ref.type: r.sent["tags"] for r in records if "tags" in r.sent}
    assert len(tagged) == 6
    for type_, tags in tagged.items():
        assert own.items() <= tags.items(), type_


def test_a_network_that_was_given_is_used(stack: Stack) -> None:
    region = RegionSettings(network="vpc-1", subnets=("vsw-1", "vsw-2"), key="shared")
    account = CloudSettings(resource_group="rg-1", regions={"cn-hangzhou": region})
    stack.apply(here(), project=Project(clouds={Cloud.ALIBABA: account}))
    made = {record.ref.type for record in stack.server.store.records()}
    assert made == {GROUP, CONFIGURATION, "alicloud_security_group"}
    group, configuration = stack.sent(GROUP), stack.sent(CONFIGURATION)
    assert sorted(group["vswitch_ids"]) == ["vsw-1", "vsw-2"]
    assert stack.sent("alicloud_security_group")["vpc_id"] == "vpc-1"
    assert configuration["key_name"] == "shared"
    assert group["resource_group_id"] == configuration["resource_group_id"] == "rg-1"


def test_zones_found_once_stay(stack: Stack) -> None:
    """Which zones sell a type changes with their stock; networks must not follow."""
    placement = replace(here(), slot=replace(here().slot, zones=()))
    stack.apply(placement)
    zones = {r.attributes["zone_id"] for r in stack.server.store.records("alicloud_vswitch")}
    assert len(zones) > 2
    network = stack.terraform.folder / "module" / "network.tf"
    text = network.read_text()
    found = "sort(data.alicloud_zones.selling[0].ids)"
    assert found in text
    network.write_text(text.replace(found, f"slice({found}, 0, 1)"))
    assert stack.terraform.plan() == {}


def test_an_image_found_once_stays(stack: Stack) -> None:
    stack.apply(here())
    image = stack.sent(CONFIGURATION)["image_id"]
    main = stack.terraform.folder / "module" / "main.tf"
    text = main.read_text()
    found = "try(data.alicloud_images.gpu[0].images[0].id, "
    assert found in text
    main.write_text(text.replace(found, 'try("newer", '))
    assert stack.terraform.plan() == {}
    assert "A newer image" in stack.terraform.run("plan", "-input=false", "-no-color")
    stack.terraform.apply()
    assert stack.sent(CONFIGURATION)["image_id"] == image


def test_another_key_is_another_pair(stack: Stack) -> None:
    """The provider keeps a changed key to itself: it has no call for it."""

    def with_key(key: str) -> Any:
        return a_pool(node=NodeSettings(ssh_key=key))

    stack.apply(here(), pool=with_key("ssh-ed25519 AAAA x"))
    before = stack.sent(CONFIGURATION)["key_name"]
    stack.apply(here(), pool=with_key("ssh-ed25519 BBBB x"))
    (pair,) = stack.server.store.records(KEY_PAIR)
    assert pair.sent["public_key"] == "ssh-ed25519 BBBB x"
    assert stack.sent(CONFIGURATION)["key_name"] == pair.ref.id != before


def test_a_script_that_is_taken_away_is_sent(stack: Stack) -> None:
    """The provider sends no empty script, so the old one would run on."""
    stack.apply(here(), pool=a_pool(node=NodeSettings(startup="#!/bin/sh\necho old\n")))
    stack.apply(here())
    assert base64.b64decode(stack.sent(CONFIGURATION)["user_data"]) == b"#!/bin/sh\n"


def test_a_configuration_is_never_the_last_to_go(stack: Stack) -> None:
    """The last would take its group with it: a replaced one goes after the new one came."""
    stack.apply(here())
    (before,) = stack.server.store.records(CONFIGURATION)
    address = f"module.pool.{CONFIGURATION}.this"
    out = stack.terraform.run(
        "apply", "-input=false", "-auto-approve", "-no-color", f"-replace={address}"
    )
    assert out.index(f"{address}: Creation complete") < out.index("(deposed object")
    (after,) = stack.server.store.records(CONFIGURATION)
    assert before.ref.id != after.ref.id
    assert running(stack) == 2


def test_every_time_of_the_week_recurs_in_utc(stack: Stack) -> None:
    """A task begins at the first of its own times to come, and ends within a year."""
    times = ("00:00", "07:59", "16:00", "23:30")
    stops = tuple(WeeklyTime(days=(day,), time=time) for day in DAYS for time in times)
    stack.apply(here(), pool=replace(a_pool(), backstops=stops))
    after = clock.utcnow()
    asked, names = set(), set()
    for record in stack.server.store.records(TASK):
        sent: Any = record.sent
        start = datetime.strptime(sent["launch_time"], "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
        assert after < start < after + timedelta(days=7, minutes=11)
        minute, hour, day_of_month, month, day = sent["recurrence_value"].split()
        assert (day_of_month, month, sent["recurrence_type"]) == ("?", "*", "Cron")
        assert (int(hour), int(minute)) == (start.hour, start.minute)
        assert int(day) == start.isoweekday()
        asked.add((DAYS[start.weekday()], f"{start:%H:%M}"))
        end = datetime.strptime(sent["recurrence_end_time"], "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
        assert after + timedelta(days=270) < end < after + timedelta(days=365)
        assert (sent["desired_capacity"], sent["min_value"], sent["max_value"]) == (0, None, None)
        names.add(sent["scheduled_task_name"])
    assert asked == {(day, time) for day in DAYS for time in times}
    assert len(names) == len(stops)
    assert all(len(name) <= 40 for name in names)


def test_the_end_of_a_task_moves_on_and_its_beginning_stays(stack: Stack) -> None:
    pool = replace(a_pool(), backstops=(WeeklyTime(days=("fri", "mon"), time="20:00"),))
    stack.apply(here(), pool=pool)
    put(stack, TASK, launch_time="2020-01-03T20:00Z")
    assert stack.terraform.plan() == {}
    put(stack, TASK, recurrence_end_time="2020-12-31T00:00Z")
    task = f"module.pool.{TASK}.backstop"
    assert stack.terraform.plan() == {f'{task}["fri-mon-2000"]': "update"}
    stack.apply(here(), pool=pool)
    assert stack.sent(TASK)["recurrence_end_time"] > f"{clock.utcnow():%Y-%m-%d}"
    more = (*pool.backstops, WeeklyTime(days=("sat",), time="20:00"))
    stack.render(here(), pool=replace(pool, backstops=more))
    assert stack.terraform.plan() == {f'{task}["sat-2000"]': "create"}


def test_a_task_empties_a_group_by_what_it_has(stack: Stack) -> None:
    stops = (WeeklyTime(days=("fri",), time="20:00"),)
    stack.apply(here(0), pool=replace(a_pool(), backstops=stops))
    stack.apply(here(3), pool=replace(a_pool(), backstops=stops))
    sent = stack.sent(TASK)
    assert (sent["desired_capacity"], sent["min_value"], sent["max_value"]) == (None, 0, 0)


def test_reservations_are_refused_with_a_way_out(stack: Stack) -> None:
    placement = replace(here(capacity=CapacityType.RESERVED), reservation=Reservation(id="eap-1"))
    said = refused(stack, placement)
    assert "set capacity_type to on_demand or spot" in said
    assert "leave reservation_id out" in said


def test_a_cluster_network_is_refused_with_a_way_out(stack: Stack) -> None:
    said = refused(stack, replace(here(), cluster_network=True))
    assert "set cluster_network = false" in said


def test_ids_are_of_the_clouds_form(stack: Stack) -> None:
    stack.apply(here())
    inventory = SandboxInventory(stack.server.store.path, clock.utcnow)
    nodes = inventory.read(Cloud.ALIBABA, "cn-hangzhou").nodes
    assert len({node.id for node in nodes}) == 2
    assert all(node.id.startswith("i-bp1") for node in nodes)
    (group,) = stack.server.store.records(GROUP)
    assert group.ref.id.startswith("asg-")
