"""The modules under the real engine: their own tests, and whole stacks in the sandbox."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.modules import module_files
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.pool import NodeSettings
from multicloud.models.project import CloudSettings, Project, RegionSettings
from multicloud.render.stack import ALL_MODULES, render_stack
from multicloud.sandbox.server import SandboxServer
from tests.builders import a_placement, a_policy, a_pool, a_slot
from tests.modules.stacks import Stack
from tests.modules.terraform import Terraform, environment, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.models.placement import Placement
    from multicloud.render.contract import CloudModule

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ROOT = Path(__file__).parents[2] / "terraform" / "modules"
AWS_SPOT = a_slot(capacity=CapacityType.SPOT)
TENCENT_SPOT = a_slot(
    "GN7.5XLARGE80",
    cloud=Cloud.TENCENT,
    region="ap-guangzhou",
    zones=("ap-guangzhou-3", "ap-guangzhou-6"),
    capacity=CapacityType.SPOT,
)
TENCENT = a_slot(
    "GN7.5XLARGE80",
    cloud=Cloud.TENCENT,
    region="ap-guangzhou",
    zones=("ap-guangzhou-3", "ap-guangzhou-6"),
)


each_module = pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.folder)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    with SandboxServer(tmp_path / "cloud.sqlite") as running:
        yield running


@pytest.fixture
def stack(server: SandboxServer, tmp_path: Path) -> Stack:
    return Stack(server, tmp_path)


def test_format(tmp_path: Path) -> None:
    env = environment(tmp_path, mirror=tmp_path)
    Terraform(folder=ROOT, env=env).run("fmt", "-check", "-diff", "-recursive")


@each_module
def test_the_modules_own_tests(module: CloudModule, server: SandboxServer, tmp_path: Path) -> None:
    folder = tmp_path / "modules" / module.folder
    shutil.copytree(ROOT / module.folder, folder)
    env = environment(tmp_path, mirror=tmp_path, TF_REATTACH_PROVIDERS=server.reattach)
    terraform = Terraform(folder=folder, env=env).init()
    terraform.run("validate", "-no-color")
    assert "0 failed" in terraform.run("test", "-no-color")


@each_module
def test_the_example_stands_alone(
    module: CloudModule, server: SandboxServer, tmp_path: Path
) -> None:
    folder = tmp_path / "modules" / module.folder
    shutil.copytree(ROOT / module.folder, folder)
    env = environment(tmp_path, mirror=tmp_path, TF_REATTACH_PROVIDERS=server.reattach)
    example = Terraform(folder=folder / "examples" / "basic", env=env).init()
    example.run("validate", "-no-color")
    example.apply()
    assert example.plan() == {}
    example.destroy()
    assert server.store.records() == ()


def test_b101_b102_spot_is_a_mixed_policy_and_nothing_else(stack: Stack) -> None:
    stack.apply(a_placement(slot=AWS_SPOT, bid="12"))
    group, template = stack.sent("aws_autoscaling_group"), stack.sent("aws_launch_template")
    assert template["instance_market_options"] == []
    assert group["launch_template"] == []
    (policy,) = group["mixed_instances_policy"]
    (distribution,) = policy["instances_distribution"]
    assert distribution["spot_max_price"] == "12.00"
    assert distribution["on_demand_base_capacity"] == 0
    assert distribution["on_demand_percentage_above_base_capacity"] == 0
    (policy_template,) = policy["launch_template"]
    assert [item["instance_type"] for item in policy_template["override"]] == ["p4d.24xlarge"]


def test_b102_no_cap_is_not_a_cap_of_nothing(stack: Stack) -> None:
    stack.apply(a_placement(slot=AWS_SPOT))
    (policy,) = stack.sent("aws_autoscaling_group")["mixed_instances_policy"]
    assert policy["instances_distribution"][0]["spot_max_price"] in (None, "")


def test_b104_size_is_counted_in_nodes(stack: Stack) -> None:
    stack.apply(a_placement())
    assert stack.sent("aws_autoscaling_group")["desired_capacity_type"] == "units"


@pytest.mark.parametrize(
    ("placement", "type_"),
    [
        (a_placement(0), "aws_autoscaling_group"),
        (a_placement(0, slot=TENCENT, gpu="T4", gpus_per_node=1), "tencentcloud_as_scaling_group"),
    ],
)
def test_b69_nothing_is_a_size(stack: Stack, placement: Placement, type_: str) -> None:
    stack.apply(placement)
    assert stack.sent(type_)["desired_capacity"] == 0


def test_b112_spot_on_tencent_needs_all_three(stack: Stack) -> None:
    stack.apply(a_placement(slot=TENCENT_SPOT, gpu="T4", gpus_per_node=1, bid="0.7"))
    config = stack.sent("tencentcloud_as_scaling_config")
    assert config["instance_charge_type"] == "SPOTPAID"
    assert config["spot_instance_type"] == "one-time"
    assert config["spot_max_price"] == "0.70"


def test_b112_on_demand_on_tencent_has_none(stack: Stack) -> None:
    stack.apply(a_placement(slot=TENCENT, gpu="T4", gpus_per_node=1))
    config = stack.sent("tencentcloud_as_scaling_config")
    names = ("instance_charge_type", "spot_instance_type", "spot_max_price")
    assert [config[name] for name in names] == [None, None, None]


def test_b171_labels_arrive_as_written(stack: Stack) -> None:
    labels = (("plain ${1+1}", '${file("/etc/hostname")}'), ("percent", "100%{if true}x%{endif}"))
    stack.apply(a_placement(), pool=a_pool(labels=labels))
    assert dict(labels).items() <= stack.sent("aws_launch_template")["tags"].items()
    tags = {tag["key"]: tag["value"] for tag in stack.sent("aws_autoscaling_group")["tag"]}
    assert dict(labels).items() <= tags.items()


def test_every_resource_that_can_says_whose_it_is(stack: Stack) -> None:
    node = NodeSettings(ssh_key="ssh-ed25519 AAAA x", public_ip=True, ports=(22,))
    placement = a_placement()
    stack.apply(placement, pool=a_pool(node=node))
    own = {
        "managed-by": "multicloud",
        "policy": "daynight",
        "pool": "training",
        "place": placement.slot.digest,
    }
    for record in stack.server.store.records():
        tags = record.sent.get("tags")
        if record.ref.type == "aws_autoscaling_group":
            tags = {tag["key"]: tag["value"] for tag in stack.sent(record.ref.type)["tag"]}
        if "tags" in record.sent or tags:
            assert isinstance(tags, dict), record.ref.type
            assert own.items() <= tags.items(), record.ref.type


def test_a_changed_cap_on_aws_changes_the_group_in_place(stack: Stack) -> None:
    stack.apply(a_placement(slot=AWS_SPOT, bid="12"))
    stack.render(a_placement(slot=AWS_SPOT, bid="13"))
    assert stack.terraform.plan() == {"module.pool.aws_autoscaling_group.this": "update"}


def test_a_changed_cap_on_tencent_makes_a_new_configuration(stack: Stack) -> None:
    """The provider never sends a changed bid for a configuration that exists."""
    stack.apply(a_placement(slot=TENCENT_SPOT, gpu="T4", gpus_per_node=1, bid="5"))
    placement = a_placement(slot=TENCENT_SPOT, gpu="T4", gpus_per_node=1, bid="6")
    stack.render(placement)
    assert stack.terraform.plan() == {
        "module.pool.terraform_data.revision": "update",
        "module.pool.tencentcloud_as_scaling_config.this": "replace",
        "module.pool.tencentcloud_as_scaling_group.this": "update",
    }
    stack.apply(placement)
    assert stack.sent("tencentcloud_as_scaling_config")["spot_max_price"] == "6.00"


@pytest.mark.parametrize(
    ("slot", "group"),
    [
        (AWS_SPOT, "module.pool.aws_autoscaling_group.this"),
        (TENCENT, "module.pool.tencentcloud_as_scaling_group.this"),
    ],
)
def test_another_size_changes_the_group_only(stack: Stack, slot: Any, group: str) -> None:
    stack.apply(a_placement(2, slot=slot))
    stack.render(a_placement(3, slot=slot))
    assert stack.terraform.plan() == {group: "update"}


def test_a_network_that_was_given_is_used(stack: Stack) -> None:
    region = RegionSettings(network="vpc-1", subnets=("subnet-1", "subnet-2"))
    project = Project(clouds={Cloud.TENCENT: CloudSettings(regions={"ap-guangzhou": region})})
    stack.apply(a_placement(slot=TENCENT, gpu="T4", gpus_per_node=1), project=project)
    assert stack.server.store.records("tencentcloud_vpc") == ()
    group = stack.sent("tencentcloud_as_scaling_group")
    assert (group["vpc_id"], group["subnet_ids"]) == ("vpc-1", ["subnet-1", "subnet-2"])


def test_a_stack_goes_without_a_trace(stack: Stack) -> None:
    stack.apply(a_placement(), pool=a_pool(node=NodeSettings(public_ip=True)))
    assert len(stack.server.store.records()) > 8
    stack.terraform.destroy()
    assert stack.server.store.records() == ()


def test_an_image_found_once_stays(stack: Stack) -> None:
    """A newer one changes nothing: the pool's is kept beside its state."""
    stack.apply(a_placement())
    image = stack.sent("aws_launch_template")["image_id"]
    main = stack.terraform.folder / "module" / "main.tf"
    text = main.read_text()
    assert "Ubuntu 22.04" in text
    main.write_text(text.replace("Ubuntu 22.04", "Ubuntu 24.04"))
    assert stack.terraform.plan() == {}
    assert "A newer image" in stack.terraform.run("plan", "-input=false", "-no-color")
    assert stack.sent("aws_launch_template")["image_id"] == image


def test_files_are_written_below_the_folder(tmp_path: Path) -> None:
    write(tmp_path, {PurePosixPath("module/main.tf"): "x"})
    assert (tmp_path / "module" / "main.tf").read_text() == "x"


def test_state_lies_beside_the_work_folder(server: SandboxServer, tmp_path: Path) -> None:
    stack = render_stack(
        a_placement(),
        policy=a_policy(),
        pool=a_pool(),
        project=Project(),
        target="sandbox",
        modules=module_files(Cloud.AWS),
    )
    folder = tmp_path / ".multicloud" / "work" / str(stack.key)
    write(folder, stack.files)
    env = environment(tmp_path, mirror=tmp_path, TF_REATTACH_PROVIDERS=server.reattach)
    Terraform(folder=folder, env=env).init().apply()
    assert (tmp_path / ".multicloud" / "state" / f"{stack.key}.tfstate").is_file()
