"""What runs on Google Cloud, through the real SDK against a stub."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from multicloud import clock
from multicloud.clouds.gcp.inventory import GcpInventory
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from multicloud.models.inventory import Reading

REGION, ZONE, KIND = "us-central1", "us-central1-b", "a2-highgpu-1g"
INSTANCES, GROUPS = "/aggregated/instances?", "/aggregated/instanceGroupManagers"
TEMPLATES, OPERATIONS = "/global/instanceTemplates", "/aggregated/operations"
SLICES = "/locations/-/nodes"
HOST = "https://www.googleapis.com/compute/v1/projects/my-project"
LABELS = {"managed-by": "multicloud", "policy": "daynight", "pool": "training", "place": "0123abcd"}
METADATA = {
    "items": [
        {"key": "multicloud-policy", "value": "DayNight"},
        {"key": "multicloud-pool", "value": "Training"},
    ]
}


def a_node(name: str, status: str = "RUNNING", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "status": status,
        "zone": f"{HOST}/zones/{ZONE}",
        "machineType": f"{HOST}/zones/{ZONE}/machineTypes/{KIND}",
        "labels": LABELS,
        "metadata": METADATA,
        "scheduling": {"provisioningModel": "SPOT", "preemptible": True},
        "creationTimestamp": "2026-12-01T02:00:00.000-08:00",
        **more,
    }


def listed(*nodes: dict[str, Any], zone: str = ZONE, then: str = "", **more: Any) -> Answer:
    scopes = {f"zones/{zone}": {"instances": list(nodes), **more}}
    return answer({"items": scopes, **({"nextPageToken": then} if then else {})})


def refusal(status: int, reason: str) -> Answer:
    error = {"code": status, "message": f"{reason} it is", "errors": [{"reason": reason}]}
    return answer({"error": error}, status)


@pytest.fixture
def google(let_in: Stub) -> Stub:
    let_in.say(INSTANCES, listed(a_node("n-b"), a_node("n-a", "STAGING")))
    let_in.say(GROUPS, answer({"items": {}}))
    let_in.say(TEMPLATES, answer({"items": []}))
    let_in.say(OPERATIONS, answer({"items": {}}))
    let_in.say(
        SLICES,
        answer(
            {"error": {"status": "PERMISSION_DENIED", "details": [{"reason": "SERVICE_DISABLED"}]}},
            403,
        ),
    )
    return let_in


def read() -> Reading:
    return GcpInventory(CloudSettings()).read(Cloud.GCP, REGION)


def test_nodes_are_told_as_the_policy_writes_them(google: Stub) -> None:
    reading = read()
    assert reading.error == ""
    assert [(n.id, n.state) for n in reading.nodes] == [
        ("n-a", NodeState.PENDING),
        ("n-b", NodeState.RUNNING),
    ]
    node = reading.nodes[0]
    # Labels are lower case; the metadata has the names.
    assert (node.policy, node.pool, node.place) == ("DayNight", "Training", "0123abcd")
    assert (node.zone, node.instance_type) == (ZONE, KIND)
    assert node.capacity_type is CapacityType.SPOT
    assert node.launched_at.isoformat() == "2026-12-01T10:00:00+00:00"
    asked = next(one for one in google.asked if "aggregated/instances?" in one)
    assert "filter=labels.managed-by%3Dmulticloud" in asked


def test_pages_are_read_to_the_end_and_other_regions_left_out(google: Stub) -> None:
    reserved: dict[str, Any] = {
        "scheduling": {"provisioningModel": "STANDARD"},
        "reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"},
    }
    abroad = listed(a_node("n-x"), zone="us-central10-a")
    google.say("pageToken=t3", listed(a_node("n-2", **reserved), a_node("n-3", "TERMINATED")))
    google.say("pageToken=t2", answer({**json_of(abroad), "nextPageToken": "t3"}))
    google.say(f"{INSTANCES}filter", listed(a_node("n-1"), then="t2"))
    found = [(n.id, n.capacity_type, n.state) for n in read().nodes]
    assert found == [
        ("n-1", CapacityType.SPOT, NodeState.RUNNING),
        ("n-2", CapacityType.RESERVED, NodeState.RUNNING),
        ("n-3", CapacityType.SPOT, NodeState.STOPPING),
    ]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("PENDING_STOP", NodeState.STOPPING),
        ("STOPPED", NodeState.STOPPING),
        ("OF_TOMORROW", NodeState.PENDING),
    ],
)
def test_no_status_hides_a_node(google: Stub, status: str, state: NodeState) -> None:
    google.say(INSTANCES, listed(a_node("n-1", status), {**a_node("n-2"), "labels": {}}))
    assert [(node.id, node.state) for node in read().nodes] == [("n-1", state)]


@pytest.mark.parametrize(
    ("scheduling", "capacity"),
    [
        ({"preemptible": True}, CapacityType.SPOT),
        ({"provisioningModel": "RESERVATION_BOUND"}, CapacityType.RESERVED),
        ({}, CapacityType.ON_DEMAND),
    ],
)
def test_how_a_node_is_bought(
    google: Stub, scheduling: dict[str, Any], capacity: CapacityType
) -> None:
    google.say(INSTANCES, listed(a_node("n-1", scheduling=scheduling)))
    assert [node.capacity_type for node in read().nodes] == [capacity]


def json_of(told: Answer) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(told.body)
    return found


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (refusal(403, "forbidden"), "Forbidden"),
        (refusal(429, "rateLimitExceeded"), "TooManyRequests"),
        (refusal(500, "backendError"), "InternalServerError"),
        (listed(warning={"code": "UNREACHABLE"}), f"{ZONE} does not answer"),
        (TRUNCATED, "cannot be read"),
        (HOLE, ""),
    ],
    ids=["403", "429", "500", "unreachable", "truncated", "hole"],
)
def test_what_cannot_be_read_is_never_empty(google: Stub, bad: Answer, told: str) -> None:
    google.say(INSTANCES, bad)
    reading = read()
    assert reading.nodes == ()
    assert reading.error
    assert told in reading.error


def test_a_second_page_that_fails_leaves_no_half(google: Stub) -> None:
    google.say(INSTANCES, listed(a_node("n-1"), then="t2"))
    google.say("pageToken=t2", refusal(500, "backendError"))
    reading = read()
    assert (reading.nodes, "InternalServerError" in reading.error) == ((), True)


def test_a_page_that_leads_to_itself_is_an_error(google: Stub) -> None:
    google.say(INSTANCES, listed(a_node("n-1"), then="t2"))
    assert "no end" in read().error


def a_slice(name: str, state: str = "READY", zone: str = ZONE) -> dict[str, Any]:
    return {
        "name": f"projects/my-project/locations/{zone}/nodes/{name}",
        "acceleratorType": "v5litepod-8",
        "state": state,
        "labels": LABELS,
        "metadata": {"multicloud-policy": "DayNight", "multicloud-pool": "Training"},
        "createTime": "2026-12-01T10:00:00.123456789Z",
    }


def test_slices_are_nodes(google: Stub) -> None:
    google.say(INSTANCES, listed())
    others = [a_slice("s-3", "PREEMPTED"), a_slice("s-4", zone="us-east1-a")]
    foreign = {**a_slice("s-5"), "labels": {}}
    google.say("pageToken=t2", answer({"nodes": [a_slice("s-2", "CREATING"), *others, foreign]}))
    google.say(f"{SLICES}\n", answer({"nodes": [a_slice("s-1")], "nextPageToken": "t2"}))
    found = read()
    assert found.error == ""
    assert [(n.id, n.state, n.instance_type) for n in found.nodes] == [
        ("s-1", NodeState.RUNNING, "v5litepod-8"),
        ("s-2", NodeState.PENDING, "v5litepod-8"),
    ]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (answer({}, 500), "the TPU API said 500"),
        (answer({"nodes": [], "unreachable": ["us-central1-a"]}), "us-central1-a does not answer"),
        (answer({"nodes": [{"name": "x"}]}), "cannot be read"),
        (TRUNCATED, "cannot be read"),
        (HOLE, ""),
    ],
    ids=["500", "unreachable", "another form", "truncated", "hole"],
)
def test_slices_that_cannot_be_read_are_an_error(google: Stub, bad: Answer, told: str) -> None:
    google.say(SLICES, bad)
    reading = read()
    assert reading.nodes == ()
    assert reading.error
    assert told in reading.error


GROUP: dict[str, Any] = {
    "name": "daynight-training-0123abcd",
    "baseInstanceName": "daynight-training-0123abcd",
    "targetSize": 4,
    "instanceTemplate": f"{HOST}/global/instanceTemplates/daynight-training-0123abcd-1",
}
MADE = {
    "labels": LABELS,
    "metadata": METADATA,
    "machineType": KIND,
    "scheduling": {"provisioningModel": "SPOT"},
}


def say_groups(google: Stub, scope: str, *groups: dict[str, Any], **more: Any) -> None:
    ours = {"name": "daynight-training-0123abcd-1", "properties": MADE}
    theirs = {"name": "else", "properties": {**MADE, "labels": {}}}
    google.say(TEMPLATES, answer({"items": [theirs], "nextPageToken": "t9"}))
    google.say("pageToken=t9", answer({"items": [ours]}))
    google.say(GROUPS, answer({"items": {scope: {"instanceGroupManagers": groups}}, **more}))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", ShortageKind.CAPACITY),
        ("QUOTA_EXCEEDED", ShortageKind.QUOTA),
        ("PERMISSIONS_ERROR", ShortageKind.OTHER),
    ],
)
def test_a_group_that_is_short_says_why(google: Stub, code: str, kind: ShortageKind) -> None:
    whole = {**GROUP, "targetSize": 2}
    other = {**GROUP, "targetSize": 9, "instanceTemplate": f"{HOST}/global/t/else"}
    errors = [
        {"error": {"code": code, "message": "it is"}, "timestamp": "2026-12-01T10:00:00Z"},
        {"error": {"code": "OLD", "message": "old"}, "timestamp": "2026-12-01T08:00:00Z"},
    ]
    say_groups(google, f"zones/{ZONE}", GROUP, whole, other)
    google.say(f"/zones/{ZONE}/instanceGroupManagers/", answer({"items": errors}))
    (shortage,) = read().shortages
    assert (shortage.wanted, shortage.present, shortage.kind) == (4, 2, kind)
    assert (shortage.policy, shortage.pool, shortage.place) == ("DayNight", "Training", "0123abcd")
    assert (shortage.zones, shortage.text) == ((ZONE,), f"{code}: it is")
    assert (shortage.instance_type, shortage.capacity_type) == (KIND, CapacityType.SPOT)


def test_a_group_over_zones_that_says_nothing_yet(google: Stub) -> None:
    zones = [{"zone": f"{HOST}/zones/{REGION}-{letter}"} for letter in "cb"]
    spread = {**GROUP, "distributionPolicy": {"zones": zones}}
    say_groups(google, f"regions/{REGION}", spread)
    google.say(f"/regions/{REGION}/instanceGroupManagers/", answer({}))
    (shortage,) = read().shortages
    assert shortage.zones == ("us-central1-b", "us-central1-c")
    assert (shortage.kind, shortage.text) == (ShortageKind.OTHER, "nodes are awaited")


@pytest.mark.parametrize("what", [INSTANCES, GROUPS, OPERATIONS])
def test_a_zone_that_is_not_reached_hides_its_own_region_only(google: Stub, what: str) -> None:
    google.say(what, answer({"items": {}, "unreachables": ["zones/us-central10-a"]}))
    assert read().error == ""
    google.say(what, answer({"items": {}, "unreachables": [f"projects/p/zones/{REGION}-f"]}))
    reading = read()
    assert f"{REGION}-f does not answer" in reading.error
    assert reading.nodes == ()


@pytest.mark.parametrize("status", [429, 503])
def test_slices_are_asked_for_again(google: Stub, status: int) -> None:
    google.say(SLICES, answer({}, status), answer({"nodes": [a_slice("s-1")]}))
    assert [node.id for node in read().nodes] == ["n-a", "n-b", "s-1"]


def test_who_may_not_see_slices_is_told_which_role_may(google: Stub) -> None:
    google.say(SLICES, answer({"error": {"status": "PERMISSION_DENIED"}}, 403))
    reading = read()
    assert "roles/tpu.viewer" in reading.error
    assert reading.nodes == ()


def test_slices_of_other_regions_that_are_not_reached(google: Stub) -> None:
    google.say(SLICES, answer({"nodes": [], "unreachable": ["us-east1-d"]}))
    assert read().error == ""


def an_operation(name: str, at: datetime, kind: str = "compute.instances.preempted") -> Any:
    return {
        "operationType": kind,
        "insertTime": at.isoformat(),
        "targetLink": f"{HOST}/zones/{ZONE}/instances/{name}",
        "zone": f"{HOST}/zones/{ZONE}",
        "status": "DONE",
    }


def test_who_was_taken_back_in_the_last_week(google: Stub) -> None:
    day = timedelta(days=1)
    now = clock.utcnow()
    name = GROUP["name"]
    told = [
        an_operation(f"{name}-k2xq", now - day),
        an_operation(f"{name}-a1b2", (now - 6 * day).astimezone(timezone(-8 * day / 24))),
        an_operation(f"{name}-old1", now - 8 * day),
        an_operation(f"{name}-x9x9", now - day, "compute.instances.repair"),
        an_operation("somebody-elses", now - day),
    ]
    say_groups(google, f"zones/{ZONE}", {**GROUP, "targetSize": 0})
    google.say(OPERATIONS, answer({"items": {f"zones/{ZONE}": {"operations": told}}}))
    reading = read()
    assert [(one.node, now - one.at) for one in reading.interruptions] == [
        (f"{name}-a1b2", 6 * day),
        (f"{name}-k2xq", day),
    ]
    one = reading.interruptions[0]
    assert (one.policy, one.pool, one.place) == ("DayNight", "Training", "0123abcd")
    assert (one.zone, one.instance_type, one.capacity_type) == (ZONE, KIND, CapacityType.SPOT)
    asked = next(one for one in google.asked if OPERATIONS in one)
    assert "compute.instances.preempted" in asked
