"""The AWS module with the real provider, where one is at hand, against moto's server.

What this shows is that the real provider takes our arguments and settles: not what AWS does.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.modules import module_files
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.pool import NodeSettings
from multicloud.models.project import Project
from multicloud.render.stack import render_stack
from tests.builders import a_placement, a_policy, a_pool, a_slot
from tests.modules.terraform import Terraform, environment, write

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

START_S = 30.0
MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
PROVIDER = f"registry.terraform.io/hashicorp/aws/*/{sys.platform}_{MACHINE}/terraform-provider-aws*"
# What moto 5.2 does not give back as it was sent, so that a second plan wants it again: the
# group's desired_capacity_type, a rule's description beside a group, and a template without its
# own tags among those of its nodes.
MOTO_FORGETS = {
    "module.pool.aws_autoscaling_group.this",
    "module.pool.aws_launch_template.this",
    "module.pool.aws_vpc_security_group_ingress_rule.pool",
}
IMAGE_NAME = "Deep Learning Base OSS Nvidia Driver GPU AMI (Ubuntu 22.04) 20260401"


def mirrors() -> Iterator[Path]:
    """Folders where a provider may lie: said, implied by Terraform, then add-on software."""
    if said := os.environ.get("MULTICLOUD_PROVIDER_MIRROR"):
        yield Path(said)
        return
    home = Path.home()
    yield home / ".terraform.d" / "plugins"
    yield home / ".local" / "share" / "terraform" / "plugins"
    yield Path("/usr/local/share/terraform/plugins")
    yield Path("/usr/share/terraform/plugins")
    yield from sorted(Path("/opt").glob("*"))


@pytest.fixture(scope="module")
def mirror() -> Path:
    for folder in mirrors():
        if any(folder.glob(PROVIDER)):
            return folder
    pytest.skip("needs the real AWS provider: MULTICLOUD_PROVIDER_MIRROR names its mirror")


@pytest.fixture(scope="module")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a moto server that knows one GPU image."""
    folder = tmp_path_factory.mktemp("moto")
    image = {
        "ami_id": "ami-0123456789abcdef0",
        "name": IMAGE_NAME,
        "description": IMAGE_NAME,
        "owner_id": "898082745236",
        "owner_alias": "amazon",
        "public": True,
        "virtualization_type": "hvm",
        "architecture": "x86_64",
        "state": "available",
        "platform": None,
        "image_type": "machine",
        "image_location": f"amazon/{IMAGE_NAME}",
        "hypervisor": "xen",
        "root_device_name": "/dev/sda1",
        "root_device_type": "ebs",
        "sriov": "simple",
        "creation_date": "2026-04-01T00:00:00.000Z",
    }
    images = folder / "images.json"
    images.write_text(json.dumps([image]))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            env={**os.environ, "MOTO_AMIS_PATH": str(images)},
            stdout=log,
            stderr=log,
        )
        try:
            _wait(port, server, folder / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"moto did not start in {START_S} s: {log.read_text()}")


def groups(moto: str) -> list[dict[str, Any]]:
    boto3 = pytest.importorskip("boto3")
    client = boto3.client("autoscaling", region_name="us-east-1", endpoint_url=moto)
    found: list[dict[str, Any]] = client.describe_auto_scaling_groups()["AutoScalingGroups"]
    return found


@pytest.mark.parametrize("capacity", [CapacityType.SPOT, CapacityType.ON_DEMAND])
def test_the_real_provider_settles(
    capacity: CapacityType, mirror: Path, moto: str, tmp_path: Path
) -> None:
    is_spot = capacity is CapacityType.SPOT
    node = NodeSettings(startup="#!/bin/sh\ntrue\n", public_ip=is_spot, ports=(22,))
    stack = render_stack(
        a_placement(slot=a_slot(capacity=capacity), bid="12" if is_spot else None),
        policy=a_policy(),
        pool=a_pool(node=node, labels=(("hostile", '${file("/etc/hostname")} 100%{if true}'),)),
        project=Project(),
        target="live",
        modules=module_files(Cloud.AWS),
        local_state="terraform.tfstate",
    )
    folder = tmp_path / "stack"
    write(folder, stack.files)
    endpoint = dict.fromkeys(("autoscaling", "ec2", "sts"), moto)
    override = {
        "access_key": "testing",
        "secret_key": "testing",
        "skip_credentials_validation": True,
        "skip_metadata_api_check": True,
        "endpoints": [endpoint],
    }
    (folder / "moto_override.tf.json").write_text(json.dumps({"provider": {"aws": override}}))
    terraform = Terraform(folder=folder, env=environment(tmp_path, mirror=mirror)).init()

    terraform.apply()
    again = terraform.plan()
    assert again.keys() <= MOTO_FORGETS
    assert set(again.values()) <= {"update"}
    (group,) = groups(moto)
    tags = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
    assert tags["hostile"] == '${file("/etc/hostname")} 100%{if true}'
    assert tags["place"] == stack.key.digest
    assert group["DesiredCapacity"] == 2
    assert ("MixedInstancesPolicy" in group) == is_spot
    if is_spot:
        distribution = group["MixedInstancesPolicy"]["InstancesDistribution"]
        assert distribution["SpotMaxPrice"] == "12.00"
        assert distribution["OnDemandPercentageAboveBaseCapacity"] == 0
    terraform.destroy()
    assert groups(moto) == []
