"""A place on every cloud, with a type that can be bought there both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.offer import CapacityType, Cloud
from tests.builders import a_placement, a_slot

if TYPE_CHECKING:
    from multicloud.models.placement import Placement

# Region, zones, type and GPUs of a node.
PLACES = {
    Cloud.ALIBABA: ("cn-hangzhou", ("cn-hangzhou-i",), "ecs.gn7i-c8g1.2xlarge", "A10", 1),
    Cloud.AWS: ("us-east-1", ("use1-az1",), "p4d.24xlarge", "A100-40GB", 8),
    Cloud.AZURE: ("eastus", ("1", "2"), "Standard_NC24ads_A100_v4", "A100-80GB-PCIe", 1),
    Cloud.GCP: ("us-central1", ("us-central1-a",), "a2-highgpu-1g", "A100-40GB", 1),
    Cloud.ORACLE: ("us-ashburn-1", ("us-ashburn-1-AD-1",), "VM.GPU3.1", "V100-16GB", 1),
    Cloud.TENCENT: ("ap-guangzhou", ("ap-guangzhou-6",), "GN7.5XLARGE80", "T4", 1),
}
GROUPS = {
    Cloud.ALIBABA: "alicloud_ess_scaling_group.this",
    Cloud.AWS: "aws_autoscaling_group.this",
    Cloud.AZURE: "azurerm_linux_virtual_machine_scale_set.uniform[0]",
    Cloud.GCP: "google_compute_instance_group_manager.zonal[0]",
    Cloud.ORACLE: "oci_core_instance_pool.this[0]",
    Cloud.TENCENT: "tencentcloud_as_scaling_group.this",
}
"""Address of the node-bearing resource within the module."""
TAKES_BIDS = (Cloud.ALIBABA, Cloud.AWS, Cloud.AZURE, Cloud.TENCENT)


def on(
    cloud: Cloud,
    nodes: int = 2,
    *,
    capacity: CapacityType = CapacityType.ON_DEMAND,
    bid: str | None = None,
) -> Placement:
    """Nodes at the cloud's place."""
    region, zones, type_, gpu, gpus = PLACES[cloud]
    slot = a_slot(type_, cloud=cloud, region=region, zones=zones, capacity=capacity)
    return a_placement(nodes, slot=slot, gpu=gpu, gpus_per_node=gpus, bid=bid)
