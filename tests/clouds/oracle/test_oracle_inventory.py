"""What runs on Oracle Cloud, through the real SDK against a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from multicloud.clouds.oracle.inventory import OracleInventory
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Stub, answer

if TYPE_CHECKING:
    from multicloud.models.inventory import Reading

REGION = "us-ashburn-1"
TAGS = {"managed-by": "multicloud", "policy": "daynight", "pool": "training", "place": "0123abcd"}
INSTANCES, POOLS = "/instances?", "/instancePools?"


def an_instance(id_: str, state: str = "RUNNING", **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "availabilityDomain": "Uocm:US-ASHBURN-AD-2",
        "compartmentId": "c",
        "freeformTags": TAGS,
        "lifecycleState": state,
        "region": "iad",
        "shape": "BM.GPU4.8",
        "timeCreated": "2026-12-01T10:00:00.000Z",
        **more,
    }


@pytest.fixture
def oracle(profile: Stub) -> Stub:
    profile.say(INSTANCES, answer([an_instance("b"), an_instance("a", "PROVISIONING")]))
    profile.say(POOLS, answer([]))
    return profile


def read() -> Reading:
    return OracleInventory(CloudSettings(compartment="ocid1.compartment.oc1..c")).read(
        Cloud.ORACLE, REGION
    )


@pytest.mark.usefixtures("oracle")
def test_nodes_are_told_as_the_policy_names_them() -> None:
    reading = read()
    assert reading.error == ""
    assert [(node.id, node.state) for node in reading.nodes] == [
        ("a", NodeState.PENDING),
        ("b", NodeState.RUNNING),
    ]
    node = reading.nodes[0]
    assert (node.policy, node.pool, node.place) == ("daynight", "training", "0123abcd")
    assert (node.zone, node.instance_type) == ("us-ashburn-1-AD-2", "BM.GPU4.8")
    assert node.capacity_type is CapacityType.ON_DEMAND
    assert node.launched_at.isoformat() == "2026-12-01T10:00:00+00:00"


def test_pages_are_read_to_the_end_and_strangers_left_out(oracle: Stub) -> None:
    oracle.say(
        INSTANCES,
        answer([an_instance("a")], 200, **{"opc-next-page": "p2"}),
    )
    rest = [
        an_instance("c", freeformTags={}),
        an_instance("d", freeformTags={**TAGS, "managed-by": "ann"}),
        an_instance("e", "TERMINATED"),
        an_instance("f", capacityReservationId="ocid1.reservation"),
    ]
    oracle.say("page=p2", answer(rest))
    found = {node.id: node.capacity_type for node in read().nodes}
    assert found == {"a": CapacityType.ON_DEMAND, "f": CapacityType.RESERVED}


@pytest.mark.parametrize(
    ("status", "state"),
    [("STOPPED", NodeState.STOPPING), ("OF_TOMORROW", NodeState.PENDING)],
)
def test_no_state_hides_a_node(oracle: Stub, status: str, state: NodeState) -> None:
    oracle.say(INSTANCES, answer([an_instance("a", status)]))
    assert [(node.id, node.state) for node in read().nodes] == [("a", state)]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([answer({"code": "NotAuthorizedOrNotFound", "message": "no"}, 404)], "NotAuthorized"),
        ([answer({"code": "TooManyRequests", "message": "slow"}, 429)], "TooManyRequests"),
        ([TRUNCATED], "cannot be read"),
        ([HOLE], "no answer"),
    ],
    ids=["404", "429", "truncated", "hole"],
)
def test_what_cannot_be_read_is_never_empty(oracle: Stub, answers: Any, told: str) -> None:
    oracle.say(INSTANCES, *answers)
    reading = read()
    assert told in reading.error
    assert reading.nodes == ()


def test_a_second_page_that_fails_leaves_no_half(oracle: Stub) -> None:
    oracle.say(INSTANCES, answer([an_instance("a")], 200, **{"opc-next-page": "p2"}))
    oracle.say("page=p2", answer({"code": "InternalError", "message": "sorry"}, 500))
    reading = read()
    assert (reading.nodes, "InternalError" in reading.error) == ((), True)


def test_a_list_that_leads_to_itself_is_an_error(oracle: Stub) -> None:
    oracle.say(INSTANCES, answer([an_instance("a")], 200, **{"opc-next-page": "p2"}))
    assert "no end" in read().error


@pytest.mark.parametrize("status", ["FAILED", "IN_PROGRESS"])
@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Out of host capacity.", ShortageKind.CAPACITY),
        ("LimitExceeded: service limits were exceeded", ShortageKind.QUOTA),
        ("something else", ShortageKind.OTHER),
    ],
)
def test_a_pool_that_is_short_says_why(
    oracle: Stub, status: str, message: str, kind: ShortageKind
) -> None:
    pool = {
        "id": "ocid1.pool",
        "compartmentId": "c",
        "instanceConfigurationId": "ocid1.conf",
        "lifecycleState": "SCALING",
        "availabilityDomains": ["Uocm:US-ASHBURN-AD-2"],
        "size": 4,
        "freeformTags": TAGS,
        "timeCreated": "2026-12-01T10:00:00.000Z",
    }
    launch = {"instanceType": "compute", "launchDetails": {"shape": "BM.GPU4.8"}}
    request = {
        "id": "ocid1.work",
        "operationType": "LaunchInstancesInPool",
        "status": status,
        "compartmentId": "c",
        "percentComplete": 100,
        "timeAccepted": "2026-12-01T10:01:00.000Z",
    }
    error = {"code": "InternalError", "message": message, "timestamp": "2026-12-01T10:02:00.000Z"}
    oracle.say(POOLS, answer([pool]))
    oracle.say("/instanceConfigurations/", answer({"id": "ocid1.conf", "instanceDetails": launch}))
    oracle.say("/workRequests?", answer([request]))
    oracle.say("/errors", answer([error]))
    (shortage,) = read().shortages
    assert (shortage.wanted, shortage.present, shortage.kind) == (4, 2, kind)
    assert message in shortage.text
    assert (shortage.pool, shortage.zones) == ("training", ("us-ashburn-1-AD-2",))
    assert (shortage.instance_type, shortage.capacity_type) == ("BM.GPU4.8", CapacityType.ON_DEMAND)
