"""What runs on Azure, through the real SDK against a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from multicloud.clouds.azure.inventory import AzureInventory
from multicloud.models.inventory import NodeState, ShortageKind
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from multicloud.models.inventory import Reading

REGION, KIND = "eastus", "Standard_NC24ads_A100_v4"
TAGS = {"managed-by": "multicloud", "policy": "daynight", "pool": "training", "place": "0123abcd"}
SETS = f"/locations/{REGION}/virtualMachineScaleSets"
ID = (
    "/subscriptions/sub-1/resourceGroups/gpus/providers/Microsoft.Compute/virtualMachineScaleSets/p"
)
VIEW, UNIFORM, FLEXIBLE = (
    "/p/instanceView",
    "/p/virtualMachines",
    "/resourceGroups/gpus/providers/Microsoft.Compute/virtualMachines",
)


def a_set(*, mode: str = "Uniform", size: int = 2, **more: Any) -> dict[str, Any]:
    return {
        "id": ID,
        "name": "p",
        "location": REGION,
        "tags": TAGS,
        "zones": ["2"],
        "sku": {"name": KIND, "capacity": size},
        "properties": {
            "orchestrationMode": mode,
            "virtualMachineProfile": {"priority": "Spot"},
        },
        **more,
    }


def a_machine(name: str, *codes: str, **more: Any) -> dict[str, Any]:
    view = {"statuses": [{"code": code} for code in codes]}
    return {
        "id": f"{ID}/virtualMachines/{name}",
        "name": name,
        "location": REGION,
        "zones": ["2"],
        "properties": {"instanceView": view, "timeCreated": "2026-12-01T10:00:00.12+00:00"},
        **more,
    }


def listed(*entries: dict[str, Any], then: str = "") -> Answer:
    return answer({"value": list(entries), **({"nextLink": then} if then else {})})


def refusal(status: int, code: str) -> Answer:
    return answer({"error": {"code": code, "message": f"{code} it is"}}, status)


RUNS = ("ProvisioningState/succeeded", "PowerState/running")


@pytest.fixture
def azure(let_in: Stub) -> Stub:
    let_in.say(
        UNIFORM, listed(a_machine("p_1", *RUNS), a_machine("p_0", "ProvisioningState/creating"))
    )
    let_in.say(SETS, listed(a_set()))
    return let_in


def read() -> Reading:
    return AzureInventory(CloudSettings(subscription="sub-1")).read(Cloud.AZURE, REGION)


def test_nodes_of_a_uniform_set(azure: Stub) -> None:
    reading = read()
    assert reading.error == ""
    assert [(n.id, n.state) for n in reading.nodes] == [
        ("p_0", NodeState.PENDING),
        ("p_1", NodeState.RUNNING),
    ]
    node = reading.nodes[0]
    assert (node.policy, node.pool, node.place) == ("daynight", "training", "0123abcd")
    assert (node.zone, node.instance_type) == ("2", KIND)
    assert node.capacity_type is CapacityType.SPOT
    assert node.launched_at.isoformat() == "2026-12-01T10:00:00.120000+00:00"
    assert reading.shortages == ()
    assert any("expand=instanceView" in one for one in azure.asked)


def test_nodes_of_a_flexible_set_are_ordinary_machines(azure: Stub) -> None:
    azure.say(FLEXIBLE, listed(a_machine("p_abc", *RUNS), a_machine("p_def", *RUNS)))
    azure.say(SETS, listed(a_set(mode="Flexible")))
    assert [node.id for node in read().nodes] == ["p_abc", "p_def"]
    asked = next(one for one in azure.asked if f"{FLEXIBLE}?" in one)
    assert "virtualMachineScaleSet%2Fid" in asked


def test_pages_are_read_to_the_end_and_other_sets_left_out(azure: Stub) -> None:
    foreign = a_set(tags={"managed-by": "ann"}, name="q")
    azure.say(SETS, listed(foreign, then=f"{azure.url}/page2"))
    azure.say("/page2", listed(a_set()))
    azure.say(UNIFORM, listed(a_machine("p_0", *RUNS), then=f"{azure.url}/page3"))
    azure.say("/page3", listed(a_machine("p_1", *RUNS)))
    assert [node.id for node in read().nodes] == ["p_0", "p_1"]


@pytest.mark.parametrize(
    ("profile", "capacity"),
    [
        ({"priority": "Regular"}, CapacityType.ON_DEMAND),
        ({}, CapacityType.ON_DEMAND),
        (
            {"capacityReservation": {"capacityReservationGroup": {"id": "g"}}},
            CapacityType.RESERVED,
        ),
    ],
)
def test_how_nodes_are_bought(azure: Stub, profile: Any, capacity: CapacityType) -> None:
    told = {"orchestrationMode": "Uniform", "virtualMachineProfile": profile}
    azure.say(SETS, listed(a_set(properties=told)))
    assert {node.capacity_type for node in read().nodes} == {capacity}


@pytest.mark.parametrize(
    "codes",
    [("PowerState/deallocated",), ("ProvisioningState/deleting", "PowerState/running")],
)
def test_nodes_that_leave_are_stopping(azure: Stub, codes: tuple[str, ...]) -> None:
    azure.say(VIEW, answer({"statuses": []}))
    azure.say(UNIFORM, listed(a_machine("p_0", *codes)))
    assert [node.state for node in read().nodes] == [NodeState.STOPPING]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (refusal(403, "AuthorizationFailed"), "AuthorizationFailed"),
        (refusal(429, "TooManyRequests"), "TooManyRequests"),
        (refusal(500, "InternalServerError"), "InternalServerError"),
        (TRUNCATED, "cannot be read"),
        (HOLE, ""),
    ],
    ids=["403", "429", "500", "truncated", "hole"],
)
@pytest.mark.parametrize("part", [SETS, UNIFORM])
def test_what_cannot_be_read_is_never_empty(azure: Stub, part: str, bad: Answer, told: str) -> None:
    azure.say(part, bad)
    reading = read()
    assert reading.nodes == ()
    assert reading.error
    assert told in reading.error


def test_a_page_that_leads_to_itself_is_an_error(azure: Stub) -> None:
    azure.say("/page2", listed(a_set(), then=f"{azure.url}/page2"))
    azure.say(SETS, listed(a_set(), then=f"{azure.url}/page2"))
    assert "no end" in read().error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("AllocationFailed", ShortageKind.CAPACITY),
        ("OverconstrainedZonalAllocationRequest", ShortageKind.CAPACITY),
        ("QuotaExceeded", ShortageKind.QUOTA),
        ("InternalExecutionError", ShortageKind.OTHER),
    ],
)
def test_a_set_that_is_short_says_why(azure: Stub, code: str, kind: ShortageKind) -> None:
    status = {"code": f"ProvisioningState/failed/{code}", "message": "it is"}
    azure.say(SETS, listed(a_set(size=4)))
    azure.say(VIEW, answer({"statuses": [status]}))
    (shortage,) = read().shortages
    assert (shortage.wanted, shortage.present, shortage.kind) == (4, 2, kind)
    assert (shortage.pool, shortage.zones, shortage.text) == ("training", ("2",), f"{code}: it is")
