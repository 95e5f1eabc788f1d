"""What every cloud's module takes and gives: one set of inputs and outputs for all of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from multicloud.models.offer import Cloud
    from multicloud.models.pool import WeeklyTime
    from multicloud.models.project import CloudSettings
    from multicloud.render.names import NameRule, TagRule
    from multicloud.render.tfjson import Value

REQUIRED_VERSION = ">= 1.6"
"""Of Terraform or OpenTofu: the first that has `terraform test` with all we use."""

OUTPUTS = ("pool_id", "desired_count", "instance_type", "capacity_type")
"""Of every module; only `pool_id` leaves the root, since the others repeat inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuInput:
    """GPUs of one node. `count` is a whole number or a share in decimals (0.25)."""

    type: str
    count: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolInputs:
    """Inputs of a module; field names are the names of its variables.

    None and empty stand for "not given": the module then looks up an image, makes a minimal
    private network and opens no port. `max_price_per_node_hour` is decimal text in the
    account's currency, since a number would lose `12.00`. `startup_base64` is base64 so that
    a script comes through byte for byte. `zones` are zone ids and `disk_gib` is GiB.
    With `autoscaler` `external` the module owns the bounds and `desired_count` is not given.
    `backstop` are the times, in UTC, at which the cloud's own schedule empties the group.
    """

    name: str
    policy_name: str
    pool_name: str
    place: str
    region: str
    zones: tuple[str, ...]
    instance_type: str
    gpu: GpuInput
    architecture: str
    capacity_type: str
    reservation_id: str | None
    reservation_kind: str | None
    autoscaler: str
    desired_count: int | None
    min_count: int | None
    max_count: int
    max_price_per_node_hour: str | None
    labels: Mapping[str, str]
    network_id: str | None
    subnet_ids: tuple[str, ...]
    network_cidr: str | None
    image_id: str | None
    disk_gib: int
    startup_base64: str | None
    ssh_public_key: str | None
    key_id: str | None
    public_ip: bool
    ports: tuple[int, ...]
    port_sources: tuple[str, ...]
    cluster_network: bool
    backstop: tuple[WeeklyTime, ...]

    def arguments(self) -> Mapping[str, Value]:
        """The inputs by name, as they stand in the module call; what is not given is left out."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given["gpu"] = {"type": self.gpu.type, "count": self.gpu.count}
        given["backstop"] = [{"days": b.days, "time": b.time} for b in self.backstop]
        given["cluster_network"] = self.cluster_network or None
        if self.autoscaler == MANAGED:
            given["autoscaler"] = None
        return {name: value for name, value in given.items() if value not in (None, (), [], {})}


MANAGED = "managed"
EXTERNAL = "external"
INPUTS = tuple(field.name for field in fields(PoolInputs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A provider that a stack needs: local name, source address, allowed versions."""

    name: str
    source: str
    versions: str


def _nothing(_region: str, _account: CloudSettings) -> Mapping[str, Value]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudModule:
    """How one cloud is rendered.

    `folder` is the module's name under `terraform/modules`. `provider` gives the arguments of
    the provider block for a region and an account. `extras` are inputs that only this cloud's
    module has, all optional; `account` gives those of them that the project file says.
    `types` are the instance types of a module that is not for all of its cloud's.
    `required` are settings of the account that a live stack cannot do without.
    `max_startup_bytes` is the most that a startup script may have before base64.
    """

    cloud: Cloud
    title: str
    folder: str
    plugin: Plugin
    names: NameRule
    tags: TagRule
    max_startup_bytes: int
    provider: Callable[[str, CloudSettings], Mapping[str, Value]]
    extras: tuple[str, ...] = ()
    account: Callable[[str, CloudSettings], Mapping[str, Value]] = _nothing
    required: tuple[str, ...] = ()
    types: re.Pattern[str] | None = None
