"""Holds what an engine plans against what was decided: no node comes or goes unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.change import ChangeAction
from multicloud.models.run import Purpose

if TYPE_CHECKING:
    from multicloud.models.change import StackPlan


# Resources whose making or unmaking makes or unmakes nodes.
NODE_BEARING = frozenset(
    {
        "alicloud_ess_scaling_group",
        "aws_autoscaling_group",
        "azurerm_linux_virtual_machine_scale_set",
        "azurerm_orchestrated_virtual_machine_scale_set",
        "google_compute_instance_group_manager",
        "google_compute_region_instance_group_manager",
        "oci_core_cluster_network",
        "oci_core_instance_pool",
        "tencentcloud_as_scaling_group",
    }
)
# Of these each is one node by itself, which a change of size makes or unmakes.
NODES_THEMSELVES = frozenset({"google_tpu_v2_vm"})
_MAKES = frozenset({ChangeAction.CREATE, ChangeAction.REPLACE})
_UNMAKES = frozenset({ChangeAction.DELETE, ChangeAction.REPLACE})


def unasked(plan: StackPlan, purpose: Purpose) -> str | None:
    """The first change of a node-bearing resource that the decision did not ask for, or None.

    A group may be made only where a decision fills a stack, and unmade only where one removes
    it. (A size of 0 keeps the group.) Where each resource is a node, a change of size makes nodes
    or unmakes them, not both.
    """
    ways = {change.action for change in plan.changes if change.type in NODES_THEMSELVES}
    for change in plan.changes:
        if change.type in NODES_THEMSELVES and not _is_asked(change.action, ways, purpose):
            return _sentence(change.address, change.action, change.reason, purpose)
    for change in plan.changes:
        if change.type not in NODE_BEARING:
            continue
        if change.action in _MAKES and purpose is not Purpose.FILL:
            return _sentence(change.address, change.action, change.reason, purpose)
        if change.action in _UNMAKES and purpose is not Purpose.REMOVE:
            return _sentence(change.address, change.action, change.reason, purpose)
    return None


def unmakes_nodes(plan: StackPlan) -> bool:
    """Whether a plan takes a group away, or single nodes."""
    bearing = NODE_BEARING | NODES_THEMSELVES
    return any(c.type in bearing and c.action in _UNMAKES for c in plan.changes)


def _is_asked(action: ChangeAction, ways: set[ChangeAction], purpose: Purpose) -> bool:
    if action in _MAKES and action in _UNMAKES:
        return False
    if action in _MAKES:
        return purpose is Purpose.FILL or (purpose is Purpose.RESIZE and not ways & _UNMAKES)
    if action in _UNMAKES:
        return purpose is not Purpose.FILL
    return True


def _sentence(address: str, action: ChangeAction, reason: str, purpose: Purpose) -> str:
    why = f" ({reason})" if reason else ""
    return f"the engine would {action} {address}{why}, but the decision is to {purpose} the stack."
