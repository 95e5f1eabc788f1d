"""No node comes or goes that nobody decided on."""

from __future__ import annotations

import pytest

from multicloud.models.change import ChangeAction, ResourceChange, StackKey, StackPlan
from multicloud.models.run import Purpose
from multicloud.run.held import unasked

KEY = StackKey(
    target="sandbox", policy="p", pool="a", cloud="aws", region="us-east-1", digest="0" * 8
)
GROUP = "aws_autoscaling_group"


def a_plan(type_: str, action: ChangeAction, reason: str = "") -> StackPlan:
    change = ResourceChange(address=f"module.pool.{type_}.this", type=type_, action=action)
    return StackPlan(key=KEY, changes=(change,))


@pytest.mark.parametrize(
    ("action", "purpose"),
    [
        (ChangeAction.CREATE, Purpose.FILL),
        (ChangeAction.UPDATE, Purpose.FILL),
        (ChangeAction.UPDATE, Purpose.RESIZE),
        (ChangeAction.UPDATE, Purpose.EMPTY),
        (ChangeAction.DELETE, Purpose.REMOVE),
    ],
)
def test_what_was_decided_passes(action: ChangeAction, purpose: Purpose) -> None:
    assert unasked(a_plan(GROUP, action), purpose) is None


@pytest.mark.parametrize(
    ("action", "purpose"),
    [
        (ChangeAction.CREATE, Purpose.RESIZE),
        (ChangeAction.CREATE, Purpose.EMPTY),
        (ChangeAction.CREATE, Purpose.REMOVE),
        (ChangeAction.DELETE, Purpose.FILL),
        (ChangeAction.DELETE, Purpose.RESIZE),
        (ChangeAction.DELETE, Purpose.EMPTY),
        (ChangeAction.REPLACE, Purpose.FILL),
        (ChangeAction.REPLACE, Purpose.RESIZE),
    ],
)
def test_what_was_not_is_named(action: ChangeAction, purpose: Purpose) -> None:
    fault = unasked(a_plan(GROUP, action), purpose)
    assert fault is not None
    assert "module.pool.aws_autoscaling_group.this" in fault
    assert f"decision is to {purpose}" in fault


def test_other_resources_may_be_replaced() -> None:
    """A new scaling configuration is made and handed over; the nodes stay."""
    plan = a_plan("tencentcloud_as_scaling_config", ChangeAction.REPLACE)
    assert unasked(plan, Purpose.RESIZE) is None


TPU = "google_tpu_v2_vm"


@pytest.mark.parametrize(
    ("actions", "purpose", "is_held"),
    [
        ((ChangeAction.CREATE, ChangeAction.CREATE), Purpose.FILL, False),
        ((ChangeAction.CREATE,), Purpose.RESIZE, False),
        ((ChangeAction.DELETE,), Purpose.RESIZE, False),
        ((ChangeAction.DELETE,), Purpose.EMPTY, False),
        ((ChangeAction.DELETE,), Purpose.REMOVE, False),
        ((ChangeAction.UPDATE,), Purpose.RESIZE, False),
        ((ChangeAction.CREATE, ChangeAction.DELETE), Purpose.RESIZE, True),
        ((ChangeAction.REPLACE,), Purpose.RESIZE, True),
        ((ChangeAction.REPLACE,), Purpose.FILL, True),
        ((ChangeAction.DELETE,), Purpose.FILL, True),
        ((ChangeAction.CREATE,), Purpose.EMPTY, True),
        ((ChangeAction.CREATE,), Purpose.REMOVE, True),
    ],
)
def test_where_each_resource_is_a_node_sizes_go_one_way(
    actions: tuple[ChangeAction, ...], purpose: Purpose, *, is_held: bool
) -> None:
    changes = tuple(
        ResourceChange(address=f"module.pool.{TPU}.node[{n}]", type=TPU, action=action)
        for n, action in enumerate(actions)
    )
    assert (unasked(StackPlan(key=KEY, changes=changes), purpose) is not None) == is_held
