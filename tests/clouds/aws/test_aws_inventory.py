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
from multicloud.models.inventory import NodeState
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
    client = boto3.client("ec2", region_name=REGION)
    monkeypatch.setattr(AwsInventory, "_client", lambda *_: client)
    with Stubber(client) as stub:
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
