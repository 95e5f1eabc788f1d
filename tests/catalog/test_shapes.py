from __future__ import annotations

from multicloud.catalog.shapes import find_shape, shapes
from multicloud.models.offer import Cloud


def test_a_type_is_found_in_any_case_but_only_on_its_cloud() -> None:
    shape = shapes()[Cloud.AZURE, "Standard_NC4as_T4_v3"]
    assert find_shape(Cloud.AZURE, "standard_nc4AS_t4_V3") is shape
    assert find_shape(Cloud.AWS, "Standard_NC4as_T4_v3") is None
    assert find_shape(Cloud.AZURE, "NC4as_T4_v3") is None
