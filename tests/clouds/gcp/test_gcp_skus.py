"""Descriptions of SKUs as Google has them, and the types that they are put together to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from multicloud.catalog.shapes import shapes
from multicloud.clouds.gcp.machines import parts_of
from multicloud.clouds.gcp.skus import SSD, Part, Use, part_of
from multicloud.models.offer import Cloud

KNOWN = {
    ("A3 Instance Core running in Americas", "OnDemand"): (Part("core", "A3"), Use.ON_DEMAND),
    ("A3Plus Instance Ram running in Tokyo", "OnDemand"): (Part("ram", "A3Plus"), Use.ON_DEMAND),
    ("Spot Preemptible G2 Instance Core running in Sao Paulo", "Preemptible"): (
        Part("core", "G2"),
        Use.SPOT,
    ),
    ("Preemptible A2 Instance Ram running in EMEA", "Preemptible"): (Part("ram", "A2"), Use.SPOT),
    ("Nvidia L4 GPU running in Frankfurt", "OnDemand"): (Part("gpu", "L4"), Use.ON_DEMAND),
    ("Nvidia H100 80GB GPU attached to Spot Preemptible VMs running in Iowa", "Preemptible"): (
        Part("gpu", "H100"),
        Use.SPOT,
    ),
    ("RTX 6000 96GB attached to Spot Preemptible VMs running in Belgium", "Preemptible"): (
        Part("gpu", "RTX 6000"),
        Use.SPOT,
    ),
    ("Commitment v1: Nvidia L4 GPU running in Netherlands for 1 Year", "Commit1Yr"): (
        Part("gpu", "L4"),
        Use.YEAR,
    ),
    ("Commitment v1: A2 Ram in APAC for 3 Years", "Commit3Yr"): (
        Part("ram", "A2"),
        Use.THREE_YEARS,
    ),
    ("SSD backed Local Storage in Bangkok", "OnDemand"): (SSD, Use.ON_DEMAND),
    ("SSD backed Local Storage attached to Spot Preemptible VMs", "OnDemand"): (SSD, Use.SPOT),
    ("Commitment v1: Local SSD In Iowa for 3 Years", "Commit3Yr"): (SSD, Use.THREE_YEARS),
}
OTHERS = (
    ("Commitment v1: A2 Ram in APAC for 5 Years", "Commit"),
    ("Commitment v1: A2 Ram in APAC for 1 Year", "OnDemand"),
    ("Commitment v1: C4D Local SSD in Americas for 3 Years", "Commit3Yr"),
    ("Reserved A2 Ram in Netherlands", "OnDemand"),
    ("Reserved Nvidia H100 80GB Mega GPU in Americas in Calendar Mode", "OnDemand"),
    ("Nvidia L4 GPU attached to DWS Defined Duration VMs running in Frankfurt", "OnDemand"),
    ("Nvidia L40 GPU running in Netherlands", "OnDemand"),
    ("Nvidia L4 Virtual Workstation GPU running in Netherlands", "OnDemand"),
    ("A3Ultra Instance Core running in Americas", "OnDemand"),
    ("A2 Custom Instance Core running in Americas", "OnDemand"),
    ("VM state: preserved local SSD in Bangkok", "OnDemand"),
    ("Preemptible TpuV5e Chip Hours in Iowa", "OnDemand"),
)


@pytest.mark.parametrize(("description", "usage"), KNOWN)
def test_what_a_sku_prices(description: str, usage: str) -> None:
    sku = SimpleNamespace(description=description, category=SimpleNamespace(usage_type=usage))
    assert part_of(sku) == KNOWN[description, usage]


@pytest.mark.parametrize(("description", "usage"), OTHERS)
def test_what_no_machine_of_ours_is_made_of(description: str, usage: str) -> None:
    sku = SimpleNamespace(description=description, category=SimpleNamespace(usage_type=usage))
    assert part_of(sku) is None


def test_every_type_of_the_catalogue_has_parts() -> None:
    known = [shape for (cloud, _), shape in shapes().items() if cloud is Cloud.GCP]
    assert len(known) > 30
    for shape in known:
        assert any(parts_of(shape, use) for use in Use), shape.instance_type
