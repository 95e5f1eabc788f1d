"""The AWS module with the real provider, where one is at hand, against moto's server.

What this shows is that the real provider takes our arguments and settles: not what AWS does.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.modules import module_files
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.pool import NodeSettings
from multicloud.models.project import Project
from multicloud.render.stack import render_stack
from tests.builders import a_placement, a_policy, a_pool, a_slot
from tests.modules.terraform import Terraform, environment, write
from tests.real_aws import mirror, moto

__all__ = ["mirror", "moto"]

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

# What moto 5.2 does not give back as it was sent, so that a second plan wants it again: the
# group's desired_capacity_type, a rule's description beside a group, and a template without its
# own tags among those of its nodes.
MOTO_FORGETS = {
    "module.pool.aws_autoscaling_group.this",
    "module.pool.aws_launch_template.this",
    "module.pool.aws_vpc_security_group_ingress_rule.pool",
}


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
