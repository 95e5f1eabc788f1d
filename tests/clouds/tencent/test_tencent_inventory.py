"""What runs on Tencent Cloud, through the real SDK against a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from multicloud.clouds.tencent import session as sessions
from multicloud.clouds.tencent.inventory import TencentInventory
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub
from tests.clouds.tencent.wire import refusal, response

if TYPE_CHECKING:
    from multicloud.models.inventory import Reading

REGION, ZONE = "ap-guangzhou", "ap-guangzhou-6"
TAGS = {"managed-by": "multicloud", "policy": "daynight", "pool": "inference", "place": "0123abcd"}
NODES, GROUPS = "DescribeInstances", "DescribeAutoScalingGroups"


def tagged() -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in TAGS.items()]


def a_node(id_: str, state: str = "RUNNING", **more: Any) -> dict[str, Any]:
    return {
        "InstanceId": id_,
        "InstanceType": "GN7.2XLARGE32",
        "InstanceState": state,
        "InstanceChargeType": "SPOTPAID",
        "Placement": {"Zone": ZONE, "ProjectId": 0},
        "CreatedTime": "2026-12-01T10:00:00Z",
        "Tags": tagged(),
        **more,
    }


def listed(*nodes: dict[str, Any], total: int | None = None) -> Any:
    return response(InstanceSet=list(nodes), TotalCount=len(nodes) if total is None else total)


@pytest.fixture
def tencent(keyed: Stub) -> Stub:
    keyed.say(NODES, listed(a_node("ins-b"), a_node("ins-a", "PENDING")))
    keyed.say(GROUPS, response(AutoScalingGroupSet=[], TotalCount=0))
    return keyed


def read() -> Reading:
    return TencentInventory(CloudSettings()).read(Cloud.TENCENT, REGION)


def test_nodes_are_told_as_the_policy_names_them(tencent: Stub) -> None:
    reading = read()
    assert reading.error == ""
    assert [(n.id, n.state) for n in reading.nodes] == [
        ("ins-a", NodeState.PENDING),
        ("ins-b", NodeState.RUNNING),
    ]
    node = reading.nodes[0]
    assert (node.policy, node.pool, node.place) == ("daynight", "inference", "0123abcd")
    assert (node.zone, node.capacity_type) == (ZONE, CapacityType.SPOT)
    assert node.launched_at.isoformat() == "2026-12-01T10:00:00+00:00"
    assert '"tag:managed-by"' in tencent.asked[0]


def test_pages_are_read_to_the_end(tencent: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_PAGE", 2)
    first = listed(a_node("ins-1"), a_node("ins-2"), total=3)
    tencent.say(NODES, first, listed(a_node("ins-3"), total=3))
    assert [node.id for node in read().nodes] == ["ins-1", "ins-2", "ins-3"]
    assert '"Offset": 2' in tencent.asked[1]


def test_a_list_that_changed_between_pages_is_read_anew(tencent: Stub) -> None:
    # One of two nodes before the third went, so that the second page begins behind it.
    changed = [listed(a_node("ins-1"), total=3), listed(a_node("ins-3"), total=2)]
    whole = listed(a_node("ins-2"), a_node("ins-3"))
    tencent.say(NODES, *changed, whole)
    assert [node.id for node in read().nodes] == ["ins-2", "ins-3"]


def test_nodes_that_never_launched_are_none(tencent: Stub) -> None:
    tencent.say(NODES, listed(a_node("ins-1", "LAUNCH_FAILED"), a_node("ins-2", "TERMINATING")))
    assert [(n.id, n.state) for n in read().nodes] == [("ins-2", NodeState.STOPPING)]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([refusal("UnauthorizedOperation")], "UnauthorizedOperation"),
        ([refusal("RequestLimitExceeded")], "RequestLimitExceeded"),
        ([listed(a_node("ins-1"), total=2), refusal("InternalError")], "InternalError"),
        ([listed(a_node("ins-1"), total=2), listed(total=2)], "ends at 1 of 2"),
        ([listed({"InstanceId": "ins-1", "InstanceState": "RUNNING"})], "cannot be read"),
        ([response(TotalCount=0)], "cannot be read"),
        ([listed(a_node("ins-1"), total=2)], "repeats itself"),
        ([listed({"InstanceState": "RUNNING"})], "cannot be read"),
        ([TRUNCATED], ""),
        ([HOLE], ""),
    ],
    ids=[
        "403",
        "429",
        "page-2",
        "short",
        "no-fields",
        "no-set",
        "same-page",
        "no-id",
        "truncated",
        "hole",
    ],
)
def test_what_cannot_be_read_is_never_empty(tencent: Stub, answers: Any, told: str) -> None:
    tencent.say(NODES, *answers)
    reading = read()
    assert reading.nodes == ()
    assert reading.error
    assert told in reading.error


@pytest.mark.parametrize(
    ("activity", "kind"),
    [
        (
            {
                "StatusCode": "FAILED",
                "DetailedStatusMessageSet": [
                    {"Code": "ResourceInsufficient.SpecifiedInstanceType"}
                ],
            },
            ShortageKind.CAPACITY,
        ),
        (
            {"StatusCode": "FAILED", "StatusMessage": "LimitExceeded.SpotQuota: at most 20"},
            ShortageKind.QUOTA,
        ),
        ({"StatusCode": "SUCCESSFUL"}, ShortageKind.OTHER),
    ],
)
def test_a_group_that_is_short_says_why(tencent: Stub, activity: Any, kind: ShortageKind) -> None:
    group = {
        "AutoScalingGroupId": "asg-1",
        "LaunchConfigurationId": "asc-1",
        "DesiredCapacity": 4,
        "InstanceCount": 2,
        "ZoneSet": [ZONE],
        "Tags": tagged(),
    }
    old = {"StatusCode": "FAILED", "StatusMessage": "old", "StartTime": "2026-12-01T08:00:00Z"}
    newest = {"StatusMessage": "newest", "StartTime": "2026-12-01T10:00:00Z", **activity}
    launch = {"InstanceType": "GN7.2XLARGE32", "InstanceChargeType": "SPOTPAID"}
    tencent.say(GROUPS, response(AutoScalingGroupSet=[group], TotalCount=1))
    tencent.say("DescribeAutoScalingActivities", response(ActivitySet=[old, newest], TotalCount=2))
    configurations = response(LaunchConfigurationSet=[launch], TotalCount=1)
    tencent.say("DescribeLaunchConfigurations", configurations)
    (shortage,) = read().shortages
    assert (shortage.wanted, shortage.present, shortage.kind) == (4, 2, kind)
    assert (shortage.pool, shortage.zones, shortage.place) == ("inference", (ZONE,), "0123abcd")
    assert (shortage.instance_type, shortage.capacity_type) == ("GN7.2XLARGE32", CapacityType.SPOT)


@pytest.mark.parametrize(
    "code", ["UnauthorizedOperation.CamUnauthorized", "AuthFailure.UnauthorizedOperation"]
)
def test_without_the_right_to_read_groups_there_are_still_nodes(tencent: Stub, code: str) -> None:
    tencent.say(GROUPS, refusal(code))
    reading = read()
    assert (len(reading.nodes), reading.shortages, reading.error) == (2, (), "")


def test_groups_that_are_down_are_an_error(tencent: Stub) -> None:
    tencent.say(GROUPS, refusal("InternalError"))
    reading = read()
    assert reading.nodes == ()
    assert "InternalError" in reading.error
