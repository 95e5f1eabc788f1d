"""Many regions at once: order, faults and laggards."""

from __future__ import annotations

import threading

from multicloud.clouds.inventory import read_all
from multicloud.models.inventory import Inventory, Reading
from multicloud.models.offer import Cloud


class Good:
    def read(self, cloud: Cloud, region: str) -> Reading:
        return Reading(cloud=cloud, region=region)


class Broken:
    def read(self, cloud: Cloud, region: str) -> Reading:
        raise RuntimeError(region)


class Hanging:
    def read(self, cloud: Cloud, region: str) -> Reading:
        threading.Event().wait()
        raise AssertionError


def test_one_cloud_down_hides_no_other() -> None:
    readers: dict[Cloud, Inventory] = {
        Cloud.AWS: Good(),
        Cloud.TENCENT: Broken(),
        Cloud.GCP: Hanging(),
    }
    where = [(Cloud.TENCENT, "t"), (Cloud.GCP, "g"), (Cloud.AWS, "b"), (Cloud.AWS, "a")]
    readings = read_all(readers, where, timeout_s=0.2)
    assert [(r.cloud, r.region, r.error) for r in readings] == [
        (Cloud.AWS, "a", ""),
        (Cloud.AWS, "b", ""),
        (Cloud.GCP, "g", "did not answer within 0.2 s"),
        (Cloud.TENCENT, "t", "RuntimeError: t"),
    ]
