"""What runs on Alibaba Cloud, through the real SDK against a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from multicloud.clouds.alibaba.inventory import AlibabaInventory
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from multicloud.models.inventory import Reading

REGION, ZONE, KIND = "cn-beijing", "cn-beijing-h", "ecs.gn6i-c4g1.xlarge"
TAGS = {"managed-by": "multicloud", "policy": "daynight", "pool": "inference", "place": "0123abcd"}
NODES = "x-acs-action: DescribeInstances"
GROUPS = "x-acs-action: DescribeScalingGroups"


def tagged() -> list[dict[str, str]]:
    return [{"TagKey": key, "TagValue": value} for key, value in TAGS.items()]


def a_node(id_: str, status: str = "Running", **more: Any) -> dict[str, Any]:
    return {
        "InstanceId": id_,
        "InstanceType": KIND,
        "Status": status,
        "SpotStrategy": "SpotWithPriceLimit",
        "ZoneId": ZONE,
        "CreationTime": "2026-12-01T10:00Z",
        "Tags": {"Tag": tagged()},
        "OperationLocks": {"LockReason": []},
        **more,
    }


def listed(*nodes: dict[str, Any], then: str = "") -> Answer:
    return answer({"Instances": {"Instance": list(nodes)}, "NextToken": then, "TotalCount": 9})


def a_group(id_: str, wanted: int = 4) -> dict[str, Any]:
    return {
        "ScalingGroupId": id_,
        "ActiveScalingConfigurationId": "asc-1",
        "DesiredCapacity": wanted,
        "Tags": tagged(),
    }


def grouped(*groups: dict[str, Any], total: int | None = None) -> Answer:
    many = len(groups) if total is None else total
    return answer({"ScalingGroups": list(groups), "TotalCount": many})


def refusal(status: int, code: str) -> Answer:
    return answer({"Code": code, "Message": f"{code} it is.", "RequestId": "1"}, status)


@pytest.fixture
def alibaba(keyed: Stub) -> Stub:
    keyed.say(NODES, listed(a_node("i-b"), a_node("i-a", "Pending")))
    keyed.say(GROUPS, answer({"ScalingGroups": [], "TotalCount": 0}))
    return keyed


def read() -> Reading:
    return AlibabaInventory(CloudSettings()).read(Cloud.ALIBABA, REGION)


def test_nodes_are_told_as_the_policy_names_them(alibaba: Stub) -> None:
    reading = read()
    assert reading.error == ""
    assert [(n.id, n.state) for n in reading.nodes] == [
        ("i-a", NodeState.PENDING),
        ("i-b", NodeState.RUNNING),
    ]
    node = reading.nodes[0]
    assert (node.policy, node.pool, node.place) == ("daynight", "inference", "0123abcd")
    assert (node.zone, node.instance_type) == (ZONE, KIND)
    assert node.capacity_type is CapacityType.SPOT
    assert node.launched_at.isoformat() == "2026-12-01T10:00:00+00:00"
    assert "Tag.1.Key=managed-by" in alibaba.asked[0]


def test_pages_are_read_to_the_end(alibaba: Stub) -> None:
    alibaba.say(NODES, listed(a_node("i-1"), then="t2"), listed(a_node("i-2")))
    assert [node.id for node in read().nodes] == ["i-1", "i-2"]
    assert "NextToken=t2" in alibaba.asked[1]


def test_a_node_that_is_being_taken_back_is_stopping(alibaba: Stub) -> None:
    locks = {"LockReason": [{"LockReason": "Recycling"}]}
    other = {"LockReason": [{"LockReason": "security"}]}
    nodes = (a_node("i-1", OperationLocks=locks), a_node("i-2", OperationLocks=other))
    alibaba.say(NODES, listed(*nodes, a_node("i-3", SpotStrategy="NoSpot")))
    assert [(n.state, n.capacity_type) for n in read().nodes] == [
        (NodeState.STOPPING, CapacityType.SPOT),
        (NodeState.RUNNING, CapacityType.SPOT),
        (NodeState.RUNNING, CapacityType.ON_DEMAND),
    ]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([refusal(403, "Forbidden.RAM")], "Forbidden.RAM"),
        ([refusal(400, "Throttling.User")], "Throttling.User"),
        ([listed(a_node("i-1"), then="t2"), refusal(500, "InternalError")], "InternalError"),
        ([listed(a_node("i-1"), then="t2")], "no end"),
        ([answer({"RequestId": "1"})], "cannot be read"),
        ([listed({"InstanceId": "i-1", "Status": "Running"})], "cannot be read"),
        ([TRUNCATED], "cannot be read"),
        ([HOLE], "no answer"),
    ],
    ids=["403", "429", "500 on page 2", "same page", "no list", "no fields", "truncated", "hole"],
)
def test_what_cannot_be_read_is_never_empty(alibaba: Stub, answers: Any, told: str) -> None:
    alibaba.say(NODES, *answers)
    reading = read()
    assert reading.nodes == ()
    assert told in reading.error


@pytest.mark.parametrize(
    ("activity", "kind"),
    [
        ({"StatusCode": "Failed", "ErrorCode": "OperationDenied.NoStock"}, ShortageKind.CAPACITY),
        ({"StatusCode": "Failed", "ErrorMessage": "QuotaExceed.ElasticQuota"}, ShortageKind.QUOTA),
        ({"StatusCode": "Failed", "ErrorMessage": "else"}, ShortageKind.OTHER),
        (
            {"StatusCode": "Warning", "ErrorMessages": [{"Code": "OperationDenied.NoStock"}]},
            ShortageKind.CAPACITY,
        ),
        ({"StatusCode": "InProgress"}, ShortageKind.OTHER),
    ],
)
def test_a_group_that_is_short_says_why(alibaba: Stub, activity: Any, kind: ShortageKind) -> None:
    old = {"StatusCode": "Failed", "ErrorCode": "QuotaExceed", "StartTime": "2026-12-01T08:00Z"}
    newest = {"StatusMessage": "it is", "StartTime": "2026-12-01T10:00Z", **activity}
    launch = {"InstanceTypes": [KIND], "SpotStrategy": "SpotAsPriceGo"}
    alibaba.say(GROUPS, grouped(a_group("asg-1")))
    alibaba.say("DescribeScalingActivities", answer({"ScalingActivities": [old, newest]}))
    alibaba.say("DescribeScalingConfigurations", answer({"ScalingConfigurations": [launch]}))
    (shortage,) = read().shortages
    assert (shortage.wanted, shortage.present, shortage.kind) == (4, 2, kind)
    assert (shortage.pool, shortage.place) == ("inference", "0123abcd")
    assert (shortage.instance_type, shortage.capacity_type) == (KIND, CapacityType.SPOT)


def test_groups_are_read_to_the_end_by_page(alibaba: Stub) -> None:
    first, second = (grouped(a_group(f"asg-{n}", wanted=0), total=2) for n in (1, 2))
    alibaba.say(GROUPS, first, second)
    assert read().error == ""
    asked = [text for text in alibaba.asked if GROUPS in text]
    assert ["PageNumber=1" in asked[0], "PageNumber=2" in asked[1], len(asked)] == [True, True, 2]


@pytest.mark.parametrize("then", [grouped(a_group("asg-1", 0), total=2), grouped(total=2)])
def test_groups_that_repeat_or_end_early_are_an_error(alibaba: Stub, then: Answer) -> None:
    alibaba.say(GROUPS, grouped(a_group("asg-1", 0), total=2), then)
    reading = read()
    assert reading.nodes == ()
    assert "cannot be read" in reading.error


def test_without_the_right_to_read_groups_there_are_still_nodes(alibaba: Stub) -> None:
    alibaba.say(GROUPS, refusal(403, "Forbidden.RAM"))
    reading = read()
    assert (len(reading.nodes), reading.shortages, reading.error) == (2, (), "")


def test_groups_that_are_down_are_an_error(alibaba: Stub) -> None:
    alibaba.say(GROUPS, refusal(500, "InternalError"))
    reading = read()
    assert reading.nodes == ()
    assert "InternalError" in reading.error
