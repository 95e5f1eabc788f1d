"""Decisions as text: golden roots, and the rules that hold for every one of them."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.catalog.clouds import CLOUDS
from multicloud.errors import InvalidInputError, RenderError, Where
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import NodePrice, Placement, Reservation, ReservationKind
from multicloud.models.pool import Autoscaler, NodeSettings, Pool, WeeklyTime
from multicloud.models.project import Backend, CloudSettings, Project, RegionSettings
from multicloud.models.quote import PriceState
from multicloud.render.stack import MODULES, ROOT, RenderedStack, check_pool, render_stack
from tests.builders import a_placement, a_policy, a_pool, a_slot
from tests.modules.places import on

LABEL_CHARACTER = st.characters(codec="utf-8", min_codepoint=0x20, exclude_characters="\x7f")
GOLDEN = Path(__file__).parents[1] / "golden" / "render"
FILES = {
    PurePosixPath("main.tf"): "# main\n",
    PurePosixPath("variables.tf"): "# variables\n",
    PurePosixPath("README.md"): "not Terraform's\n",
    PurePosixPath("tests/pool.tftest.hcl"): "not the stack's\n",
}
SPOT = a_slot(capacity=CapacityType.SPOT)
TENCENT = a_slot(
    "GN7.5XLARGE80",
    cloud=Cloud.TENCENT,
    region="ap-guangzhou",
    zones=("ap-guangzhou-3", "ap-guangzhou-6"),
)
ND_A100 = a_slot("Standard_ND96asr_v4", cloud=Cloud.AZURE, region="eastus", zones=("1",))
ASHBURN_A100 = a_slot(
    "BM.GPU4.8", cloud=Cloud.ORACLE, region="us-ashburn-1", zones=("us-ashburn-1-AD-1",)
)
TENCENT_SPOT = replace(TENCENT, capacity_type=CapacityType.SPOT)


def render(
    placement: Placement | None = None,
    *,
    pool: Pool | None = None,
    project: Project = Project(),
    target: str = "sandbox",
) -> RenderedStack:
    return render_stack(
        placement or a_placement(),
        policy=a_policy(),
        pool=pool or a_pool(),
        project=project,
        target=target,
        modules=FILES,
    )


def root(stack: RenderedStack) -> Any:
    return json.loads(stack.files[ROOT])


def inputs(stack: RenderedStack) -> Any:
    return root(stack)["module"]["pool"]


def inference(labels: tuple[tuple[str, str], ...] = ()) -> Pool:
    return a_pool("inference", gpus=4, labels=labels)


def t4(nodes: int = 4, *, bid: str | None = None, spot: bool = False) -> Placement:
    return a_placement(
        nodes, slot=TENCENT_SPOT if spot else TENCENT, gpu="T4", gpus_per_node=1, bid=bid
    )


STOPS = (WeeklyTime(days=("mon", "tue"), time="22:00"), WeeklyTime(days=("sat",), time="14:30"))
GIVEN = Project(
    clouds={
        Cloud.ALIBABA: CloudSettings(
            profile="gpu",
            resource_group="rg-1",
            site="intl",
            regions={
                "cn-hangzhou": RegionSettings(
                    network="vpc-1", subnets=("vsw-1", "vsw-2"), image="m-1", key="shared"
                )
            },
        ),
        Cloud.AZURE: CloudSettings(
            subscription="00000000-0000-0000-0000-000000000001",
            resource_group="gpus",
            orchestration="flexible",
            regions={
                "eastus": RegionSettings(network="net", subnets=("/subscriptions/s/subnets/x",))
            },
        ),
        Cloud.GCP: CloudSettings(
            project="my-project",
            service_account="nodes@my-project.iam.gserviceaccount.com",
            regions={"us-central1": RegionSettings(network="net", subnets=("subnet",))},
        ),
        Cloud.ORACLE: CloudSettings(
            compartment="ocid1.compartment.oc1..x",
            profile="gpu",
            regions={
                "us-ashburn-1": RegionSettings(
                    network="ocid1.vcn.oc1..x", subnets=("ocid1.subnet.oc1..x",)
                )
            },
        ),
    }
)


def reserved(
    placement: Placement, id_: str, kind: ReservationKind = ReservationKind.ON_DEMAND
) -> Placement:
    slot = replace(placement.slot, capacity_type=CapacityType.RESERVED)
    return replace(placement, slot=slot, reservation=Reservation(id=id_, kind=kind))


def external() -> Pool:
    return replace(a_pool(), autoscaler=Autoscaler(min_nodes=1, max_nodes=4))


CASES: dict[str, RenderedStack] = {
    "aws-spot-capped": render(a_placement(slot=SPOT, bid="16.80")),
    "aws-spot": render(a_placement(slot=SPOT)),
    "aws-on-demand": render(pool=a_pool(labels=(("team", "research"),))),
    "aws-size-0": render(a_placement(0)),
    "aws-hostile-text": render(
        pool=a_pool(
            node=NodeSettings(startup='#!/bin/sh\necho "${file("/etc/hostname")} %{if true}"\n'),
            labels=(
                ("plain", '"quotes" and \\ and 训练'),
                ("${1+1}", '${file("/etc/hostname")}'),
                ("percent", "100%{if true}x%{endif}"),
                ("run", "$${a} %%{b} $5 50%"),
            ),
        )
    ),
    "aws-given": render(
        target="live",
        pool=a_pool(
            node=NodeSettings(
                image="ami-0123456789abcdef0",
                disk_gib=500,
                ssh_key="ssh-ed25519 AAAA someone@example.com\n",
                public_ip=True,
                ports=(22, 8888),
            )
        ),
        project=Project(
            backend=Backend(kind="s3", settings={"bucket": "states", "region": "eu-central-1"}),
            clouds={
                Cloud.AWS: CloudSettings(
                    profile="gpu",
                    regions={
                        "us-east-1": RegionSettings(
                            network="vpc-1", subnets=("subnet-1", "subnet-2"), key="shared"
                        )
                    },
                )
            },
        ),
    ),
    **{
        f"{cloud}-{case}": render(made)
        for cloud in (Cloud.ALIBABA, Cloud.AZURE, Cloud.GCP, Cloud.ORACLE)
        for case, made in {
            "on-demand": on(cloud),
            "size-0": on(cloud, 0),
            "spot": on(cloud, capacity=CapacityType.SPOT),
        }.items()
    },
    "alibaba-spot-capped": render(on(Cloud.ALIBABA, capacity=CapacityType.SPOT, bid="12.12")),
    "alibaba-external": render(on(Cloud.ALIBABA, 4), pool=external()),
    "alibaba-given": render(on(Cloud.ALIBABA), project=GIVEN, target="live"),
    "azure-spot-capped": render(on(Cloud.AZURE, capacity=CapacityType.SPOT, bid="12.00001")),
    "aws-reserved": render(reserved(on(Cloud.AWS), "cr-1", ReservationKind.CAPACITY_BLOCK)),
    "azure-reserved": render(reserved(on(Cloud.AZURE), "/subscriptions/s/x")),
    "gcp-reserved": render(reserved(on(Cloud.GCP), "mine")),
    "oracle-reserved": render(reserved(on(Cloud.ORACLE), "ocid1.capacityreservation.oc1..x")),
    "azure-external": render(on(Cloud.AZURE, 4), pool=external()),
    "azure-external-off": render(on(Cloud.AZURE, 0), pool=external()),
    "azure-cluster": render(replace(a_placement(slot=ND_A100), cluster_network=True)),
    "azure-backstop": render(on(Cloud.AZURE), pool=replace(a_pool(), backstops=STOPS)),
    "oracle-external-off": render(on(Cloud.ORACLE, 0), pool=external()),
    "oracle-external": render(on(Cloud.ORACLE, 4), pool=external()),
    "oracle-backstop": render(on(Cloud.ORACLE), pool=replace(a_pool(), backstops=STOPS)),
    "oracle-cluster": render(
        replace(a_placement(slot=ASHBURN_A100), cluster_network=True), project=GIVEN
    ),
    "oracle-domains": render(
        a_placement(
            slot=replace(ASHBURN_A100, zones=("us-ashburn-1-AD-1", "us-ashburn-1-AD-3")),
        )
    ),
    "gcp-cluster": render(replace(on(Cloud.GCP), cluster_network=True)),
    "alibaba-backstop": render(on(Cloud.ALIBABA), pool=replace(a_pool(), backstops=STOPS)),
    "gcp-backstop": render(
        on(Cloud.GCP), pool=replace(a_pool(), backstops=STOPS), project=GIVEN, target="live"
    ),
    "gcp-tpu": render(
        a_placement(
            slot=a_slot(
                "v5litepod-8", cloud=Cloud.GCP, region="us-central1", zones=("us-central1-a",)
            ),
            gpu="TPU-v5e",
        ),
        project=GIVEN,
    ),
    "gcp-external": render(on(Cloud.GCP, 4), pool=external()),
    "gcp-zones": render(
        a_placement(
            slot=a_slot(
                "a2-highgpu-1g",
                cloud=Cloud.GCP,
                region="us-central1",
                zones=("us-central1-a", "us-central1-b", "us-central1-f"),
                capacity=CapacityType.SPOT,
            ),
            gpus_per_node=1,
        ),
        pool=a_pool("Training_A", labels=(("team", "research"),)),
    ),
    "azure-given": render(on(Cloud.AZURE), project=GIVEN),
    "gcp-given": render(on(Cloud.GCP), project=GIVEN),
    "oracle-given": render(on(Cloud.ORACLE), project=GIVEN, target="live"),
    "tencent-spot-capped": render(t4(spot=True, bid="0.7"), pool=inference()),
    "tencent-spot": render(t4(spot=True), pool=inference()),
    "tencent-on-demand": render(t4(), pool=inference((("成本 中心", "ml"),))),
    "tencent-size-0": render(t4(0), pool=inference()),
    "aws-reserved-on-demand": render(reserved(on(Cloud.AWS), "cr-1")),
    "aws-external": render(on(Cloud.AWS, 4), pool=external()),
    "aws-cluster": render(
        replace(on(Cloud.AWS), cluster_network=True), pool=replace(a_pool(), backstops=STOPS)
    ),
    "tencent-external": render(t4(), pool=external()),
    "tencent-backstop": render(t4(), pool=replace(inference(), backstops=STOPS)),
    "tencent-share": render(
        a_placement(
            slot=replace(TENCENT, instance_type="GN7.LARGE20"),
            gpu="T4",
            gpus_per_node=Fraction(1, 4),
        ),
        pool=inference(),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str, *, update_golden: bool) -> None:
    expected = GOLDEN / case / "main.tf.json"
    text = CASES[case].files[ROOT]
    if update_golden:
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_every_golden_case_is_rendered() -> None:
    assert {folder.name for folder in GOLDEN.iterdir()} == set(CASES)


def test_b40_a_cap_is_for_the_whole_node() -> None:
    stack = render(a_placement(slot=SPOT, bid="12"))
    assert inputs(stack)["max_price_per_node_hour"] == "12.00"


@pytest.mark.parametrize(
    ("bid", "text"),
    [
        ("0.7", "0.70"),
        ("16.80", "16.80"),
        ("16.8000", "16.80"),
        ("5E-5", "0.00005"),
        ("0.123456", "0.123456"),
        ("1E+3", "1000.00"),
    ],
)
def test_b112_a_cap_is_plain_decimal_text(bid: str, text: str) -> None:
    assert inputs(render(t4(spot=True, bid=bid)))["max_price_per_node_hour"] == text


@pytest.mark.parametrize("placement", [t4(bid="5"), a_placement(bid="5"), a_placement(slot=SPOT)])
def test_b102_no_cap_means_none_is_rendered(placement: Placement) -> None:
    assert "max_price_per_node_hour" not in inputs(render(placement))


@pytest.mark.parametrize("bid", ["0", "-1"])
def test_a_cap_of_nothing(bid: str) -> None:
    with pytest.raises(RenderError, match="not above zero"):
        render(a_placement(slot=SPOT, bid=bid))


def test_b55_a_price_is_not_in_the_text() -> None:
    def at(usd: str, day: int) -> RenderedStack:
        price = NodePrice(
            usd=Decimal(usd),
            state=PriceState.FRESH,
            observed_at=datetime(2026, 5, day, tzinfo=UTC),
            source=f"look {day}",
        )
        return render(a_placement(slot=SPOT, bid="1.50", price=price))

    assert at("1.2031", 4).files == at("1.2044", 5).files


@pytest.mark.parametrize("nothing", [a_placement(0), t4(0)])
def test_b69_nothing_is_a_size(nothing: Placement) -> None:
    given_inputs = inputs(render(nothing))
    assert given_inputs["desired_count"] == 0
    assert given_inputs["max_count"] == 0


def test_b116_what_is_not_given_is_absent() -> None:
    given_inputs = inputs(render())
    assert given_inputs["public_ip"] is False
    absent = {
        "image_id",
        "ports",
        "labels",
        "startup_base64",
        "network_id",
        "max_price_per_node_hour",
    }
    assert not absent & given_inputs.keys()


def test_b171_labels_are_written_as_literals() -> None:
    labels = inputs(CASES["aws-hostile-text"])["labels"]
    assert labels["$${1+1}"] == '$${file("/etc/hostname")}'
    assert labels["percent"] == "100%%{if true}x%%{endif}"


def test_a_script_comes_through_byte_for_byte() -> None:
    script = "#!/bin/sh\r\necho 'e\u0301 ${x}'\n"
    stack = render(pool=a_pool(node=NodeSettings(startup=script)))
    assert base64.b64decode(inputs(stack)["startup_base64"]) == script.encode()


def test_a_script_that_is_too_long() -> None:
    pool = a_pool(node=NodeSettings(startup="é" * 8192))
    assert inputs(render(pool=pool))["startup_base64"]
    pool = replace(pool, node=NodeSettings(startup="é" * 8193))
    with pytest.raises(InvalidInputError, match="16,386 bytes, AWS takes 16,384"):
        render(pool=pool)


def test_a_key_of_the_policy_goes_before_that_of_the_project() -> None:
    given_inputs = inputs(CASES["aws-given"])
    assert given_inputs["ssh_public_key"] == "ssh-ed25519 AAAA someone@example.com"
    assert "key_id" not in given_inputs


def test_shares_of_a_gpu_are_decimals() -> None:
    quarter = a_placement(slot=TENCENT, gpu="T4", gpus_per_node=Fraction(1, 4))
    assert inputs(render(quarter))["gpu"] == {"count": 0.25, "type": "T4"}
    third = a_placement(slot=TENCENT, gpu="T4", gpus_per_node=Fraction(1, 3))
    assert '"count": 0.3333,' in render(third).files[ROOT]


def test_only_terraforms_files_are_copied() -> None:
    assert set(render().files) == {
        ROOT,
        PurePosixPath("module/main.tf"),
        PurePosixPath("module/variables.tf"),
    }


def test_a_missing_module_is_told() -> None:
    with pytest.raises(RenderError, match="aws-gpu-pool were not found"):
        render_stack(
            a_placement(),
            policy=a_policy(),
            pool=a_pool(),
            project=Project(),
            target="sandbox",
            modules={},
        )


def test_outputs_carry_no_input() -> None:
    for stack in CASES.values():
        assert root(stack)["output"] == {"pool_id": {"value": "${module.pool.pool_id}"}}


def test_reserved_capacity_needs_a_reservation() -> None:
    with pytest.raises(RenderError, match="go together"):
        render(a_placement(slot=a_slot(capacity=CapacityType.RESERVED)))


def test_a_cluster_network_is_asked_for_by_the_placement() -> None:
    def asked(placement: Placement) -> Any:
        return root(render(placement))["module"]["pool"].get("cluster_network")

    assert asked(a_placement()) is None
    assert asked(replace(a_placement(), cluster_network=True)) is True


def test_a_backstop_is_passed_on_as_days_and_times() -> None:
    pool = replace(a_pool(), backstops=(WeeklyTime(days=("mon", "tue"), time="22:00"),))
    given = root(render(pool=pool))["module"]["pool"]["backstop"]
    assert given == [{"days": ["mon", "tue"], "time": "22:00"}]


def test_labels_are_checked_with_their_place() -> None:
    pool = replace(a_pool(labels=(("pool", "x"),)), where=Where(file="p.yaml", line=7))
    with pytest.raises(InvalidInputError, match=r"^p\.yaml:7 label 'pool'"):
        render(pool=pool)
    with pytest.raises(InvalidInputError, match="label 'pool'"):
        check_pool(pool, Cloud.AWS)


def test_a_pool_may_suit_one_cloud_only() -> None:
    pool = a_pool(labels=(("project", "x"),))
    check_pool(pool, Cloud.AWS)
    with pytest.raises(InvalidInputError, match="belong to Tencent Cloud"):
        check_pool(pool, Cloud.TENCENT)


def test_registry_and_catalogue_agree() -> None:
    assert set(MODULES) == set(CLOUDS)
    assert all(cloud is module.cloud for cloud, module in MODULES.items())


def test_target_is_in_key_and_names() -> None:
    sandbox, live = render(target="sandbox"), render(target="live")
    assert str(sandbox.key).startswith("sandbox/")
    assert inputs(sandbox)["name"] != inputs(live)["name"]


@given(
    nodes=st.integers(0, 1000),
    zones=st.lists(st.sampled_from(("use1-az1", "use1-az2", "use1-az4")), unique=True),
    labels=st.dictionaries(
        st.text(LABEL_CHARACTER, min_size=1, max_size=20).map(lambda text: f"x{text}"),
        st.text(LABEL_CHARACTER, max_size=40),
        max_size=5,
    ),
)
def test_rendering_is_deterministic(nodes: int, zones: list[str], labels: dict[str, str]) -> None:
    placement = a_placement(nodes, slot=a_slot(zones=tuple(sorted(zones))))
    pool = a_pool(labels=tuple(labels.items()))
    backwards = a_pool(labels=tuple(reversed(labels.items())))
    assert render(placement, pool=pool).files == render(placement, pool=backwards).files


def test_a_module_with_a_provider_of_its_own_has_a_lock_of_its_own() -> None:
    assert render(on(Cloud.GCP)).lock == "gcp"
    assert CASES["gcp-tpu"].lock == "google-beta"
