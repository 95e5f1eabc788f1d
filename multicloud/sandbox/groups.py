"""Which resources bring nodes, and what their nodes are like; one row of facts per cloud."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from multicloud.catalog.clouds import CLOUDS
from multicloud.models.offer import CapacityType, Cloud
from multicloud.sandbox.walk import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from multicloud.sandbox.store import Record, Ref
    from multicloud.sandbox.values import Value

    # By reference; or, given an attribute's name, by that attribute's value.
    LookUp = Callable[[Ref, str, str], Record | None]


_OURS = "multicloud-"
"""Begins our keys where a cloud's nodes have keys of everybody's."""


class Sign(NamedTuple):
    """Where a group is seen to buy spot nodes: a path that has one of these values."""

    path: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFacts:
    """How one cloud's group resource describes its nodes.

    Paths are dotted and begin with `group` or with `template`, the resource that the group
    refers to: `template_refs` are the paths in the group that can hold its id, or `template_of`
    is the attribute of the template that holds the group's; a group that is its own template has
    neither. Of several paths the first that gives something counts.
    `zones` are paths that name zones directly, `subnets` are
    found by the ids at `subnet_refs`; a zone is an id or a name, or a URL that ends in one.
    `region` are paths of the region where the provider's own configuration has none. `tags` are
    paths of maps, or of blocks with `key` and `value`, that nodes get; the last wins. `reserved`
    are paths that name a reservation. `bounds` are the attributes of the least and the most nodes,
    where a group may be asked for no number: it then keeps what it has within them. `node_id`
    makes the cloud's form of id from a node's serial number. A resource with `desired` "" is one
    node by itself.
    """

    cloud: Cloud
    desired: str
    instance_type: tuple[str, ...]
    spot: tuple[Sign, ...]
    tags: tuple[str, ...]
    subnet: str = ""
    subnet_refs: tuple[str, ...] = ()
    subnet_zone: tuple[str, ...] = ()
    node_id: Callable[[int], str]
    template: str = ""
    template_refs: tuple[str, ...] = ()
    template_of: str = ""
    zones: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    bounds: tuple[str, str] | None = None


# Odd multipliers near 2^n / golden ratio spread consecutive numbers over the whole range, and
# never give the same twice.
def _aws_id(serial: int) -> str:
    return f"i-0{serial * 0x9E3779B97F4A7C15 % (1 << 64):016x}"


def _tencent_id(serial: int) -> str:
    return f"ins-{serial * 0x9E3779B1 % (1 << 32):08x}"


def _gcp_id(serial: int) -> str:
    return str(1_000_000_000_000_000_000 + serial * 0x9E3779B97F4A7C15 % 8_000_000_000_000_000_000)


def _azure_id(serial: int) -> str:
    return str(UUID(int=serial * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128)))


def _alibaba_id(serial: int) -> str:
    return f"i-bp1{serial * 0x9E3779B97F4A7C15 % (1 << 64):016x}"


def _oracle_id(serial: int) -> str:
    return f"ocid1.instance.oc1..{serial * 0x9E3779B97F4A7C15 % (1 << 64):016x}"


# Labels are lower case; the metadata has the names as they are written.
_GOOGLE: dict[str, Any] = {
    "cloud": Cloud.GCP,
    "desired": "target_size",
    "template": "google_compute_instance_template",
    "template_refs": ("group.version.instance_template",),
    "instance_type": ("template.machine_type",),
    "spot": (Sign("template.scheduling.provisioning_model", ("SPOT",)),),
    "reserved": ("template.reservation_affinity.specific_reservation.values",),
    "tags": ("template.labels", "template.metadata"),
    "node_id": _gcp_id,
}
_AZURE: dict[str, Any] = {
    "cloud": Cloud.AZURE,
    "desired": "instances",
    "spot": (Sign("group.priority", ("Spot",)),),
    "reserved": ("group.capacity_reservation_group_id",),
    "tags": ("group.tags",),
    "region": ("group.location",),
    "zones": ("group.zones",),
    "node_id": _azure_id,
}
_LAUNCH = "template.instance_details.launch_details"
_PREEMPTIBLE = f"{_LAUNCH}.preemptible_instance_config"
_ORACLE: dict[str, Any] = {
    "cloud": Cloud.ORACLE,
    "template": "oci_core_instance_configuration",
    "instance_type": (f"{_LAUNCH}.shape",),
    "spot": (
        Sign(f"{_LAUNCH}.preemptible_instance_config.preemption_action.type", ("TERMINATE",)),
    ),
    "reserved": (f"{_LAUNCH}.capacity_reservation_id",),
    "tags": (f"{_LAUNCH}.freeform_tags",),
    "node_id": _oracle_id,
}
_RESERVED = "template.capacity_reservation_specification"
_MIXED = "group.mixed_instances_policy"
GROUPS: Mapping[str, GroupFacts] = {
    "aws_autoscaling_group": GroupFacts(
        cloud=Cloud.AWS,
        desired="desired_capacity",
        template="aws_launch_template",
        template_refs=(
            "group.launch_template.id",
            f"{_MIXED}.launch_template.launch_template_specification.launch_template_id",
        ),
        instance_type=(
            f"{_MIXED}.launch_template.override.instance_type",
            "template.instance_type",
        ),
        spot=(
            Sign(f"{_MIXED}.instances_distribution.on_demand_percentage_above_base_capacity", (0,)),
            Sign("template.instance_market_options.market_type", ("spot",)),
        ),
        reserved=(f"{_RESERVED}.capacity_reservation_target.capacity_reservation_id",),
        tags=("template.tag_specifications.tags", "group.tag"),
        subnet="aws_subnet",
        subnet_refs=("group.vpc_zone_identifier",),
        subnet_zone=("availability_zone_id", "availability_zone"),
        node_id=_aws_id,
    ),
    "alicloud_ess_scaling_group": GroupFacts(
        cloud=Cloud.ALIBABA,
        desired="desired_capacity",
        bounds=("min_size", "max_size"),
        template="alicloud_ess_scaling_configuration",
        template_of="scaling_group_id",
        instance_type=("template.instance_type",),
        spot=(Sign("template.spot_strategy", ("SpotAsPriceGo", "SpotWithPriceLimit")),),
        tags=("template.tags",),
        subnet="alicloud_vswitch",
        subnet_refs=("group.vswitch_ids",),
        subnet_zone=("zone_id",),
        node_id=_alibaba_id,
    ),
    "azurerm_linux_virtual_machine_scale_set": GroupFacts(**_AZURE, instance_type=("group.sku",)),
    "azurerm_orchestrated_virtual_machine_scale_set": GroupFacts(
        **_AZURE, instance_type=("group.sku_name",)
    ),
    "google_compute_instance_group_manager": GroupFacts(**_GOOGLE, zones=("group.zone",)),
    "google_compute_region_instance_group_manager": GroupFacts(
        **_GOOGLE, zones=("group.distribution_policy_zones",)
    ),
    "google_tpu_v2_vm": GroupFacts(
        cloud=Cloud.GCP,
        desired="",
        instance_type=("group.accelerator_type",),
        spot=(Sign("group.scheduling_config.spot", (True,)),),
        tags=("group.labels", "group.metadata"),
        zones=("group.zone",),
        node_id=_gcp_id,
    ),
    "oci_core_cluster_network": GroupFacts(
        **_ORACLE,
        desired="instance_pools.size",
        template_refs=("group.instance_pools.instance_configuration_id",),
        zones=("group.placement_configuration.availability_domain",),
    ),
    "oci_core_instance_pool": GroupFacts(
        **_ORACLE,
        desired="size",
        template_refs=("group.instance_configuration_id",),
        zones=("group.placement_configurations.availability_domain",),
    ),
    "tencentcloud_as_scaling_group": GroupFacts(
        cloud=Cloud.TENCENT,
        desired="desired_capacity",
        template="tencentcloud_as_scaling_config",
        template_refs=("group.configuration_id",),
        instance_type=("template.instance_types",),
        spot=(Sign("template.instance_charge_type", ("SPOTPAID",)),),
        tags=("template.instance_tags",),
        subnet="tencentcloud_subnet",
        subnet_refs=("group.subnet_ids",),
        subnet_zone=("availability_zone",),
        node_id=_tencent_id,
    ),
}
"""Facts by resource type; a cloud that can be rendered has its row here."""


class Kind(NamedTuple):
    """What the nodes of a group are: where they may be, whose they are, how they are bought."""

    cloud: Cloud
    region: str
    zones: tuple[str, ...]
    policy: str
    pool: str
    place: str
    is_ours: bool
    instance_type: str
    capacity_type: CapacityType


def desired_size(record: Record, alive: int) -> int:
    """How many nodes a group is to have that has `alive` by now."""
    facts = GROUPS[record.ref.type]
    if not facts.desired:
        return 1
    sizes = _numbers(found.value for found in find(dict(record.attributes), facts.desired))
    if facts.bounds is None:
        return sum(sizes)
    least, most = (sum(_numbers([record.attributes.get(name)])) for name in facts.bounds)
    return max(sum(sizes), least) if sizes else min(max(alive, least), most)


def _numbers(values: Iterable[Value]) -> list[int]:
    return [int(value) for value in values if isinstance(value, (int, float))]


def kind_of(group: Record, look_up: LookUp) -> Kind:
    """Describe a group's nodes; `look_up` finds its template and subnets.

    Zones are ids, sorted; a group whose subnets nobody knows may use all zones of its region.
    """
    facts = GROUPS[group.ref.type]
    row: dict[str, Value] = {"group": dict(group.attributes)}
    reference = _first(row, facts.template_refs)
    wanted = group.ref._replace(type=facts.template, id=str(reference))
    template = look_up(wanted, facts.template_of, group.ref.id)
    row["template"] = dict(template.attributes) if template else {}
    region = str(_first(row, facts.region) or group.ref.region)
    tags = _tags(row, facts.tags)
    is_spot = any(value in sign.values for sign in facts.spot for value in _values(row, sign.path))
    return Kind(
        cloud=facts.cloud,
        region=region,
        zones=_zones(group.ref, region, facts, row, look_up),
        policy=tags.get("policy", ""),
        pool=tags.get("pool", ""),
        place=tags.get("place", ""),
        is_ours=tags.get("managed-by") == "multicloud",
        instance_type=str(_first(row, facts.instance_type) or ""),
        capacity_type=(
            CapacityType.RESERVED
            if _first(row, facts.reserved)
            else CapacityType.SPOT
            if is_spot
            else CapacityType.ON_DEMAND
        ),
    )


def zone_id(cloud: Cloud, region: str, zone: str) -> str:
    """A zone's id, given its id or the name that the sandbox's account has for it."""
    facts = CLOUDS[cloud].regions.get(region)
    names = {name: known for known, name in facts.zone_names.items()} if facts else {}
    return names.get(zone, zone)


def _zones(
    group: Ref,
    region: str,
    facts: GroupFacts,
    row: dict[str, Value],
    look_up: LookUp,
) -> tuple[str, ...]:
    named = [str(value) for path in facts.zones for value in _values(row, path)]
    found = {zone_id(facts.cloud, region, re.split("[/:]", name)[-1]) for name in named}
    for path in facts.subnet_refs:
        for value in _values(row, path):
            subnet = look_up(group._replace(type=facts.subnet, id=str(value)), "", "")
            told = [subnet.attributes.get(name) for name in facts.subnet_zone] if subnet else []
            zone = next((zone for zone in told if zone), None)
            if zone:
                found.add(zone_id(facts.cloud, region, str(zone)))
    if not found:
        known = CLOUDS[facts.cloud].regions.get(region)
        # A region that has no zones is one place: it stands for itself.
        found = set(known.zones if known else ()) or {region}
    return tuple(sorted(found))


def _values(row: dict[str, Value], path: str) -> Iterator[Value]:
    """Everything at a path that is not null or empty; lists are gone through."""
    for found in find(row, path):
        for value in found.value if isinstance(found.value, list) else (found.value,):
            if value not in (None, ""):
                yield value


def _first(row: dict[str, Value], paths: tuple[str, ...]) -> Value:
    return next((value for path in paths for value in _values(row, path)), None)


def _tags(row: dict[str, Value], paths: tuple[str, ...]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for path in paths:
        for value in _values(row, path):
            if not isinstance(value, dict):
                continue
            if "key" in value:
                if value.get("propagate_at_launch", True):
                    tags[str(value["key"])] = str(value.get("value"))
            else:
                tags.update({n.removeprefix(_OURS): str(text) for n, text in value.items()})
    return tags
