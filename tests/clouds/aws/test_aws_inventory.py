"""The AWS inventory through the real SDK: whole answers, or an error and nothing."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from multicloud.clouds import failures
from multicloud.clouds.aws.inventory import AwsInventory
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

REGION = "us-east-1"
FILTERS = {"Filters": [{"Name": "tag:managed-by", "Values": ["multicloud"]}]}
ZONES = {"AvailabilityZones": [{"ZoneName": "us-east-1a", "ZoneId": "use1-az6"}]}


def tags(pool: str = "a") -> list[dict[str, str]]:
    values = {"managed-by": "multicloud", "policy": "p", "pool": pool, "place": "0a1b2c3d"}
    return [{"Key": key, "Value": value} for key, value in values.items()]


def launch(client: Any, count: int, **more: Any) -> list[str]:
    image = client.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    made = client.run_instances(
        ImageId=image, MinCount=count, MaxCount=count, InstanceType="g4dn.xlarge", **more
    )
    return sorted(instance["InstanceId"] for instance in made["Instances"])


@mock_aws
def test_our_nodes_and_nobody_elses() -> None:
    client = boto3.client("ec2", region_name=REGION)
    spec = [{"ResourceType": "instance", "Tags": tags()}]
    ours = launch(client, 3, TagSpecifications=spec)
    launch(client, 2)
    client.terminate_instances(InstanceIds=[ours[0]])
    reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert reading.error == ""
    assert [node.id for node in reading.nodes] == ours[1:]
    node = reading.nodes[0]
    assert (node.policy, node.pool, node.place) == ("p", "a", "0a1b2c3d")
    assert node.state is NodeState.RUNNING
    assert node.capacity_type is CapacityType.ON_DEMAND
    assert node.zone.startswith("use1-az")
    assert AwsInventory(CloudSettings()).read(Cloud.AWS, "eu-west-1").nodes == ()


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    """EC2 with recorded answers in its place."""
    clients = {name: boto3.client(name, region_name=REGION) for name in ("ec2", "autoscaling")}
    monkeypatch.setattr(AwsInventory, "_client", lambda _, __, name="ec2": clients[name])
    with Stubber(clients["ec2"]) as stub, Stubber(clients["autoscaling"]) as groups:
        groups.add_response("describe_auto_scaling_groups", {"AutoScalingGroups": []})
        yield stub


def an_instance(id_: str, **more: Any) -> dict[str, Any]:
    return {
        "InstanceId": id_,
        "InstanceType": "p4d.24xlarge",
        "State": {"Name": "running"},
        "Placement": {"AvailabilityZone": "us-east-1a"},
        "LaunchTime": datetime(2026, 12, 1, tzinfo=UTC),
        "Tags": tags(),
        **more,
    }


def a_page(*instances: dict[str, Any], token: str | None = None) -> dict[str, Any]:
    page: dict[str, Any] = {"Reservations": [{"Instances": list(instances)}]}
    return {**page, "NextToken": token} if token else page


def test_pages_are_read_to_the_end(stubbed: Stubber) -> None:
    stubbed.add_response("describe_availability_zones", ZONES, {})
    stubbed.add_response("describe_instances", a_page(an_instance("i-2"), token="t"), FILTERS)
    spot = an_instance("i-1", InstanceLifecycle="spot", State={"Name": "shutting-down"})
    stubbed.add_response("describe_instances", a_page(spot), {**FILTERS, "NextToken": "t"})
    reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert [node.id for node in reading.nodes] == ["i-1", "i-2"]
    assert reading.nodes[0].capacity_type is CapacityType.SPOT
    assert reading.nodes[0].state is NodeState.STOPPING
    assert reading.nodes[1].zone == "use1-az6"


def test_what_was_aimed_at_a_reservation_is_reserved(stubbed: Stubber) -> None:
    stubbed.add_response("describe_availability_zones", ZONES, {})
    aimed = {"CapacityReservationTarget": {"CapacityReservationId": "cr-1"}}
    page = a_page(
        an_instance("i-1", InstanceLifecycle="capacity-block"),
        an_instance("i-2", CapacityReservationSpecification=aimed),
        an_instance("i-3", CapacityReservationId="cr-1"),
    )
    stubbed.add_response("describe_instances", page, FILTERS)
    nodes = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION).nodes
    assert [node.capacity_type for node in nodes] == [
        CapacityType.RESERVED,
        CapacityType.RESERVED,
        CapacityType.ON_DEMAND,
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("RequestLimitExceeded", "run again in a minute"),
        ("ExpiredToken", "get new ones"),
        ("UnauthorizedOperation", "ec2:DescribeInstances"),
        ("InternalError", "InternalError"),
    ],
)
def test_a_failed_page_fails_the_whole_reading(stubbed: Stubber, code: str, words: str) -> None:
    stubbed.add_response("describe_availability_zones", ZONES, {})
    stubbed.add_response("describe_instances", a_page(an_instance("i-2"), token="t"), FILTERS)
    stubbed.add_client_error("describe_instances", code, "no")
    reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert reading.nodes == ()
    assert words in reading.error


def test_a_black_hole_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "READ_S", 0.2)
    monkeypatch.setattr(failures, "ATTEMPTS", 1)
    with socket.create_server(("127.0.0.1", 0)) as hole:
        address = f"http://127.0.0.1:{hole.getsockname()[1]}"
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert "ReadTimeoutError" in reading.error


def test_an_unknown_profile_is_an_error() -> None:
    reading = AwsInventory(CloudSettings(profile="none")).read(Cloud.AWS, REGION)
    assert "ProfileNotFound" in reading.error


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    """Two running nodes of one place, and Auto Scaling with recorded answers."""
    clients = {name: boto3.client(name, region_name=REGION) for name in ("ec2", "autoscaling")}
    monkeypatch.setattr(AwsInventory, "_client", lambda _, __, name="ec2": clients[name])
    with Stubber(clients["ec2"]) as ec2, Stubber(clients["autoscaling"]) as stub:
        ec2.add_response("describe_availability_zones", ZONES, {})
        page = a_page(an_instance("i-1"), an_instance("i-2"))
        ec2.add_response("describe_instances", page, FILTERS)
        yield stub


def a_group(desired: int, *, spot: bool = True) -> dict[str, Any]:
    distribution = {"OnDemandPercentageAboveBaseCapacity": 0 if spot else 100}
    template = {"Overrides": [{"InstanceType": "p4d.24xlarge"}]}
    mixed = {"InstancesDistribution": distribution, "LaunchTemplate": template}
    return {
        "AutoScalingGroupName": "p-a-0a1b2c3d",
        "MinSize": 0,
        "MaxSize": desired,
        "DesiredCapacity": desired,
        "DefaultCooldown": 300,
        "AvailabilityZones": ["us-east-1a"],
        "HealthCheckType": "EC2",
        "CreatedTime": datetime(2026, 12, 1, tzinfo=UTC),
        "MixedInstancesPolicy": mixed,
        "Tags": tags(),
    }


def an_activity(hour: int, message: str, status: str = "Failed") -> dict[str, Any]:
    return {
        "ActivityId": f"a-{hour}",
        "AutoScalingGroupName": "p-a-0a1b2c3d",
        "Cause": "a difference between desired and actual capacity",
        "StartTime": datetime(2026, 12, 1, hour, tzinfo=UTC),
        "StatusCode": status,
        "StatusMessage": message,
    }


@pytest.mark.parametrize(
    ("activity", "kind"),
    [
        (
            an_activity(9, "We currently do not have sufficient p4d.24xlarge capacity in the zone"),
            ShortageKind.CAPACITY,
        ),
        (an_activity(9, "Could not launch. UnfulfillableCapacity - no"), ShortageKind.CAPACITY),
        (an_activity(9, "VcpuLimitExceeded: you have requested"), ShortageKind.QUOTA),
        (an_activity(9, "something else"), ShortageKind.OTHER),
        (an_activity(9, "starting", "InProgress"), ShortageKind.OTHER),
    ],
)
def test_a_group_that_is_short_says_why(
    groups: Stubber, activity: dict[str, Any], kind: ShortageKind
) -> None:
    told = {"AutoScalingGroups": [a_group(4), {**a_group(2), "Tags": tags()}]}
    groups.add_response("describe_auto_scaling_groups", told)
    old = an_activity(8, "MaxSpotInstanceCountExceeded")
    groups.add_response("describe_scaling_activities", {"Activities": [old, activity]})
    (shortage,) = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION).shortages
    assert (shortage.wanted, shortage.present, shortage.kind) == (4, 2, kind)
    assert (shortage.pool, shortage.place) == ("a", "0a1b2c3d")
    assert (shortage.instance_type, shortage.capacity_type) == ("p4d.24xlarge", CapacityType.SPOT)


def test_who_may_not_read_groups_still_sees_nodes(groups: Stubber) -> None:
    groups.add_client_error("describe_auto_scaling_groups", "AccessDenied")
    reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert (len(reading.nodes), reading.shortages, reading.error) == (2, (), "")


def test_groups_that_cannot_be_read_for_now_are_an_error(groups: Stubber) -> None:
    groups.add_client_error("describe_auto_scaling_groups", "Throttling")
    reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert (reading.nodes, "Throttling" in reading.error) == ((), True)


def test_spot_nodes_that_were_taken_back_are_told_with_their_time(stubbed: Stubber) -> None:
    stubbed.add_response("describe_availability_zones", ZONES, {})
    gone = {"State": {"Name": "terminated"}, "InstanceLifecycle": "spot"}
    page = a_page(
        an_instance("i-1"),
        an_instance("i-2", **gone),
        an_instance("i-3", **gone),
        an_instance("i-4", State={"Name": "terminated"}),
    )
    stubbed.add_response("describe_instances", page, FILTERS)
    at = datetime(2026, 12, 1, 10, 30, tzinfo=UTC)

    def request(id_: str, code: str) -> dict[str, Any]:
        return {"InstanceId": id_, "Status": {"Code": code, "UpdateTime": at}}

    stubbed.add_response(
        "describe_spot_instance_requests",
        {
            "SpotInstanceRequests": [
                request("i-2", "instance-terminated-no-capacity"),
                request("i-3", "instance-terminated-by-user"),
            ]
        },
        {"Filters": [{"Name": "instance-id", "Values": ["i-2", "i-3"]}]},
    )
    reading = AwsInventory(CloudSettings()).read(Cloud.AWS, REGION)
    assert [node.id for node in reading.nodes] == ["i-1"]
    (event,) = reading.interruptions
    assert (event.node, event.at, event.zone, event.pool) == ("i-2", at, "use1-az6", "a")
    assert event.capacity_type is CapacityType.SPOT
