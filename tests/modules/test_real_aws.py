"""The AWS module with the real provider, where one is at hand, against moto's server.

What this shows is that the real provider takes our arguments and settles: not what AWS does.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.engine.modules import module_files
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Reservation, ReservationKind
from multicloud.models.pool import Autoscaler, NodeSettings, WeeklyTime
from multicloud.models.project import Project
from multicloud.render.stack import render_stack
from tests.builders import a_policy, a_pool
from tests.modules.places import on
from tests.modules.terraform import Terraform, environment, write
from tests.real_aws import mirror, moto

__all__ = ["mirror", "moto"]

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.models.placement import Placement
    from multicloud.models.pool import Pool

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

# What moto 5.2 does not give back as it was sent, so that a second plan wants it again: the
# group's desired_capacity_type, a rule's description beside a group, and a template without its
# own tags among those of its nodes.
MOTO_FORGETS = {
    "module.pool.aws_autoscaling_group.this",
    "module.pool.aws_launch_template.this",
    "module.pool.aws_vpc_security_group_egress_rule.pool[0]",
    "module.pool.aws_vpc_security_group_ingress_rule.pool",
}


def ask(moto: str, service: str) -> Any:
    boto3 = pytest.importorskip("boto3")
    return boto3.client(service, region_name="us-east-1", endpoint_url=moto)


CASES = ("spot", "on demand", "external", "capacity block")


def wish(case: str) -> tuple[Placement, Pool]:
    """Spot nodes with all that a node can have, others with a backstop, bounds, or a block."""
    everything = NodeSettings(startup="#!/bin/sh\ntrue\n", public_ip=True, ports=(22,))
    pool = a_pool(labels=(("hostile", '${file("/etc/hostname")} 100%{if true}'),))
    stops = (WeeklyTime(days=("fri", "sun"), time="20:05"),)
    reservation = Reservation(id="cr-0123456789abcdef0", kind=ReservationKind.CAPACITY_BLOCK)
    match case:
        case "spot":
            spot = on(Cloud.AWS, capacity=CapacityType.SPOT, bid="12")
            return spot, replace(pool, node=everything)
        case "on demand":
            return on(Cloud.AWS), replace(pool, backstops=stops)
        case "external":
            bounds = Autoscaler(min_nodes=1, max_nodes=4)
            return on(Cloud.AWS, 4), replace(pool, autoscaler=bounds)
        case _:
            block = on(Cloud.AWS, capacity=CapacityType.RESERVED)
            return replace(block, reservation=reservation, cluster_network=True), pool


@pytest.mark.parametrize("case", CASES)
def test_the_real_provider_settles(case: str, mirror: Path, moto: str, tmp_path: Path) -> None:
    placement, pool = wish(case)
    stack = render_stack(
        placement,
        policy=a_policy(),
        pool=pool,
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
    over: dict[str, Any] = {"provider": {"aws": override}}
    if placement.cluster_network:
        over["module"] = {"pool": {"placement_group": "mine"}}  # moto makes no placement group
    (folder / "moto_override.tf.json").write_text(json.dumps(over))
    terraform = Terraform(folder=folder, env=environment(tmp_path, mirror=mirror)).init()

    terraform.apply()
    again = terraform.plan()
    assert again.keys() <= MOTO_FORGETS
    assert set(again.values()) <= {"update"}
    (group,) = ask(moto, "autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    tags = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
    assert tags["hostile"] == '${file("/etc/hostname")} 100%{if true}'
    assert tags["place"] == stack.key.digest
    assert ("MixedInstancesPolicy" in group) == (case == "spot")
    bounds = (group["MinSize"], group["DesiredCapacity"], group["MaxSize"])
    assert bounds == ((1, 1, 4) if case == "external" else (0, 2, 2))
    _look(case, group, moto)
    terraform.destroy()
    assert ask(moto, "autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"] == []


def _look(case: str, group: dict[str, Any], moto: str) -> None:
    """See in the cloud what only this case has."""
    versions = ask(moto, "ec2").describe_launch_template_versions(
        LaunchTemplateName=group["AutoScalingGroupName"], Versions=["$Latest"]
    )
    (version,) = versions["LaunchTemplateVersions"]
    template = version["LaunchTemplateData"]
    match case:
        case "spot":
            distribution = group["MixedInstancesPolicy"]["InstancesDistribution"]
            assert distribution["SpotMaxPrice"] == "12.00"
            assert distribution["OnDemandPercentageAboveBaseCapacity"] == 0
        case "on demand":
            found = ask(moto, "autoscaling").describe_scheduled_actions()
            (action,) = found["ScheduledUpdateGroupActions"]
            assert (action["DesiredCapacity"], action["Recurrence"]) == (0, "5 20 * * 0,5")
            assert not {"MinSize", "MaxSize"} & action.keys()
        case "capacity block":
            target = template["CapacityReservationSpecification"]["CapacityReservationTarget"]
            assert target == {"CapacityReservationId": "cr-0123456789abcdef0"}
            assert template["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
            interfaces = template["NetworkInterfaces"]
            assert [one["NetworkCardIndex"] for one in interfaces] == [0, 1, 2, 3]
            assert all("AssociatePublicIpAddress" not in one for one in interfaces)
            assert group["PlacementGroup"] == "mine"
        case _:
            assert "CapacityReservationSpecification" not in template
