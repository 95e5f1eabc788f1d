"""The project file `multicloud.yaml`: accounts and facts; wishes live in policies."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta
    from decimal import Decimal

    from multicloud.models.offer import Cloud
    from multicloud.models.place import Place
    from multicloud.models.pool import Commitment, Discount, Limits


class Target(StrEnum):
    """What runs act on. The sandbox is the default and never touches a cloud."""

    SANDBOX = "sandbox"
    LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionSettings:
    """What an account has in one region; None and empty are "not given"."""

    network: str | None = None
    subnets: tuple[str, ...] = ()
    image: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudSettings:
    """One account of one cloud; what a cloud has no use for stays None.

    `site` is `china` or `intl` where a cloud has both. `project` is Google Cloud's,
    `subscription` and `resource_group` are Azure's (a group that is given is used, else each
    stack makes its own), `compartment` is Oracle's, `resource_group` Alibaba's too.
    `service_account` is what Google Cloud's nodes run as and what its backstop acts as.
    `orchestration` is Azure's scale set mode.
    """

    profile: str | None = None
    project: str | None = None
    subscription: str | None = None
    resource_group: str | None = None
    compartment: str | None = None
    service_account: str | None = None
    orchestration: str | None = None
    site: str = ""
    regions: Mapping[str, RegionSettings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Engine choice by the user's own configuration (never by a repository's file)."""

    path: str | None = None
    mirrors: tuple[str, ...] = ()
    plugin_cache: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Where Terraform keeps its states; settings are passed on as they are."""

    kind: str = "local"
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The project file, compiled; `Project()` is what holds without one."""

    file: str | None = None
    target: Target = Target.SANDBOX
    policies: tuple[str, ...] = ()
    store: str | None = None
    backend: Backend = Backend()
    interval: timedelta | None = None
    heartbeat: str | None = None
    env: tuple[str, ...] = ()
    clouds: Mapping[Cloud, CloudSettings] = field(default_factory=dict)
    fx: Mapping[str, Decimal] = field(default_factory=dict)
    discounts: tuple[Discount, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    only_in: tuple[Place, ...] = ()
    limits: Limits | None = None

    def site(self, cloud: Cloud) -> str:
        """The account's side of `cloud`, `china` where the file is silent (POLICY section 5)."""
        settings = self.clouds.get(cloud)
        return (settings.site if settings else "") or "china"
