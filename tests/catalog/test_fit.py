from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from multicloud.catalog.fit import nodes_for, shape_fault
from multicloud.models.decision import Reject
from multicloud.models.need import Interconnect, Wish
from tests.builders import a_shape

A100 = Wish(gpu="A100", gpus=16)


@pytest.mark.parametrize(
    ("wish", "fault"),
    [
        (A100, None),
        (replace(A100, per_node=8), None),
        (replace(A100, per_node=4), Reject.WRONG_SHAPE),
        (replace(A100, gpu_memory_gib=Decimal(40)), None),
        (replace(A100, gpu_memory_gib=Decimal(41)), Reject.TOO_SMALL),
        (replace(A100, vcpus=96), None),
        (replace(A100, vcpus=97), Reject.TOO_SMALL),
        (replace(A100, memory_gib=Decimal(1152)), None),
        (replace(A100, memory_gib=Decimal(1153)), Reject.TOO_SMALL),
        (replace(A100, arch="arm64"), Reject.WRONG_ARCH),
        (replace(A100, interconnect=Interconnect.NVLINK), None),
        (replace(A100, interconnect=Interconnect.RDMA), Reject.NO_INTERCONNECT),
    ],
)
def test_minima_and_kinds(wish: Wish, fault: Reject | None) -> None:
    assert shape_fault(wish, a_shape()) is fault


def test_a_share_suits_who_takes_shares_or_names_the_type() -> None:
    half = a_shape(gpus=Fraction(1, 2))
    assert shape_fault(Wish(gpu="A100", gpus=1), half) is Reject.WRONG_SHAPE
    assert shape_fault(Wish(gpu="A100", gpus=1, vgpu=True), half) is None
    assert shape_fault(Wish(gpu="A100", gpus=1, vgpu=True), a_shape()) is None
    assert shape_fault(Wish(instance_type="half", nodes=1), half) is None
    assert shape_fault(Wish(instance_type="none", nodes=1), a_shape(gpus=Fraction(0))) is (
        Reject.WRONG_SHAPE
    )


def test_nodes_of_shares_add_up() -> None:
    quarter = a_shape(gpus=Fraction(1, 4))
    assert nodes_for(Wish(gpu="A100", gpus=1, vgpu=True), quarter) == 4
    assert nodes_for(Wish(gpu="A100", gpus=Fraction(1, 4), vgpu=True), quarter) == 1
    assert nodes_for(Wish(gpu="A100", gpus=Fraction(1, 4), vgpu=True), a_shape()) == 1


def test_a_fabric_suits_rdma_and_pcie_no_nvlink() -> None:
    wish = replace(A100, interconnect=Interconnect.RDMA)
    assert shape_fault(wish, a_shape(fabric="efa")) is None
    pcie = replace(a_shape(), gpu_link="pcie")
    assert shape_fault(replace(A100, interconnect=Interconnect.NVLINK), pcie) is (
        Reject.NO_INTERCONNECT
    )


@pytest.mark.parametrize(("gpus", "nodes"), [(0, 0), (1, 1), (8, 1), (9, 2), (16, 2), (17, 3)])
def test_nodes_are_rounded_up(gpus: int, nodes: int) -> None:
    assert nodes_for(Wish(gpu="A100", gpus=gpus), a_shape()) == nodes


def test_nodes_by_type_are_as_asked() -> None:
    assert nodes_for(Wish(instance_type="p4d.24xlarge", nodes=3), a_shape()) == 3
